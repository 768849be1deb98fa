# SPDX-License-Identifier: MIT
"""Who may play: codes, players known by name, blocked ones, and the number to compare."""
import fcntl
import os
import pty
import re
import select
import socket
import subprocess
import time

import code_peer
import harness
import peer
from test_program import OnLoopback


class OnThisLoopback(OnLoopback):
    """Here on the machine's own loopback, so that the test can connect to it."""

    @classmethod
    def setUpClass(cls):
        pass

    def code_host(self, *args):
        """A host with a code: the player, its port, its code."""
        host = self.start(
            "host", "--code", "--accept", "all", "--hidden", "--bind", "127.0.0.1", *args)
        hosting = host.wait("hosting")
        self.assertRegex(hosting["code"], r"^[0-9]{6}$")
        return host, hosting["port"], hosting["code"]

    def join(self, port, code=None, **options):
        if code is None:
            return self.start("join", f"127.0.0.1:{port}", **options)
        return self.start("join", f"127.0.0.1:{port}", "--code", TTT_CODE=code, **options)

    def refused(self, player, code):
        event = player.wait("refused")
        self.assertEqual(event["code"], code)
        self.assertEqual(player.exit(), 77)
        return event["message"]


def wrong(code):
    return f"{(int(code) + 1) % 1_000_000:06}"


