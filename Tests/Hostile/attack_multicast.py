# SPDX-License-Identifier: MIT
"""Packets to everybody on the network, in the lab's networks only."""
import time

import harness
import lab
import multicast
import test_discovery_faults as faults
from attack_text import INVISIBLE, Front, names
from stage import Attack, TRIES


def memory(pid):
    """Resident memory in KiB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def most_listed(player):
    """The most games that were listed at once."""
    listed, most = set(), 0
    with player.changed:
        for _, event in player.events:
            if event.get("event") == "found":
                listed.add(event["id"])
            elif event.get("event") == "gone":
                listed.discard(event["id"])
            most = max(most, len(listed))
    return most


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
            # The harm is done when the records run out.
            self.pass_time(multicast.LIFETIME + 2)
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
        def ghosts(lifetime):
            return [multicast.advert(f"Ghost {number} {listed}", listed << 16 | number,
                                     address(number), lifetime=lifetime) for number in range(300)]
        multicast.send(self.h3, ghosts(120), pace=0.005)
        # Caches keep them, and the next attack is to find none: sent at once, some of the goodbyes
        # would get lost.
        self.addCleanup(multicast.send, self.h3, ghosts(0), pace=0.005)
        harness.until(lambda: len(seeker.said("found")) >= listed, 10, "a crowd of ghosts")
        count = most_listed(seeker)
        grown = memory(inner) - before
        seeker.close()      # It would play with whom it finds.
        self.figure("a real game is found and played within", self.found_within("Real", 10.0),
                    at_most=8.0, unit="s")
        self.figure("memory", grown, at_most=4096, unit="KiB more")
        return count

    def test_3_flood_of_one(self):
        """300 adverts at one address"""
        listed = self.flood(lambda number: "10.77.0.99", 10)
        self.figure("games listed", listed, at_most=16)

    def test_4_flood_of_many(self):
        """300 adverts of games that are not there"""
        # An attacker is free to claim any address of the network.
        listed = self.flood(lambda number: f"10.77.0.{40 + number % 200}", 100)
        self.figure("games listed", listed, at_most=256)

    def send_until(self, packets, condition, what):
        """Sends packets again and again: who has just started may not listen yet."""
        def send():
            multicast.send(self.h3, packets)
            return condition()
        harness.until(send, 8, what, step=0.2)

    def test_5_text(self):
        """adverts with escapes, bidi, invisible ones"""
        fronts = [Front(self, form, "join", place=self.h2)
                  for form in ("screen", "plain", "json")]
        adverts = [multicast.advert(name.encode()[:63], 0x1000 + number, lifetime=20)
                   for number, name in enumerate(names())]
        self.send_until(adverts, lambda: all(b"TITLE" in front.output for front in fronts),
                        "adverts on every front")
        listers = [self.start("list", place=self.h2, json=json) for json in (False, True)]
        self.send_until(adverts, lambda: all(lister.events for lister in listers), "lists")
        for front in fronts:
            front.type(b"q")
            front.process.terminate()
            front.ended()
            self.figure(f"seen by a joiner, {front.form}", front.poison(), exactly=0,
                        unit="characters")
        poison = 0
        for lister in listers:
            lister.exit()
            for _, event in lister.events:
                text = event.get("line", "")    # What is JSON is ASCII, or it would not be here.
                poison += len(INVISIBLE.findall(text)) + sum(
                    ord(letter) < 0x20 and letter != "\n" for letter in text)
        self.figure("in lists", poison, exactly=0, unit="characters")

    def test_6_lures(self):
        """adverts that point elsewhere"""
        seeker = self.start("join", "Nobody Else", place=self.h2)
        places = ("8.8.8.8", "127.0.0.1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "1.1.1.1",
                  "10.99.0.1", "192.168.5.1", "169.254.1.1")
        lures = [multicast.advert(f"Lure {number}", 0x2000 + number, address=place)
                 for number, place in enumerate(places)]

        def seen(name):
            return any(event["name"] == name for event in seeker.said("found"))
        # One that is right is seen before and after them, so that they are not just missed.
        self.send_until([multicast.advert("Near", 0x3000)], lambda: seen("Near"), "the first")
        self.send_until([*lures, multicast.advert("Nearer", 0x3001)], lambda: seen("Nearer"),
                        "the last")
        addresses = [address.rpartition(":")[0] for event in seeker.said("found")
                     for address in event["addresses"]]
        self.assertIn("10.77.0.99", addresses)
        # Link-local ones are of every network.
        self.figure("foreign addresses listed",
                    sum(place in addresses for place in places[:-1]), exactly=0)


class OwnResponder(Multicast):
    """Each player's `ttt-mdns` alone."""

    how = "own"

    mode = ("-D",)


class Daemon(Multicast):
    """Each host's `avahi-daemon`."""

    how = "daemon"


del Multicast       # Only the two are attacks.
