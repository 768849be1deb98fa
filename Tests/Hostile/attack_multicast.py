# SPDX-License-Identifier: MIT
"""Packets to everybody on the network, in the lab's networks only."""
import time

import harness
import lab
import multicast
import test_discovery_faults as faults
from attack_text import INVISIBLE, names
from stage import Attack, TRIES


def memory(pid):
    """Resident memory in KiB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Multicast(Attack, lab.LabCase):
    """The attacker is on h3; h1 and h2 play. Without a daemon, or each with its own."""

    hosts = 3

    def shortDescription(self):
        return f"{super().shortDescription()} ({self.how})"

    def setUp(self):
        super().setUp()
        # A daemon that an attack has ended is started again, as its supervisor would.
        if self.how == "daemon":
            for host in ("h1", "h2"):
                self.lab("start-avahi", host)

    def daemons(self):
        """How many hosts' daemons run."""
        return self.lab("status").count("avahi=") - self.lab("status").count("avahi=off")

    def found_within(self, name, limit=8.0):
        """How long until somebody new finds somebody new and plays, in seconds."""
        began = time.monotonic()
        host = self.start("host", "--accept", "all", "--name", name, place=self.h1)
        while time.monotonic() - began < limit:
            guest = self.start("join", name, place=self.h2)
            try:
                guest.wait("started", within=limit)
                break
            except AssertionError:
                continue
        else:
            return float("inf")
        took = time.monotonic() - began
        for player in (guest, host):
            player.close()
        return took

    def pair(self, name):
        host = self.start("host", "--accept", "all", "--name", name, place=self.h1)
        host.wait("hosting")
        guest = self.start("join", name, place=self.h2)
        return host, guest, *self.begin(host, guest, within=8)

    def test_1_aliases(self):
        """packets that abort avahi-core"""
        links = ended = died = 0
        slowest, daemons = 0, self.daemons()
        for number, (what, packets) in enumerate(multicast.aliases().items()):
            host, guest, x, o = self.pair(f"Calm {number}")
            seeker = self.start("play", "--name", f"Seeker {number}", "--accept", "known",
                                place=self.h2)
            seeker.wait("hosting")
            before = self.responders(host, guest, seeker)
            self.play(x, o, harness.X_WINS[:2])
            for one in packets:
                multicast.send(self.h3, [one])
                self.pass_time(1)
            # The harm is done when the records, which live 4 s, run out.
            self.pass_time(6)
            died += len(before - self.responders(host, guest, seeker))
            self.play(x, o, harness.X_WINS[2:], first_ply=3)
            self.finish(x, o, "X", "line")
            links += sum(len(player.said("link")) for player in (host, guest))
            ended += sum(player.process.poll() is not None for player in (host, guest, seeker))
            for player in (seeker, guest, host):
                player.close()
            slowest = max(slowest, self.found_within(f"Again {number}"))
        count, died = len(multicast.aliases()), died + daemons - self.daemons()
        self.figure(f"of {count} games, interrupted", links, exactly=0)
        self.figure("players that ended", ended, exactly=0)
        self.figure(f"discovery is back ({died} responders had died)", slowest, at_most=5.0,
                    unit="s")

    def pass_time(self, seconds):
        """Waits for what takes so long in the network: no event tells of it."""
        time.sleep(seconds)

    def responders(self, *players):
        return {pid for player in players for name, pid in faults.player_children(player).items()
                if name == "ttt-mdns"}

    def test_2_malformed(self):
        """malformed records"""
        host, guest, x, o = self.pair("Unmoved")
        seeker = self.start("play", "--name", "Seeker", "--accept", "known", place=self.h2)
        seeker.wait("hosting")
        self.play(x, o, harness.X_WINS[:2])
        multicast.send(self.h3, multicast.malformed(4 * min(TRIES, 1000)))
        self.play(x, o, harness.X_WINS[2:], first_ply=3)
        self.finish(x, o, "X", "line")
        self.figure("games interrupted", sum(
            len(player.said("link")) for player in (host, guest)), exactly=0)
        self.figure("players that ended", sum(
            player.process.poll() is not None for player in (host, guest, seeker)), exactly=0)
        wrong = ("No text", "No id", "Short id", "Capitals", "No key", "Version", "Long", "Zeros",
                 "No port")
        self.figure("malformed games listed", sum(
            event["name"] in wrong for event in seeker.said("found")), exactly=0)
        seeker.close()      # It would play with whom it finds.
        self.figure("discovery is there", self.found_within("After all"), at_most=5.0, unit="s")

    def flood(self, address, listed):
        """300 adverts at these addresses; waits until so many of them are listed."""
        seeker = self.start("play", "--name", "Seeker", "--accept", "known", place=self.h2)
        seeker.wait("hosting")
        inner = faults.player_children(seeker)["ttt"]
        before = memory(inner)
        multicast.send(self.h3, [multicast.advert(f"Ghost {number}", number + 1, address(number))
                                 for number in range(300)], pace=0.005)
        harness.until(lambda: len(seeker.said("found")) >= listed, 10, "a crowd of ghosts")
        count = len({event["id"] for event in seeker.said("found")})
        grown = memory(inner) - before
        seeker.close()      # It would play with whom it finds.
        self.figure("a real game is found and played within", self.found_within("Real", 10.0),
                    at_most=8.0, unit="s")
        self.figure("memory", grown, at_most=2048, unit="KiB more")
        return count

    def test_3_flood(self):
        """300 adverts of games that are not there"""
        # An attacker is free to claim any address of the network.
        listed = self.flood(lambda number: f"10.77.0.{40 + number % 200}", 100)
        self.figure("games listed", listed, at_most=256)

    def test_3_flood_of_one(self):
        """300 adverts at one address"""
        listed = self.flood(lambda number: "10.77.0.99", 10)
        self.figure("games listed", listed, at_most=16)

    def test_4_text(self):
        """adverts with escapes, bidi, invisible ones"""
        multicast.send(self.h3, [multicast.advert(name.encode()[:63], 0x1000 + number, lifetime=20)
                                 for number, name in enumerate(names())])
        poison = 0
        for words, allowed in ((("list",), "\n"), (("list", "--json"), "\n")):
            done = self.run_ttt(*words, place=self.h2)
            text = done[1] + done[2]
            poison += len(INVISIBLE.findall(text)) + sum(
                (ord(letter) < 0x20 or letter == "\x7f") and letter not in allowed
                for letter in text)
        self.figure("in lists", poison, exactly=0, unit="characters")

    def test_5_lures(self):
        """adverts that point elsewhere"""
        seeker = self.start("join", "Nobody Else", place=self.h2)
        places = ("8.8.8.8", "127.0.0.1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "1.1.1.1")
        multicast.send(self.h3, [
            multicast.advert(f"Lure {number}", 0x2000 + number, address=place)
            for number, place in enumerate(places)])
        multicast.send(self.h3, [multicast.advert("Near", 0x3000)])
        lister = self.start("list", place=self.h2)
        lister.exit()
        addresses = " ".join(
            address for player in (seeker, lister) for event in player.said("found")
            for address in event["addresses"])
        self.assertIn("10.77.0.99", addresses)
        self.figure("foreign addresses listed", sum(
            f"{place}:" in addresses for place in places), exactly=0)


class OwnResponder(Multicast):
    """Each player's `ttt-mdns` alone."""

    how = "own"

    mode = ("-D",)


class Daemon(Multicast):
    """Each host's `avahi-daemon`."""

    how = "daemon"


del Multicast       # Only the two are attacks.
