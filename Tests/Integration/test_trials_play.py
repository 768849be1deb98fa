# SPDX-License-Identifier: MIT
"""What players of other games have reported, tried here: see docs/trials.md."""
import datetime
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time

from cryptography import x509

import harness
import peer
from test_peer import WithPeer
from test_program import OnLoopback


class Moves(OnLoopback):
    def test_two_moves_in_one_write_are_one_move(self):
        """B1-06: a double click, and a second move behind the first."""
        for second in (1, 2):
            with self.subTest(second=second):
                x, o = self.pair()
                x.next(), o.next()
                x.write("".join(
                    json.dumps({"do": "move", "square": square}) + "\n" for square in (1, second)))
                self.assertIn(x.wait("error")["code"], ("early", "illegal"))
                self.assertEqual(o.next()["board"], "X........")
                x.cursor = 0
                x.wait("move")
                self.assertEqual(x.next(), {"event": "turn", "you": False, "ply": 2})
                o.next()
                o.tell("move", square=5)
                self.assertEqual(x.next(), o.next())

    def test_who_asks_for_everything_at_once_moves_only_when_it_is_its_turn(self):
        """B1-07, B1-20: every square a hundred times, before, while and after the other moves."""
        x, o = self.pair()
        x.next(), o.next()
        before = len(o.said("error"))
        o.write("".join(json.dumps({"do": "move", "square": 1 + number % 9}) + "\n"
                        for number in range(900)))
        harness.until(lambda: len(o.said("error")) >= before + 900, 20, "900 answers")
        self.assertFalse(x.said("move") + o.said("move"))
        self.play_on(x, o, harness.X_WINS)
        self.finish(x, o, "X", "line")

    def play_on(self, x, o, squares):
        """As `play`, once the first turn has been told."""
        for ply, square in enumerate(squares, 1):
            mover = x if ply % 2 else o
            if ply > 1:
                x.next(), o.next()
            mover.tell("move", square=square)
            self.assertEqual(x.next(), o.next())

    def test_a_winner_that_leaves_at_once_leaves_the_result_behind(self):
        """B1-10: the loser's process stands still meanwhile; as host and as guest."""
        for round in range(4):
            with self.subTest(round=round):
                x, o = self.pair()
                self.play(x, o, harness.X_WINS[:4])
                x.next(), o.next()
                # Its own move is told once the other has it, so the other stops after that.
                x.tell("move", square=harness.X_WINS[4])
                x.wait("over")
                o.signal(signal.SIGSTOP)
                x.tell("quit")
                x.process.wait(8)
                o.signal(signal.SIGCONT)
                self.assertEqual(o.next()["board"], "XXXOO....")
                self.assertEqual(o.next()["winner"], "X")
                self.assertEqual(o.next(8), {"event": "closed", "reason": "left"})

    def test_a_player_who_dies_at_the_rematch_is_missed(self):
        """B1-11."""
        for answers in (False, True):
            with self.subTest(answers=answers):
                x, o = self.pair()
                self.play(x, o, harness.X_WINS)
                self.finish(x, o, "X", "line")
                x.tell("offer", kind="rematch")
                o.wait("offer")
                if answers:
                    o.tell("accept")
                    x.wait("started")
                o.signal(signal.SIGKILL)
                x.wait("link", state="lost")
                x.tell("quit")
                self.assertEqual(x.exit(), 0)

    def test_four_games_begin_in_turns_and_both_know_who(self):
        """B1-12: won, lost, drawn, resigned."""
        x, o = self.pair()
        for squares, winner, termination in (
                (harness.X_WINS, "X", "line"), (harness.O_WINS, "O", "line"),
                (harness.DRAW, None, "full"), ((), "O", "resign")):
            self.play(x, o, squares)
            if termination == "resign":
                x.next(), o.next()
                x.tell("resign")
            self.finish(x, o, winner, termination)
            one, other = x, o
            self.rematch(x, o)
            x, o = self.begin(x, o)
            self.assertEqual((x, o), (other, one))

    def test_one_processor_is_enough_for_everybody(self):
        """B2-16: nothing that waits keeps another from its turn."""
        place = type("Place", (), {
            "name": "one processor", "prefix": (*self.place.prefix, "taskset", "-c", "0")})
        host, port = self.host("--hidden", place=place)
        guest = self.start("join", f"127.0.0.1:{port}", place=place)
        x, o = self.begin(host, guest)
        self.play(x, o, harness.DRAW)
        self.finish(x, o, None, "full")

    def test_a_second_signal_does_not_cut_the_first_short(self):
        """B5-09."""
        for first in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=first.name):
                x, o = self.pair()
                for _ in range(20):
                    x.signal(first)
                self.assertEqual(x.exit(), harness.SIGNAL_CODES[first])
                self.assertEqual(x.events[-1][1], {"event": "closed", "reason": "interrupted"})
                self.assertEqual(o.wait("link", state="lost")["reason"], "left")


