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
        self.next_ply = 3

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

    def turn_again(self, *players):
        """A process that came back is told whose turn it is; who stayed knows that."""
        for player in players:
            turn = player.wait("turn", within=5)
            self.assertEqual(turn["ply"], self.next_ply)

    def one_move(self, turn_told=()):
        """Plays the next move, strictly in order."""
        ply, square = self.next_ply, harness.X_WINS[self.next_ply - 1]
        mover, waiter = (self.x, self.o) if ply % 2 else (self.o, self.x)
        for player, you in ((mover, True), (waiter, False)):
            if player not in turn_told:
                self.assertEqual(player.next(), {"event": "turn", "you": you, "ply": ply})
        mover.tell("move", square=square)
        seen, told = mover.next(within=10), waiter.next(within=10)
        self.assertEqual(seen, told, self.transcript())
        self.assertEqual((seen["event"], seen["ply"], seen["square"]), ("move", ply, square))
        self.next_ply += 1

    def play_out(self, turn_told=()):
        """Plays the rest; the match must be whole, and the same, on both sides."""
        self.one_move(turn_told)
        self.play(self.x, self.o, harness.X_WINS[self.next_ply - 1:], first_ply=self.next_ply)
        self.finish(self.x, self.o, "X", "line")
        paths = []
        for player in (self.host, self.guest):
            directory = os.path.join(player.home, ".local/state/ttt/games")
            paths += [os.path.join(directory, name) for name in os.listdir(directory)
                      if name[-2] == "."]

        def finished():
            code, output, _, _ = self.run_ttt("verify", *paths)
            return code == 0 and "The record is finished." in output
        harness.until(finished, 5, "a record that both have signed", step=0.2)

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
        self.x.next(), self.o.next()
        self.x.tell("move", square=harness.X_WINS[2])
        harness.until(lambda: time.monotonic() > began + seconds, seconds + 1, "the time", 0.1)
        self.lab("heal")
        took = self.restored(time.monotonic(), self.x, self.o)
        seen, told = self.x.next(), self.o.next()
        self.assertEqual((seen["event"], seen["ply"], seen["square"]), ("move", 3, 2))
        self.assertEqual(seen, told)
        self.next_ply = 4
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
        for host in ("h1", "h2"):
            self.lab("unplug", host)
            self.lost(self.x, self.o)
            self.lab("plug", host)
            self.restored(time.monotonic(), self.x, self.o)
            self.one_move()
        self.play(self.x, self.o, harness.X_WINS[4:], first_ply=5)
        self.finish(self.x, self.o, "X", "line")

    def test_two_of_five_packets_are_lost(self):
        self.lab("netem", "h2", "loss 40%")
        began = time.monotonic()
        for player in (self.x, self.o):
            player.next()
        for ply, square in enumerate(harness.X_WINS[2:], 3):
            mover, waiter = (self.x, self.o) if ply % 2 else (self.o, self.x)
            mover.tell("move", square=square)
            for player in (mover, waiter):
                event = player.next(within=90)
                self.assertEqual((event["event"], event.get("ply")), ("move", ply))
                event = player.next(within=90)
                self.assertEqual(event["event"], "turn" if ply < 5 else "over")
        print(f"[{time.monotonic() - began:.0f} s] ", end="", flush=True)

    def test_a_process_that_stands_still(self):
        pid = self.process(self.guest)
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        try:
            harness.until(lambda: time.monotonic() > began + STILL, STILL + 1, "the time", 0.1)
        finally:
            os.kill(pid, signal.SIGCONT)
        woken = time.monotonic()
        if self.host.said("link"):
            harness.until(
                lambda: all(p.said("link") and p.said("link")[-1]["state"] == "restored"
                            for p in (self.host, self.guest)), 3, "the link restored")
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
        self.lost(self.x, self.o)
        self.restored(moved, self.x, self.o, within=30)
        self.play_out()

    def test_the_guest_gets_another_address(self):
        old = self.h2.ipv4
        self.h2.run("ip", "addr", "add", "10.77.0.200/24", "dev", "eth0")
        self.h2.run("ip", "addr", "del", f"{old}/24", "dev", "eth0")
        moved = time.monotonic()
        self.addCleanup(self.h2.run, "ip", "addr", "add", f"{old}/24", "brd", "+", "dev", "eth0")
        self.addCleanup(self.h2.run, "ip", "addr", "flush", "dev", "eth0", "scope", "global")
        self.lost(self.x, self.o)
        self.restored(moved, self.x, self.o, within=20)
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
        new.cursor = 0
        self.turn_again(new)
        self.play_out(turn_told=[new])

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
        for player in new:
            player.cursor = 0
        self.turn_again(*new)
        self.play_out(turn_told=new)
