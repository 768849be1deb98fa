# SPDX-License-Identifier: MIT
"""Links, hosts and processes fail and come back; the match goes on."""
import os
import signal
import time

import harness
from lab import LabCase

SHORT = os.environ.get("TTT_LONG") != "1"
# How long a process stands still.
STILL = 20 if SHORT else 60


class Broken(LabCase):
    """Two players in the middle of a match, on two hosts."""

    # How often the link breaks in a test.
    breaks = 1

    def setUp(self):
        super().setUp()
        self.addCleanup(self.lab, "heal")
        host = self.start("host", "--accept", "all", "--name", "Ann", place=self.h1)
        port = host.wait("hosting")["port"]
        guest = self.start("join", f"{self.h1.ipv4}:{port}", "--name", "Bob", place=self.h2)
        self.host, self.guest = host, guest
        self.x, self.o = self.begin(host, guest)
        self.play(self.x, self.o, harness.X_WINS[:2])
        self.match = host.said("started")[0]["match"]
        self.ply = 3
        self.turn(host, guest)

    def turn(self, *players):
        """Each is told whose turn it is. Between moves that has been told already, so that what
        is told of links can be waited for without passing over anything else."""
        for player in players:
            you = player is (self.x if self.ply % 2 else self.o)
            self.assertEqual(player.next(), {"event": "turn", "you": you, "ply": self.ply})

    def mover(self):
        return self.x if self.ply % 2 else self.o

    def one_move(self, within=5.0, told=False):
        """The next move, strictly in order, and what follows it."""
        square = harness.X_WINS[self.ply - 1]
        if not told:
            self.mover().tell("move", square=square)
        for player in (self.x, self.o):
            move = player.next(within)
            self.assertEqual((move["event"], move["ply"], move["square"]),
                             ("move", self.ply, square), self.transcript())
        self.ply += 1
        if self.ply <= len(harness.X_WINS):
            self.turn(self.x, self.o)

    def lost(self, *players, within=15):
        for player in players:
            player.wait("link", state="lost", within=within)

    def restored(self, since, *players, within=3.0):
        """All are together again; how long it took."""
        moments = []
        for player in players:
            event = player.wait("link", state="restored", within=within, since=since)
            moments.append(player.moment(event))
        took = max(moments) - since
        print(f"[{took:.2f} s] ", end="", flush=True)
        return took

    def again(self, player, place):
        """A new process of this player in place of the one that is gone."""
        new = self.start("resume", self.match, place=place, home=player.home)
        started = new.wait("started", resumed=True)
        self.assertEqual(started["match"], self.match)
        for name in ("host", "guest", "x", "o"):
            if getattr(self, name) is player:
                setattr(self, name, new)
        return new

    def caught_up(self, *players):
        """A process that came back is told how the match stands: perhaps its last move once more,
        as only the other side knew that both had it, and whose turn it is."""
        for player in players:
            player.cursor = 0
            player.wait("started")
            event = player.next()
            while event["event"] != "turn" or event["ply"] < self.ply:
                self.assertIn(event.get("ply"), (self.ply - 1, self.ply), self.transcript())
                event = player.next()
            self.assertEqual((event["you"], event["ply"]), (player is self.mover(), self.ply))

    def play_out(self, within=5.0):
        """Plays the rest; the match must be whole, and the same, on both sides."""
        while self.ply <= len(harness.X_WINS):
            self.one_move(within)
        self.finish(self.x, self.o, "X", "line")
        for player in (self.host, self.guest):
            states = [event["state"] for event in player.said("link")]
            # Each loss is told once, and so is each return.
            self.assertEqual(states.count("lost") + (player.said("started")[0]["resumed"]),
                             states.count("restored"), self.transcript())
            self.assertLessEqual(states.count("restored"), self.breaks, self.transcript())
        paths = []
        for player in (self.host, self.guest):
            directory = os.path.join(player.home, ".local/state/ttt/games")
            paths += [os.path.join(directory, name) for name in os.listdir(directory)
                      if name[-2] == "."]

        def finished():
            code, output, _, _ = self.run_ttt("verify", *paths)
            return code == 0 and "The record is finished." in output
        harness.until(finished, 5, "a record that both have signed", step=0.2)

    def process_dies(self, player):
        os.kill(self.process(player), signal.SIGKILL)
        player.exit()

    def process(self, player):
        """The number of the real process behind the one that entered the host."""
        waiting = [player.process.pid]
        while waiting:
            pid = waiting.pop()
            with open(f"/proc/{pid}/comm") as name:
                if name.read().strip() == "ttt":
                    return pid
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as children:
                    waiting += map(int, children.read().split())
        raise AssertionError(f"{player.name} has no process")


