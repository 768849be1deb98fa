# SPDX-License-Identifier: MIT
"""What people read who play with lines of text."""
import os
import re
import time
import unittest

from harness import LoopbackOnly, PlayerCase


class WithLines(PlayerCase):
    def setUp(self):
        super().setUp()
        # One for each test, for games find each other.
        self.place = LoopbackOnly()
        self.addCleanup(self.place.close)

    def read(self, player, pattern, within=5.0):
        """The next line of a player with --plain that fits the pattern."""
        deadline = time.monotonic() + within
        with player.changed:
            while True:
                while player.cursor < len(player.events):
                    line = player.events[player.cursor][1].get("line", "").rstrip("\n")
                    player.cursor += 1
                    if self.fits(pattern, line):
                        return line
                left = deadline - time.monotonic()
                if left <= 0 or player.ended:
                    break
                player.changed.wait(left)
        self.fail(f"{player.name}: no '{pattern}' within {within} s\n{self.transcript()}")

    @staticmethod
    def fits(pattern, line):
        return re.search(pattern, line) is not None

    @staticmethod
    def lines(player):
        with player.changed:
            return [event.get("line", "").rstrip("\n") for _, event in player.events]


class Asking(WithLines):
    def test_who_is_asked_is_said_and_so_is_a_no(self):
        host = self.start("host", "--name", "Ann")
        host.wait("hosting", discovery="own")
        guest = self.start("join", "--plain", "--name", "Bob", json=False)
        self.read(guest, r"^Asking Ann \(\w{4}\) to play\.\.\.$")
        host.wait("challenged")
        host.tell("decline")
        self.read(guest, r"^Ann \(\w{4}\) does not want to play now\.$")
        time.sleep(1)
        self.assertFalse([line for line in self.lines(guest) if "no longer" in line],
                         self.transcript())

    def test_an_address_is_asked_too(self):
        host = self.start("host", "--hidden", "--name", "Ann")
        port = host.wait("hosting")["port"]
        guest = self.start("join", f"127.0.0.1:{port}", "--plain", json=False)
        self.read(guest, r"^Asking Ann \(\w{4}\) to play\.\.\.$")
        bot = self.start("join", f"127.0.0.1:{port}")
        host.wait("challenged")
        host.tell("accept")
        self.read(guest, r"^Game 1 begins")
        bot.wait("refused", code="busy")

    def test_what_is_typed_is_asked(self):
        hosts = {}
        for name in ("Ann", "Cat"):
            hosts[name] = self.start("host", "--name", name)
            hosts[name].wait("hosting", discovery="own")
        guest = self.start("join", "--plain", "--name", "Bob", json=False)
        asked = self.read(guest, r"^Asking").split()[1]
        other = "Cat" if asked == "Ann" else "Ann"
        hosts[asked].wait("challenged")
        found = next((line for line in self.lines(guest)
                      if line.startswith("Open game") and other in line), None)
        found = found or self.read(guest, rf"^Open game \d+: {other}")
        guest.write(found.split()[2].rstrip(":") + "\n")
        self.read(guest, rf"^Asking {other} ")
        hosts[asked].wait("refused", code="left")
        hosts[other].wait("challenged")
        hosts[other].tell("accept")
        self.read(guest, rf"^Game 1 begins against {other}")
        self.assertFalse([line for line in self.lines(guest) if "no longer" in line],
                         self.transcript())


class Ends(WithLines):
    def test_who_was_told_what_went_wrong_is_told_no_more(self):
        player = self.start("join", "127.0.0.1:4", "--plain", json=False)
        self.assertEqual((player.exit(), len(self.lines(player))), (69, 1), self.transcript())

    def test_another_port_is_no_error(self):
        self.start("host").wait("hosting")
        other = self.start("host")
        self.assertIn("Port 28888 is taken", other.wait("warning", code="port")["message"])
        self.assertEqual(other.said("error"), [])


