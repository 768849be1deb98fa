# SPDX-License-Identifier: MIT
"""What two real players do with journals that are open, old, damaged, copied or another's."""
import glob
import hashlib
import os
import re
import shutil
import socket
import struct
import tempfile
from unittest import mock

import harness
import peer
from arena import Space
from harness import PlayerCase


def guarded(text):
    """A line with its check word."""
    return f"{text} ~{hashlib.sha256(text.encode()).hexdigest()[:8]}"


class Impostor(peer.Session):
    """Says the hello of somebody who goes on with a match."""

    def __init__(self, connection, match, seat):
        super().__init__(connection, "Impostor")
        self.token = bytes.fromhex(match)
        self.seat = seat

    def fields(self, **changes):
        pairs = peer.decode_fields(super().fields(**changes))
        pairs[0x0A] = struct.pack(">HBHHH", 4242, self.seat, 0, 1, 1)
        return peer.encode_fields(*sorted(pairs.items()))


class Kept(PlayerCase):
    """Two players in a match of which two moves are played."""

    @classmethod
    def setUpClass(cls):
        cls.place = Space()
        cls.addClassCleanup(cls.place.close)

    def setUp(self):
        super().setUp()
        host = self.start("host", "--hidden", "--accept", "all", "--name", "Ann")
        port = host.wait("hosting")["port"]
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Bob")
        self.host, self.guest = host, guest
        self.x, self.o = self.begin(host, guest)
        self.match = self.x.said("started")[0]["match"]
        self.play(self.x, self.o, harness.X_WINS[:2])

    def journal(self, player):
        """The path of a player's journal."""
        directory = os.path.join(player.home, ".local/state/ttt/games")
        found = [name for name in os.listdir(directory)
                 if re.fullmatch(re.escape(self.match) + r"\.[12]", name)]
        self.assertEqual(len(found), 1, found)
        return os.path.join(directory, found[0])

    def stop(self, *players):
        """Ends processes without a word."""
        for player in players:
            player.process.kill()
            player.process.wait()

    def resume(self, player, **options):
        """A new process of the same player."""
        again = self.start("resume", self.match, "--hidden", home=player.home, **options)
        started = again.wait("started", resumed=True)
        self.assertEqual(started["match"], self.match)
        return again

    def go_on(self, x, o, first_ply):
        """Plays to the end from this ply, and checks that the journals prove it."""
        for player in (x, o):
            player.cursor = 0
            player.wait("turn", ply=first_ply, within=10)
            player.cursor -= 1
        self.play(x, o, harness.X_WINS[first_ply - 1:], first_ply=first_ply)
        self.finish(x, o, "X", "line")
        harness.until(lambda: self.ends(x) == self.ends(o) == 2, 5, "both ends on both disks")
        self.leave(x, o)
        self.verify(self.journal(x), self.journal(o))

    def ends(self, player):
        with open(self.journal(player)) as file:
            return sum(" end 1 " in line for line in file)

    def entries(self, player):
        with open(self.journal(player)) as file:
            return sorted(line for line in file if line[:2] in ("1 ", "2 "))

    def verify(self, *paths):
        """No entry was signed twice in any of these, and what each says is right."""
        for one in paths:
            for other in paths:
                code, output, errors, _ = self.run_ttt("verify", one, other)
                self.assertEqual(code, 0, output + errors)
        self.assertIn("The record is finished.", output)

    def restored(self, *players):
        for player in players:
            player.wait("link", state="restored", within=10)