class Codes(OnThisLoopback):
    def test_only_who_knows_the_code_is_let_in(self):
        host, port, code = self.code_host()
        self.assertIn("--code", self.refused(self.join(port), "code"))
        self.refused(self.join(port, wrong(code)), "wrong-code")
        guest = self.start("join", f"127.0.0.1:{port}", "--code")
        guest.write(f" {code[:3]}-{code[3:]}\n")
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS)
        self.finish(x, o, "X", "line")

    def test_three_misses_make_another_code(self):
        host, port, code = self.code_host()
        for _ in range(3):
            self.refused(self.join(port, wrong(code)), "wrong-code")
        self.assertEqual(host.wait("warning")["code"], "new-code")
        other = host.wait("hosting")["code"]
        self.assertNotEqual(other, code)
        self.refused(self.join(port, code), "wrong-code")
        self.begin(host, self.join(port, other))

    def test_of_many_tries_at_once_three_are_counted(self):
        host, port, code = self.code_host()
        guesses, shares = [], []
        for number in range(12):
            # More than four from one address would be refused.
            guesses.append(code_peer.Joiner.dial(port, source=f"127.0.0.{10 + number}"))
            self.addCleanup(guesses[-1].connection.sock.close)
            shares.append(guesses[-1].asked())
        tags = [guess.answer(wrong(code), share) for guess, share in zip(guesses, shares)]
        for guess, tag in zip(guesses, tags):
            self.assertEqual(guess.outcome(tag), 12)
        other = host.wait("hosting")["code"]
        # A fourth that was counted would have been the first miss of the new code.
        for _ in range(2):
            self.refused(self.join(port, wrong(other)), "wrong-code")
        self.assertEqual([event["code"] for event in host.said("hosting")], [code, other])
        self.begin(host, self.join(port, other))

    def test_the_right_code_after_the_third_miss_is_too_late(self):
        host, port, code = self.code_host()
        late = code_peer.Joiner.dial(port)
        self.addCleanup(late.connection.sock.close)
        share = late.asked()
        for _ in range(3):
            self.refused(self.join(port, wrong(code)), "wrong-code")
        self.assertEqual(late.outcome(late.answer(code, share)), 12)
        self.assertNotEqual(host.wait("hosting")["code"], code)

    def test_a_code_that_was_spent_while_somebody_sat_there_is_shown_no_longer(self):
        host, port, code = self.code_host()
        tries = [code_peer.Joiner.dial(port, source=f"127.0.0.{10 + number}")
                 for number in range(5)]
        for guess in tries:
            self.addCleanup(guess.connection.sock.close)
        shares = [guess.asked() for guess in tries]
        self.assertEqual(tries[0].outcome(tries[0].answer(code, shares[0])), 0)
        tries[0].write_frame(peer.NOTE, b"challenge 1 tictactoe 1 - - " + b"0" * 64)
        kind, answer = tries[0].next_frame()
        self.assertEqual((kind, answer.split()[0]), (peer.NOTE, b"accept"))
        for guess, share in zip(tries[1:], shares[1:]):
            self.assertEqual(guess.outcome(guess.answer(wrong(code), share)), 12)
        self.assertEqual(len(host.said("hosting")), 1)
        tries[0].connection.sock.shutdown(socket.SHUT_RDWR)
        self.assertEqual(host.wait("warning")["code"], "new-code")
        other = harness.until(lambda: host.said("hosting")[1:], 3, "another code")[0]["code"]
        self.assertNotEqual(other, code)
        self.begin(host, self.join(port, other))

    def test_an_address_is_not_kept_out_for_tries_that_came_too_late(self):
        host, port, code = self.code_host()
        late = [code_peer.Joiner.dial(port, source="127.0.0.9") for _ in range(3)]
        for guess in late:
            self.addCleanup(guess.connection.sock.close)
        shares = [guess.asked() for guess in late]
        for _ in range(3):
            self.refused(self.join(port, wrong(code)), "wrong-code")
        host.wait("warning")
        for guess, share in zip(late, shares):
            self.assertEqual(guess.outcome(guess.answer(code, share)), 12)
        other = harness.until(lambda: host.said("hosting")[1:], 3, "another code")[0]["code"]
        guest = code_peer.Joiner.dial(port, source="127.0.0.9")
        self.addCleanup(guest.connection.sock.close)
        self.assertEqual(guest.outcome(guest.answer(other, guest.asked())), 0)

    def test_one_join_is_one_guess_for_a_host_that_does_not_know_the_code(self):
        # Closed, refused for want of room, refused as busy.
        for refusal in (None, 9, 3):
            host = code_peer.Host()
            self.addCleanup(host.close)
            joiner = self.join(host.port, "402193")
            session = host.asks("402194")
            self.assertFalse(session.is_known())
            session.end(refusal)
            self.assertIn("ask the host", self.refused(joiner, "wrong-code"))
            # That it did not dial again is known once it has ended.
            self.assertFalse(host.was_dialled())

    def test_a_host_with_another_key_than_the_wanted_one_gets_no_guess(self):
        host = code_peer.Host()
        self.addCleanup(host.close)
        joiner = self.start("join", f"ttt://127.0.0.1:{host.port}?key={'a' * 51}q", "--code",
                            TTT_CODE="402193")
        session = host.asks("402193")
        with self.assertRaises((peer.Closed, OSError)):
            session.is_known()
        self.assertIn("another key", self.refused(joiner, "unknown"))
        home = self.new_home()
        blocked = peer.fingerprint(host.identity.public)
        self.assertEqual(self.run_ttt("peers", "block", blocked, home=home)[0], 0)
        joiner = self.join(host.port, "402193", home=home)
        session = host.asks("402193")
        with self.assertRaises((peer.Closed, OSError)):
            session.is_known()
        self.assertIn("blocked", self.refused(joiner, "unknown"))

    def test_a_peer_written_from_the_document_proves_the_code(self):
        _, port, code = self.code_host()
        guest = code_peer.Joiner.dial(port)
        self.addCleanup(guest.connection.sock.close)
        self.assertEqual(guest.outcome(guest.answer(code, guest.asked())), 0)

    def test_shares_that_are_none_are_misses_and_sizes_that_are_wrong_end_it(self):
        host, port, code = self.code_host()
        for share in (bytes(32), b"\xff" * 32, b"\x2b" * 32):
            guest = code_peer.Joiner.dial(port)
            self.addCleanup(guest.connection.sock.close)
            guest.asked()
            guest.write_frame(code_peer.CODE, share + bytes(64))
            self.assertEqual(guest.outcome(None), 12)
        other = host.wait("hosting")["code"]
        self.assertNotEqual(other, code)
        for body in (bytes(1), bytes(32), bytes(64), bytes(97)):
            guest = code_peer.Joiner.dial(port)
            self.addCleanup(guest.connection.sock.close)
            guest.asked()
            guest.write_frame(code_peer.CODE, body)
            with self.assertRaises(peer.Closed):
                guest.next_frame()
        self.begin(host, self.join(port, other))

    def test_a_host_without_a_code_is_not_taken_by_who_has_one(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1")
        self.assertIsNone(host.said("hosting")[0]["code"])
        self.assertIn("did not ask", self.refused(self.join(port, "402193"), "code"))

    def test_the_code_is_asked_for_at_a_terminal(self):
        host, port, code = self.code_host()
        main, other = pty.openpty()
        self.addCleanup(os.close, main)
        process = subprocess.Popen(
            [harness.TTT, "join", f"127.0.0.1:{port}", "--code", "--plain"], stdin=other,
            stdout=other, stderr=other, cwd="/",
            env={"HOME": self.new_home(), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                 "TERM": "dumb"})
        os.close(other)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        output = b""

        def until(text):
            nonlocal output
            deadline = time.monotonic() + 5
            while text not in output:
                if not select.select([main], [], [], max(0, deadline - time.monotonic()))[0]:
                    self.fail(f"no {text} in {output}")
                output += os.read(main, 4096)
        until(b"The code that the host's screen shows: ")
        os.write(main, b"40219\n")
        until(b"six digits")
        os.write(main, f"{code[:3]} {code[3:]}\n".encode())
        until(b"Game 1 begins")
        host.wait("started")

    def test_each_mistyped_code_is_said_to_be_one_once(self):
        main, other = pty.openpty()
        self.addCleanup(os.close, main)
        self.addCleanup(os.close, other)
        os.write(main, b"1\n2\n3\n")
        done = subprocess.run(
            [harness.TTT, "join", "127.0.0.1:4", "--code", "--plain"], stdin=other,
            capture_output=True, text=True, timeout=5, cwd="/",
            env={"HOME": self.new_home(), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
        self.assertEqual(done.returncode, 64)
        self.assertEqual(done.stderr.count("six digits"), 3, done.stderr)

    def test_the_code_is_on_no_command_line(self):
        for words in (("host", "--code=402193"), ("join", "--code", "402193"),
                      ("join", "127.0.0.1", "--code", "402 193")):
            code, out, err, _ = self.run_ttt(*words)
            self.assertEqual((code, out), (64, ""))
            self.one_sentence(err.replace(". Type", ", type"))
            self.assertNotIn("402193", err)
        for text in ("", "4021", "40219a\n"):
            code, _, err, _ = self.run_ttt("join", "127.0.0.1", "--code", text=text)
            self.assertEqual(code, 64, err)


class PlayWithACode(OnLoopback):
    def test_one_opens_a_game_and_the_other_types_its_code(self):
        one = self.start("play", "--code")
        code = one.wait("hosting")["code"]
        other = self.start("play", "--code", TTT_CODE=code)
        self.begin(one, other, within=8)
        for player in (one, other):
            self.assertNotIn(code, player.errors)
        listed = self.run_ttt("list", "--json")
        self.assertNotIn(code, listed[1])

    def test_no_child_gets_the_code(self):
        guest = self.start("join", "Nobody", "--code", TTT_CODE="402193")
        pid = harness.until(lambda: guest.children().get("ttt-mdns"), 3, "a responder")
        with open(f"/proc/{pid}/environ", "rb") as environment:
            self.assertNotIn(b"402193", environment.read())


class Peers(OnThisLoopback):
    def peers(self, home, *words):
        code, out, err, _ = self.run_ttt("peers", *words, home=home)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_first_contact_is_marked_and_both_can_compare(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1")
        guest = self.join(port)
        starts = [player.wait("started") for player in (host, guest)]
        self.assertEqual([start["known"] for start in starts], [False, False])
        self.assertRegex(starts[0]["compare"], r"^[01][0-9]{6}$")
        self.assertEqual(starts[0]["compare"], starts[1]["compare"])
        host.tell("resign")
        guest.wait("over")
        guest.tell("quit")
        guest.exit(), host.exit()
        host, port = self.host("--hidden", "--bind", "127.0.0.1", home=host.home)
        guest = self.join(port, home=guest.home)
        starts = [player.wait("started") for player in (host, guest)]
        self.assertEqual([start["known"] for start in starts], [True, True])

    def test_a_player_is_listed_named_blocked_and_forgotten(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1", accept="known")
        stranger = self.start("join", f"127.0.0.1:{port}", "--name", "Ann")
        self.refused(stranger, "unknown")
        key = re.search(
            r"fingerprint +(\w{52})", self.run_ttt("id", home=stranger.home)[1]).group(1)
        home = host.home
        self.assertEqual(self.run_ttt("peers", home=home)[1], "")
        self.peers(home, "name", key, "My sister")
        self.assertIn(key, self.peers(home))
        self.assertIn('"petname":"My sister"', self.peers(home, "--json"))
        # The host that runs takes notice.
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Ann", home=stranger.home)
        self.assertEqual(host.wait("started")["opponent"], "My sister")
        host.tell("resign")
        guest.wait("over")
        host.tell("quit")
        host.exit(), guest.exit()
        self.peers(home, "block", key[:6].upper())
        self.assertRegex(self.peers(home), "Ann .*My sister.*blocked")
        host, port = self.host("--hidden", "--bind", "127.0.0.1", home=home)
        guest = self.start("join", f"127.0.0.1:{port}", home=stranger.home)
        self.refused(guest, "declined")
        self.peers(home, "forget", key[:6])
        self.assertEqual(self.run_ttt("peers", home=home)[1], "")
        self.begin(host, self.start("join", f"127.0.0.1:{port}", home=stranger.home))

    def test_a_player_who_is_blocked_is_not_joined_either(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1")
        home = self.new_home()
        self.peers(home, "block", host.said("hosting")[0]["key"])
        self.refused(self.join(port, home=home), "unknown")

    def test_who_holds_the_list_of_players_holds_up_no_game(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1")
        path = os.path.join(host.home, ".config/ttt/known_peers.lock")
        with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            code, out, err, _ = self.run_ttt("peers", "block", "a" * 52, home=host.home)
            self.assertEqual((code, out), (75, ""))
            self.one_sentence(err)
            guest = self.join(port)
            for player in (host, guest):
                player.wait("started")
            host.tell("say", text="here")
            guest.wait("said")
            self.assertIn("known_peers; try again", host.wait("error", code="disk")["message"])
            self.assertEqual(self.run_ttt("peers", home=host.home)[1], "")
            host.tell("quit")
            host.exit()
            guest.tell("quit")
            guest.exit()
        host, port = self.host("--hidden", "--bind", "127.0.0.1", home=host.home)
        with open(path, "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            guest = self.join(port)
            host.wait("started"), guest.wait("started")
            host.tell("say", text="here")
            guest.wait("said")
        harness.until(lambda: self.run_ttt("peers", home=host.home)[1], 3, "a player met")

    def test_what_was_done_is_said_and_can_be_taken_back(self):
        home, key = self.new_home(), "a" * 52
        for words, said in ((("name", key, "Zoe"), "is called Zoe here"),
                            (("block", "aaaa"), "Zoe (aaaa) is blocked"),
                            (("unblock", "aaaa"), "Zoe (aaaa) is not blocked"),
                            (("name", "aaaa", ""), "own name again")):
            code, out, err, _ = self.run_ttt("peers", *words, home=home)
            self.assertEqual((code, err), (0, ""))
            self.one_sentence(out)
            self.assertIn(said, out)
        # Nothing is left to be kept of somebody who was never met.
        self.assertIn("Nobody is on the list", self.run_ttt("peers", home=home)[2])
        self.peers(home, "block", key)
        self.assertIn("is forgotten", self.peers(home, "forget", "aaaa"))
        self.assertIn("Nobody is on the list", self.run_ttt("peers", home=home)[2])

    def test_what_cannot_be_done_is_one_sentence(self):
        home = self.new_home()
        for words in (("dance",), ("name",), ("name", "abcd"), ("block", "abcd"),
                      ("forget", "a" * 52), ("unblock", "a" * 52), ("name", "a" * 52, ""), ("block", "a" * 52, "x"),
                      ("name", "a" * 52, "x" * 64), ("forget", "")):
            code, out, err, _ = self.run_ttt("peers", *words, home=home)
            self.assertEqual((code, out), (64, ""), words)
            self.one_sentence(err)

    def test_a_known_name_under_another_key_is_a_warning_on_every_front(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1")
        first = self.start("join", f"127.0.0.1:{port}", "--name", "Ann")
        host.wait("started")
        self.assertEqual(host.warnings(), [])
        host.tell("resign")
        first.wait("over")
        first.tell("quit")
        host.exit(), first.exit()
        host, port = self.host("--hidden", "--bind", "127.0.0.1", accept=None, home=host.home)
        other = self.start("join", f"127.0.0.1:{port}", "--name", "ANN")
        host.wait("challenged")
        warning, = host.warnings()
        self.assertEqual(warning["code"], "other-key")
        # It is told before the question.
        names = [event["event"] for _, event in host.events]
        self.assertLess(names.index("warning"), names.index("challenged"))
        host.tell("decline")
        self.refused(other, "declined")
