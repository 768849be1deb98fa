# SPDX-License-Identifier: MIT
"""What people read who play with lines of text."""
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


if __name__ == "__main__":
    unittest.main()