class Journals(Kept):
    def test_a_second_process_on_one_match_is_turned_away(self):
        before = self.entries(self.x)
        code, output, errors, _ = self.run_ttt("resume", self.match, "--json", home=self.x.home)
        self.assertEqual(code, 75, output + errors)
        self.one_sentence(errors)
        self.assertIn("open in another process", errors)
        self.assertEqual(self.entries(self.x), before)
        self.play(self.x, self.o, harness.X_WINS[2:], first_ply=3)
        self.finish(self.x, self.o, "X", "line")

    def test_another_version_of_the_format_is_named_and_left_alone(self):
        self.stop(self.x, self.o)
        path = self.journal(self.x)
        with open(path) as file:
            first, rest = file.read().split("\n", 1)
        for version in (0, 2, 77):
            with self.subTest(version=version):
                words = first.split(" ~")[0].split()
                words[1] = str(version)
                text = guarded(" ".join(words)) + "\n" + rest
                with open(path, "w") as file:
                    file.write(text)
                code, output, errors, _ = self.run_ttt(
                    "resume", self.match, "--json", home=self.x.home)
                self.assertEqual(code, 74, output + errors)
                said = output + errors
                self.assertRegex(said, rf"version {version}\b")
                self.assertRegex(said, r"\b1\b")
                with open(path) as file:
                    self.assertEqual(file.read(), text)
                self.assertEqual(
                    [name for name in os.listdir(os.path.dirname(path)) if "damaged" in name], [])

    def test_a_damaged_journal_is_put_aside_and_filled_up_by_the_other_side(self):
        for number in (3, 4, 1):
            with self.subTest(line=number):
                self.stop(self.x, self.o)
                path, whole = self.journal(self.x), self.entries(self.x)
                with open(path, "rb") as file:
                    lines = file.read().split(b"\n")
                entries = [i for i, line in enumerate(lines) if line[:2] in (b"1 ", b"2 ")]
                index = entries[number - 1]
                lines[index] = lines[index][:-9] + bytes([lines[index][-9] ^ 1]) + lines[index][-8:]
                damaged = b"\n".join(lines)
                with open(path, "wb") as file:
                    file.write(damaged)
                x = self.start("resume", self.match, "--hidden", home=self.x.home)
                self.assertIn("damaged", x.wait("error", code="damaged")["message"])
                self.o = self.resume(self.o)
                self.restored(x, self.o)
                harness.until(lambda: self.entries(x) == whole, 5, "what was lost")
                aside = sorted(n for n in os.listdir(os.path.dirname(path)) if "damaged" in n)
                with open(os.path.join(os.path.dirname(path), aside[-1]), "rb") as file:
                    self.assertEqual(file.read(), damaged)
                self.x = x
        self.go_on(self.x, self.o, 3)

    def test_an_older_journal_is_filled_up_by_the_other_side(self):
        path = self.journal(self.x)
        old = shutil.copy(path, os.path.join(self.directory, "old"))
        self.play(self.x, self.o, harness.X_WINS[2:4], first_ply=3)
        whole = self.entries(self.x)
        self.stop(self.x)
        shutil.copy(old, path)
        x = self.resume(self.x)
        # What it would move by what it knows is not what it signed at the time. Once it knows
        # better, the square is taken.
        x.tell("move", square=harness.X_WINS[3])
        self.restored(x, self.o)
        harness.until(lambda: self.entries(x) >= whole, 5, "what was lost")
        harness.until(lambda: len(self.entries(x)) == len(self.entries(self.o)), 5, "rest")
        moves = [line for line in self.entries(x) if " move 1 3 " in line]
        self.assertEqual(len(moves), 1, moves)
        self.assertTrue(" move 1 3 2 " in moves[0], moves)
        self.go_on(x, self.o, 5)

    def test_one_key_on_two_machines_signs_nothing_twice(self):
        # The guest's, who knows from its journal where the host is.
        first, copy = self.guest, os.path.join(self.directory, "copy")
        shutil.copytree(first.home, copy)
        self.play(self.x, self.o, harness.X_WINS[2:4], first_ply=3)
        second = self.start("resume", self.match, "--hidden", home=copy)
        second.wait("started", resumed=True)
        second.tell("move", square=harness.X_WINS[3])
        second.wait("link", state="restored", within=10)
        # The other process is told that the match goes on without it.
        self.assertEqual(first.exit(within=10), 75)
        self.one_sentence(first.said("error")[-1]["message"])
        harness.until(lambda: self.entries(second) == self.entries(self.host), 5, "one match")
        self.go_on(*((second if player is first else player) for player in (self.x, self.o)), 5)
        code, output, errors, _ = self.run_ttt(
            "verify", self.journal(first), self.journal(second))
        self.assertEqual(code, 0, output + errors)

    def test_a_peer_with_another_key_is_refused(self):
        seat = int(self.journal(self.o)[-1])
        self.stop(self.o)
        self.x.wait("link", state="trying", within=10)
        with open(self.journal(self.x)) as file:
            links = [line.split() for line in file if line.startswith("link ")]
        sock = self.place.socket()
        sock.setblocking(True)
        sock.settimeout(5)
        sock.connect(("127.0.0.1", int(links[-1][1])))
        impostor = Impostor(peer.Connection(sock, peer.Identity(), True), self.match, seat)
        kind, fields = impostor.say_hello()
        self.assertEqual(kind, peer.REFUSE)
        self.assertIn("key", fields[2].decode())
        o = self.resume(self.o)
        self.restored(self.x, o)
        self.go_on(self.x, o, 3)

    def test_a_journal_of_another_key_is_left_alone(self):
        self.stop(self.x, self.o)
        path = self.journal(self.x)
        with open(path) as file:
            text = file.read()
        os.remove(os.path.join(self.x.home, ".config/ttt/identity"))
        code, output, errors, _ = self.run_ttt("resume", self.match, home=self.x.home)
        self.assertEqual(code, 74, output + errors)
        self.assertIn("another key", output + errors)
        self.assertIn("moved to another machine", output + errors)
        with open(path) as file:
            self.assertEqual(file.read(), text)