class Links(Broken):
    def partitioned(self, seconds):
        began = time.monotonic()
        self.lab("partition", "h1")
        self.lost(self.x, self.o)
        # A move made meanwhile is kept, and goes out when there is somebody to take it.
        self.x.tell("move", square=harness.X_WINS[2])
        harness.until(lambda: time.monotonic() > began + seconds, seconds + 1, "the time", 0.1)
        self.lab("heal")
        took = self.restored(time.monotonic(), self.x, self.o)
        self.one_move(told=True)
        self.play_out()
        return took

    def test_a_partition_of_half_a_minute(self):
        self.partitioned(30)

    def test_a_partition_without_any_discovery(self):
        for host in ("h1", "h2"):
            self.lab("stop-avahi", host)
            self.lab("stop-dbus", host)
            self.addCleanup(self.lab, "start-avahi", host)
            self.addCleanup(self.lab, "start-dbus", host)
        self.partitioned(12)

    def test_a_cable_that_is_pulled_and_put_back(self):
        self.breaks = 2
        for host in ("h1", "h2"):
            self.lab("unplug", host)
            self.lost(self.x, self.o)
            self.lab("plug", host)
            self.restored(time.monotonic(), self.x, self.o)
            self.one_move()
        self.play_out()

    def test_two_of_five_packets_are_lost(self):
        self.lab("netem", "h2", "loss 40%")
        self.breaks = 100
        self.one_move(within=90)
        # Also a new process gets through.
        self.process_dies(self.guest)
        new = self.again(self.guest, self.h2)
        self.restored(time.monotonic(), new, self.host, within=60)
        self.caught_up(new)
        self.play_out(within=90)

    def test_a_process_that_stands_still(self):
        pid = self.process(self.guest)
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        try:
            harness.until(lambda: time.monotonic() > began + STILL, STILL + 1, "the time", 0.1)
        finally:
            os.kill(pid, signal.SIGCONT)
        woken = time.monotonic()
        states = [event["state"] for event in self.host.said("link")]
        # First there is silence, and that is said; then the link is lost.
        self.assertEqual(states, ["silent"] if STILL < 25 else ["silent", "lost", "trying"])
        self.assertGreaterEqual(self.host.said("link")[0]["silence"], 17_000)
        back = "heard" if STILL < 25 else "restored"
        harness.until(lambda: self.host.said("link")[-1]["state"] == back, 3, back)
        self.play_out()
        self.assertLess(time.monotonic() - woken, 5)

    def test_the_guest_moves_to_another_network(self):
        self.lab("nic", "h1", "1")
        self.lab("nic", "h2", "1")
        # The host learns its new address from the system when it needs it; the guest's first
        # network goes away.
        self.h2.run("ip", "link", "set", "eth0", "down")
        self.addCleanup(self.h2.run, "ip", "link", "set", "eth0", "up")
        moved = time.monotonic()
        self.lost(self.guest)
        self.restored(moved, self.guest, within=3)
        self.play_out()

    def lose_address(self, new=()):
        """The guest's address goes, and there may be a new one."""
        old = self.h2.ipv4
        self.addCleanup(self.h2.run, "ip", "addr", "add", f"{old}/24", "brd", "+", "dev", "eth0")
        self.addCleanup(self.h2.run, "ip", "addr", "flush", "dev", "eth0", "scope", "global")
        self.h2.run("ip", "addr", "del", f"{old}/24", "dev", "eth0")
        for address in new:
            self.h2.run("ip", "addr", "add", f"{address}/24", "dev", "eth0")
        moved = time.monotonic()
        self.lost(self.guest)
        return moved

    def test_the_guest_gets_another_address(self):
        moved = self.lose_address(["10.77.0.200"])
        self.restored(moved, self.guest, within=3)
        self.play_out()

    def test_the_guest_keeps_nothing_but_ipv6(self):
        """What is left is to be found by discovery, on the one address that needs no server."""
        moved = self.lose_address()
        self.restored(moved, self.guest, within=10)
        self.play_out()


class Hosts(Broken):
    def power_cycle(self, name, player, place):
        self.lab("poweroff", name)
        stayed = self.guest if player is self.host else self.host
        self.lost(stayed)
        self.lab("boot", name)
        booted = time.monotonic()
        new = self.again(player, place)
        self.restored(booted, new, stayed)
        self.caught_up(new)
        self.play_out()

    def test_the_power_of_the_host_fails(self):
        self.power_cycle("h1", self.host, self.h1)

    def test_the_power_of_the_guest_fails(self):
        self.power_cycle("h2", self.guest, self.h2)

    def test_the_power_of_both_fails(self):
        for name in ("h1", "h2"):
            self.lab("poweroff", name)
        for name in ("h2", "h1"):
            self.lab("boot", name)
        booted = time.monotonic()
        new = [self.again(self.guest, self.h2), self.again(self.host, self.h1)]
        self.restored(booted, *new)
        self.caught_up(*new)
        self.play_out()