class Kept(WithLines):
    """Matches that are not finished, and two who do not look for each other in the same way."""

    def left(self, ann, bob):
        """A match of two homes that both have left after a move; its id."""
        host = self.start("host", "--accept", "all", "--hidden", "--name", "Ann", home=ann)
        port = host.wait("hosting")["port"]
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Bob", home=bob)
        x, o = self.begin(host, guest)
        self.play(x, o, (5,))
        for player in (guest, host):
            player.process.kill()
            player.exit()
        return host.said("started")[0]["match"]

    def test_a_match_that_is_not_finished_is_said_at_the_start(self):
        ann = self.new_home()
        self.left(ann, self.new_home())
        for command in ("play", "host", "join"):
            with self.subTest(command=command):
                player = self.start(command, home=ann)
                warning = player.wait("warning", code="kept")
                self.assertRegex(
                    warning["message"],
                    r"^A match with Bob \(\w{4}\) is not finished; 'ttt resume' goes on with it\.$")
                player.tell("quit")
                player.exit()
        reader = self.start("host", "--plain", home=ann, json=False)
        self.read(reader, r"^A match with Bob")
        fresh = self.start("host")
        fresh.wait("hosting")
        self.assertNotIn("kept", [event["code"] for event in fresh.warnings()])

    def test_a_match_that_is_being_played_is_no_news(self):
        ann = self.new_home()
        self.left(ann, self.new_home())
        self.start("resume", home=ann).wait("started")
        host = self.start("host", home=ann)
        host.wait("hosting")
        self.assertNotIn("kept", [event["code"] for event in host.warnings()])

    def test_who_waits_in_a_match_that_is_kept_is_told_once(self):
        ann, bob = self.new_home(), self.new_home()
        match = self.left(ann, bob)
        host = self.start("host", "--name", "Ann", home=ann)
        host.wait("hosting", discovery="own")
        resumed = self.start("resume", home=bob)
        resumed.wait("link", reason="busy", within=10)
        message = host.wait("warning", code="waits", within=10)["message"]
        self.assertRegex(message, rf"^Bob \(\w{{4}}\) waits for you in your match {match[:8]};")
        time.sleep(2.5)
        self.assertEqual([event["code"] for event in host.warnings()], ["kept", "waits"])

    def test_one_of_several_matches_is_named(self):
        ann, bob = self.new_home(), self.new_home()
        self.left(ann, self.new_home())
        time.sleep(1.1)
        match = self.left(ann, bob)
        here = self.start("resume", home=ann)
        message = here.wait("warning", code="kept")["message"]
        self.assertRegex(message, rf"match {match[:8]} with Bob \(\w{{4}}\)")
        there = self.start("resume", match[:8], home=bob)
        there.wait("link", state="restored", within=10)
        self.assertEqual(there.warnings(), [])

    def test_many_matches_do_not_make_the_start_slow(self):
        ann = self.new_home()
        self.left(ann, self.new_home())
        games = os.path.join(ann, ".local", "state", "ttt", "games")
        record, = (name for name in os.listdir(games) if not name.endswith(".lock"))
        with open(os.path.join(games, record), "rb") as file:
            content = file.read()
        for number in range(200):
            path = os.path.join(games, f"{number:032x}.1")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)
            os.utime(path, (1, 1))
        host = self.start("host", home=ann)
        host.wait("warning", code="kept")
        self.assertLess(host.moment(host.wait("hosting")) - host.began, 1.5)


class Places(WithLines):
    def test_matches_that_cannot_be_kept_are_said_at_once(self):
        taken = os.path.join(self.directory, "file")
        open(taken, "w").close()
        for state in ("/proc/x", taken):
            for command in ("play", "host", "join", "resume"):
                with self.subTest(state=state, command=command):
                    player = self.start(command, XDG_STATE_HOME=state)
                    self.assertEqual((player.exit(), player.events), (74, []))
                    self.one_sentence(player.errors)
                    self.assertIn(f"{state}/ttt/games", player.errors)
                    self.assertIn("XDG_STATE_HOME", player.errors)


if __name__ == "__main__":
    unittest.main()