class Alone(Kept):
    """Nothing is advertised, so all that is known of the other side is in the journal."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        directory = tempfile.mkdtemp(prefix="ttt-test-")
        cls.addClassCleanup(shutil.rmtree, directory, True)
        # Without `ttt-mdns` beside it.
        program = shutil.copy(harness.TTT, directory)
        patch = mock.patch.object(harness, "TTT", program)
        patch.start()
        cls.addClassCleanup(patch.stop)

    def port_of(self, player):
        """Where a player listens, by its journal."""
        with open(self.journal(player)) as file:
            return [int(line.split()[1]) for line in file if line.startswith("link ")][-1]

    def taken(self, port):
        """Takes a port, and answers nobody there."""
        sock = self.place.socket()
        self.addCleanup(sock.close)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        sock.listen(8)

    def test_a_host_that_comes_back_at_another_port_dials_the_guest(self):
        port = self.port_of(self.host)
        self.stop(self.host)
        self.taken(port)
        host = self.resume(self.host)
        self.restored(host, self.guest)
        self.assertNotEqual(self.port_of(self.host), port)
        self.go_on(*((host if player is self.host else player) for player in (self.x, self.o)), 3)

    def test_who_plays_or_waits_for_somebody_lets_nobody_else_in(self):
        self.stop(self.o)
        # The guest's port, too, is for the other player of the match alone.
        ports = [self.port_of(self.host), self.port_of(self.guest)]
        self.x.wait("link", state="trying", within=10)
        x = self.x
        for _ in range(2):
            port = self.port_of(x)
            self.assertIn(port, ports)
            stranger = self.start("join", f"127.0.0.1:{port}", "--name", "Cyd")
            self.assertEqual(stranger.wait("refused")["code"], "busy")
            self.assertEqual(stranger.exit(), 77)
            # The next time it is a process that has taken the match up.
            self.stop(x)
            x = self.resume(self.x)
            x.wait("link", state="trying", within=10)
        self.go_on(x, self.resume(self.o), 3)

    def test_a_match_that_is_kept_and_not_played_is_waited_for(self):
        port = self.port_of(self.host)
        self.stop(self.host)
        other = self.start(
            "host", "--hidden", "--accept", "all", "--port", str(port), home=self.host.home)
        other.wait("hosting")
        self.guest.wait("link", state="trying", within=10)
        self.two_dials()
        self.assertEqual(
            [event["reason"] for event in self.guest.said("link")], ["lost", "", "busy"])
        self.stop(other)
        host = self.resume(self.host)
        self.go_on(*((host if player is self.host else player) for player in (self.x, self.o)), 3)

    def test_a_match_that_the_other_side_has_no_longer_is_said_to_be_so(self):
        port = self.port_of(self.host)
        self.stop(self.host)
        os.remove(self.journal(self.host))
        other = self.start(
            "host", "--hidden", "--accept", "all", "--port", str(port), home=self.host.home)
        other.wait("hosting")
        self.guest.wait("link", state="trying", reason="forgotten", within=10)
        self.assertEqual(other.said("closed"), [])

    def connections(self):
        """How many connections were accepted in this network so far."""
        with open(f"/proc/{self.place.anchor.pid}/net/snmp") as table:
            names, values = (line.split() for line in table if line.startswith("Tcp:"))
        return int(values[names.index("PassiveOpens")])

    def two_dials(self):
        before = self.connections()
        harness.until(lambda: self.connections() >= before + 2, 10, "two dials")

    def unborn(self):
        """Takes from the guest's journal all that the host ever wrote."""
        path = self.journal(self.guest)
        with open(path) as file:
            lines = file.readlines()
        seat = path[-1]
        own = next(line for line in lines if line.startswith(f"{seat} 1 "))
        links = [line for line in lines if line.startswith("link ")]
        with open(path, "w") as file:
            file.writelines([lines[0], own, links[-1]])
        return path

    def listed(self, player):
        return self.run_ttt("games", home=player.home)[1]

    def test_a_match_that_began_for_one_side_only_is_removed_when_the_other_says_so(self):
        port = self.port_of(self.host)
        self.stop(self.host, self.guest)
        path = self.unborn()
        self.assertIn("not begun yet", self.listed(self.guest))
        os.remove(self.journal(self.host))
        other = self.start(
            "host", "--hidden", "--accept", "all", "--port", str(port), home=self.host.home)
        other.wait("hosting")
        guest = self.start("resume", home=self.guest.home)
        self.assertEqual(guest.wait("error")["code"], "gone")
        self.assertEqual(guest.exit(), 69)
        self.assertFalse(os.path.exists(path))
        self.assertNotIn(self.match[:8], self.listed(self.guest))

    def test_a_match_that_began_for_both_is_not_removed_whatever_one_of_them_has_lost(self):
        port = self.port_of(self.host)
        self.stop(self.host, self.guest)
        path = self.unborn()
        # Also while the other player does something else, or somebody else is there.
        guest = self.start("resume", home=self.guest.home)
        guest.wait("link", state="trying", within=10)
        for home in (self.host.home, self.new_home()):
            other = self.start(
                "host", "--hidden", "--accept", "all", "--port", str(port), home=home)
            other.wait("hosting")
            self.two_dials()
            self.stop(other)
        self.assertTrue(os.path.exists(path))
        host = self.resume(self.host)
        self.restored(host, guest)
        harness.until(lambda: self.entries(guest) == self.entries(host), 5, "what was lost")