class Peers(WithPeer):
    def test_thirty_entries_in_one_write_are_thirty(self):
        """B1-01, B1-02: and then cut anywhere, in the middle of lengths too."""
        player, session, match = self.as_guest()
        self.assertIsNone(match.challenge())
        player.wait("turn")
        written, write = [], session.connection.write
        session.connection.write = written.append
        for number in range(50):
            match.act("say", f"word%20{number}")
        data = b"".join(written)
        session.connection.write = write
        write(data[:len(data) // 2])
        rest = data[len(data) // 2:]
        for start in range(0, len(rest), 97):
            write(rest[start:start + 97])
        harness.until(lambda: len(player.said("said")) == 50, 5, "50 words")
        self.assertEqual([event["text"] for event in player.said("said")],
                         [f"word {number}" for number in range(50)])

    def test_who_says_nothing_or_something_else_is_left_in_words(self):
        """B1-24, B1-26: `join` meets silence, a web server and an SSH server."""
        for greeting, least in ((b"", 4), (b"HTTP/1.1 400 Bad Request\r\n\r\n", 0),
                                (b"SSH-2.0-OpenSSH_9.2p1\r\n", 0)):
            with self.subTest(greeting=greeting):
                listener = socket.create_server(("127.0.0.1", 0))
                self.addCleanup(listener.close)
                player = self.start("join", f"127.0.0.1:{listener.getsockname()[1]}")
                began = time.monotonic()
                link = listener.accept()[0]
                self.addCleanup(link.close)
                link.sendall(greeting)
                self.assertIn(player.exit(within=10), (69, 76))
                self.assertGreaterEqual(time.monotonic() - began, least)
                self.one_sentence(player.said("error")[0]["message"])

    def test_a_certificate_of_any_date_is_a_key(self):
        """B5-12: one clock may be years off."""
        for years in (-60, 60):
            with self.subTest(years=years):
                host, port = self.host("--hidden", "--bind", "127.0.0.1")
                identity = peer.Identity()
                name = x509.Name([])
                begin = datetime.datetime.utcnow() + datetime.timedelta(days=365 * years)
                identity.certificate = (
                    x509.CertificateBuilder().subject_name(name).issuer_name(name)
                    .public_key(identity.key.public_key()).serial_number(1)
                    .not_valid_before(max(begin, datetime.datetime(1970, 1, 1)))
                    .not_valid_after(begin + datetime.timedelta(days=3650))
                    .sign(identity.key, None))
                connection = peer.Connection.dial("127.0.0.1", port, identity)
                self.addCleanup(connection.close)
                session = peer.Session(connection, "Eve")
                self.assertEqual(session.say_hello()[0], peer.WELCOME)

    def test_names_that_are_no_text_are_refused_and_long_ones_stay_whole(self):
        """B1-28: broken UTF-8, and a family of emoji at the limit."""
        family = "\U0001F468\u200d\U0001F469\u200d\U0001F467"
        for name, is_right in (
                (b"\xc3\x28", False), (b"\xf0\x9f\x98", False), (b"\xed\xa0\x80", False),
                (("\U0001F625" * 32).encode(), False), (("a" * 40 + family).encode(), True)):
            with self.subTest(name=name):
                player, port = self.host("--hidden", "--bind", "127.0.0.1", accept=None)
                identity = peer.Identity()
                connection = peer.Connection.dial("127.0.0.1", port, identity)
                self.addCleanup(connection.close)
                session = peer.Session(connection, "Eve")
                fields = session.fields

                def changed(**changes):
                    found = peer.decode_fields(fields(**changes))
                    found[4] = name
                    return peer.encode_fields(*found.items())
                session.fields = changed
                if not is_right:
                    session.write_frame(peer.HELLO, session.fields())
                    self.assertTrue(connection.wait_for_end(6))
                    self.assertIsNone(player.process.poll())
                    continue
                self.assertEqual(session.say_hello()[0], peer.WELCOME)
                threading.Thread(target=lambda: self.quietly(
                    peer.Match(session, identity).challenge), daemon=True).start()
                self.assertEqual(player.wait("challenged")["by"].encode(), name)

    @staticmethod
    def quietly(call):
        try:
            call()
        except (peer.Closed, peer.ProtocolError, OSError, TimeoutError):
            pass

    def test_resets_in_the_middle_of_packets_end_nothing_but_the_link(self):
        """B2-01: no SIGPIPE, whenever the other side's socket goes."""
        player, session, match = self.as_guest()
        self.assertIsNone(match.challenge())
        player.wait("turn")
        sock = session.connection.sock
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for number in range(200):
            player.tell("say", text=f"word {number}")
            if number == 100:
                sock.close()
        player.wait("link", state="lost")
        player.tell("quit")
        self.assertEqual(player.exit(), 0)


class Output(OnLoopback):
    def test_a_reader_that_goes_ends_quietly(self):
        """B2-01: `ttt list | true`."""
        for args in (("list",), ("--help",), ("id",)):
            with self.subTest(args=args):
                reading, writing = os.pipe()
                os.close(reading)
                done = subprocess.run(
                    [*self.place.prefix, harness.TTT, *args], stdin=subprocess.DEVNULL,
                    stdout=writing, stderr=subprocess.PIPE, timeout=15, cwd="/", check=False,
                    env={"HOME": self.new_home(), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
                os.close(writing)
                self.assertGreaterEqual(done.returncode, 0, "killed by a signal")
                self.assertNotEqual(done.returncode, 141)
                self.assertNotIn(b"atal", done.stderr)

    def test_what_is_no_terminal_gets_no_escape(self):
        """B4-09, B4-12: whatever TERM and NO_COLOR say."""
        for term in ("xterm-256color", "dumb", "", "nonsense"):
            for args in (["list"], ["--help"], ["id"], ["join", "127.0.0.1:4"], ["dance"]):
                with self.subTest(term=term, args=args):
                    done = subprocess.run(
                        [*self.place.prefix, harness.TTT, *args], input=b"", capture_output=True,
                        timeout=15, cwd="/", check=False,
                        env={"HOME": self.new_home(), "PATH": os.environ["PATH"],
                             "LANG": "C.UTF-8", "TERM": term, "NO_COLOR": ""})
                    self.assertNotIn(b"\x1b", done.stdout + done.stderr)


class Addresses(OnLoopback):
    def test_without_ipv6_a_game_is_hosted_and_joined(self):
        """B5-11."""
        subprocess.run([*self.place.prefix, "sh", "-c",
                        "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"], check=True)
        self.addCleanup(subprocess.run, [
            *self.place.prefix, "sh", "-c", "echo 0 >/proc/sys/net/ipv6/conf/all/disable_ipv6"])
        host, port = self.host("--hidden")
        self.assertFalse([a for a in host.said("hosting")[0]["addresses"] if "[" in a])
        guest = self.start("join", f"127.0.0.1:{port}")
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS)

    def test_a_port_is_free_again_at_once(self):
        """B1-25: ten times in a row, each with a guest that the host leaves first."""
        port = None
        for _ in range(10):
            host, port = self.host("--hidden", *(("--port", str(port)) if port else ()))
            guest = self.start("join", f"127.0.0.1:{port}")
            x, o = self.begin(host, guest)
            host.tell("quit")
            self.assertEqual(host.exit(), 0)
            guest.wait("link", state="lost")
            guest.tell("quit")
            guest.exit()

    def test_names_are_listed_as_they_are(self):
        """B3-09, B3-10: what other programs take for dots, escapes or variables."""
        for name in ("A.B.C.", "a\\\\b", "x._tcp.local", "Ünï 🎮 spiel", "%h", "$HOME", "a;b",
                     "../x", "n" * 57, "é" * 31):
            with self.subTest(name=name):
                host, _ = self.host("--name", name)
                self.assertEqual(host.said("hosting")[0]["name"], name)

                def listed():
                    code, output, _, _ = self.run_ttt("list", "--json")
                    return [json.loads(line) for line in output.splitlines()] if not code else []
                games = harness.until(listed, 10, "a game")
                self.assertEqual([game["name"] for game in games if game["event"] == "found"],
                                 [name])
                host.tell("quit")
                host.exit()


class Strangers(OnLoopback):
    """On the machine's own loopback, so that the test can connect to it."""

    @classmethod
    def setUpClass(cls):
        pass

    def test_thousands_who_go_at_once_leave_nothing(self):
        """B2-08, B5-07: connections that are reset, closed, or bring seven bytes of nothing."""
        host, port = self.host("--hidden", "--bind", "127.0.0.1")
        idle = host.descriptors() + 1
        told = len(host.events)
        memory = None
        for number in range(3_000):
            stranger = socket.create_connection(("127.0.0.1", port), 5, (f"127.0.{number % 9}.9", 0))
            if number % 3 == 0:
                stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif number % 3 == 1:
                stranger.send(b"\x07" * 7)
            stranger.close()
            if number == 600:
                memory = host.memory()
        harness.until(lambda: host.descriptors() <= idle, 8, "descriptors closed")
        self.assertLess(host.memory() - memory, 1024, "KiB more")
        self.assertEqual(host.errors, "", "strangers write no log")
        self.assertEqual(len(host.events), told, host.events)
        guest = self.start("join", f"127.0.0.1:{port}")
        self.begin(host, guest)