class Days(Kept):
    def test_a_match_goes_on_three_days_later(self):
        """By the calendar. How a side waits for days is tried with a clock of its own, without
        processes: timers of the kernel are set by the real time alone."""
        libraries = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
        self.assertEqual(len(libraries), 1, "libfaketime is missing")
        self.stop(self.x, self.o)
        later = {"LD_PRELOAD": libraries[0], "FAKETIME": "+3d", "DONT_FAKE_MONOTONIC": "1"}
        # The library moves the times of timers too, so nothing may depend on a second dial: the
        # host listens where it did, and the guest, which knows where, comes later.
        again = {}
        for player in (self.host, self.guest):
            again[player] = self.resume(player, **later)
            again[player].wait("link", state="trying", within=10)
        x, o = again[self.x], again[self.o]
        for player in (x, o):
            with open(f"/proc/{player.process.pid}/maps") as maps:
                self.assertIn(libraries[0], maps.read())
        self.restored(x, o)
        self.go_on(x, o, 3)


class Leaving(Kept):
    """Left, resigned, lost and back are four different texts."""

    def test_what_a_plain_player_reads(self):
        self.stop(self.x, self.o)
        x = self.start("resume", self.match, "--hidden", "--plain", home=self.x.home, json=False)

        def lines():
            return [event["line"].rstrip("\n") for _, event in x.events if "line" in event]

        def reads(count, what):
            harness.until(lambda: len(lines()) > count, 10, what)
            harness.until(lambda: lines()[-1], 1, what)
            return lines()[count:]
        texts = {}
        o = self.resume(self.o)
        o.wait("link", state="restored", within=10)
        harness.until(lambda: "back" in " ".join(lines()).lower(), 5, "back")
        count = len(lines())
        self.stop(o)
        texts["lost"] = reads(count, "lost")
        count = len(lines())
        o = self.resume(o)
        o.wait("link", state="restored", within=10)
        texts["back"] = reads(count, "back")
        count = len(lines())
        o.tell("quit")
        self.assertEqual(o.exit(), 0)
        texts["left"] = reads(count, "left")
        o = self.resume(o)
        o.wait("link", state="restored", within=10)
        harness.until(lambda: lines()[-1] in texts["back"], 5, "back")
        count = len(lines())
        o.tell("resign")
        o.wait("over")
        texts["resigned"] = reads(count, "resigned")
        self.assertEqual(len({text[0] for text in texts.values()}), 4, texts)
        for word, text in texts.items():
            self.assertIn(word, " ".join(text).lower(), texts)
