# SPDX-License-Identifier: MIT
"""Whoever carries the bytes between two players, and tampers with them."""
import asyncio
import os
import struct
import time
import unittest

import arena
import cut
from stage import TRIES, Attack

FAULTS = ("doubled", "dropped", "swapped", "replayed", "truncated", "spliced", "changed")
WIDTH = 12
WHOLE = 5           # bytes of a TLS record's header


class Broker(arena.Proxy):
    """Passes TLS records on, and does something to record `cut` of one direction of the first
    connection, once; from then on it is honest."""

    def __init__(self, *arguments, fault):
        super().__init__(*arguments)
        self.fault = fault

    async def _pump(self, source, target, direction, is_first):
        loop = asyncio.get_running_loop()
        if not is_first:
            return await super()._pump(source, target, direction, False)
        buffer, held, before = b"", b"", b""
        while True:
            data = await loop.sock_recv(source, 65536)
            if not data:
                await loop.sock_sendall(target, held + buffer)
                target.shutdown(arena.socket.SHUT_WR)
                return
            buffer += data
            while len(buffer) >= WHOLE:
                size = WHOLE + struct.unpack_from(">H", buffer, 3)[0]
                if len(buffer) < size:
                    break
                record, buffer = buffer[:size], buffer[size:]
                self.counts[direction] += 1
                if self.direction != direction or self.counts[direction] < self.cut:
                    await loop.sock_sendall(target, record)
                    before = record
                    continue
                if self.counts[direction] == self.cut:
                    out, held, ends = self._tamper(record, before)
                    self.has_cut, self.cut_at = True, time.monotonic()
                    if out:
                        await loop.sock_sendall(target, out)
                    if ends:
                        return
                    continue
                # From here on it is honest, and only now can be noticed that something is missing.
                if self.counts[direction] == self.cut + 1 and self.fault in ("dropped", "swapped"):
                    self.cut_at = time.monotonic()
                await loop.sock_sendall(target, record + held)
                held = b""

    def _tamper(self, record, before):
        """What to send now, what to hold back until the next record, and whether that ends it."""
        half = len(record) // 2
        return {
            "doubled": (record * 2, b"", False),
            "dropped": (b"", b"", False),
            "swapped": (b"", record, False),
            "replayed": (record + before, b"", False),
            "truncated": (record[:half], b"", True),
            "spliced": (record[:half], b"", False),
            "changed": (record[:half] + bytes([record[half] ^ 1]) + record[half + 1:], b"", False),
        }[self.fault]


class BrokenMatch(arena.Match):
    """A match whose path is a broker."""

    def __init__(self, place, label, fault):
        super().__init__(place, label)
        self.fault = fault

    async def open(self, direction=None, cut=0):
        await super().open()
        await self.proxy.close()
        self.proxy = Broker(self.arena.guests, self.arena.hosts, self.host.port, direction, cut,
                            fault=self.fault)


class Tampering(cut.Cuts):
    """What was found of one kind."""

    def __init__(self, fault):
        super().__init__()
        self.fault = fault
        self.notices, self.returns = [], []

    def _note(self, match):
        """How long it took to notice, and from there to go on."""
        links = [(moment, event["state"]) for bot in match.bots.values()
                 for moment, _, event in bot.events if event.get("event") == "link"]
        lost = [moment for moment, state in links if state == "lost"]
        restored = [moment for moment, state in links if state == "restored"]
        if match.proxy.has_cut and len(restored) == 2:
            noticed = min(lost, default=match.proxy.cut_at)
            self.notices.append(noticed - match.proxy.cut_at)
            self.returns.append(max(restored) - noticed)

    async def _join(self, match):
        """Joins; what happens before there is a game ends the program. Then once again, or, if
        the guest has begun the match and waited in vain for the host's word, on with that."""
        for joins in (1, 2, 3):
            if joins == 2 and match.guest.journal():
                await match.guest.start("resume", "--hidden")
            else:
                await match.guest.start("join", match.proxy.address)
            await match.until(
                lambda: match.guest.said("started") or match.guest.process.returncode is not None,
                "a game")
            if match.guest.said("started"):
                return
            if not match.proxy.has_cut or await match.guest.exit() not in (69, 76):
                match.fail("the guest gave up")
            self.early += 1
        match.fail("no game")

    async def one(self, place, direction, number):
        match = BrokenMatch(place, f"record {number} {direction} {self.fault}", self.fault)
        try:
            await match.open(direction, number)
            await self._join(match)
            # What is dropped is noticed when the next record comes: after 15 s at the latest.
            await match.finish(60)
            self._check(match)
            self._note(match)
            if direction is None:
                self.bytes = dict(match.proxy.counts)
        finally:
            await match.close()


class Path(Attack):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("sockets in other networks need root")

    def tamper(self, fault):
        place = arena.Arena()
        self.addCleanup(place.close)
        found = Tampering(fault)

        async def run():
            await found.one(place, None, 0)
            step = max(1, 1000 // TRIES)
            jobs = [lambda d=direction, n=number: found.one(place, d, n)
                    for direction in ("up", "down")
                    for number in range(1, found.bytes[direction] + 1, step)]
            await arena.together(jobs, WIDTH)
            return len(jobs)
        jobs = asyncio.run(run())
        # Each match was checked: order, journals, no move twice, none that is not in both.
        self.figure("matches played to their end, no wrong move",
                    f"{found.matches - 1} of {jobs}", exactly=f"{jobs} of {jobs}")
        # That something is missing is seen when something follows it: as soon as the other side
        # speaks, or when the silence is over.
        patience = 25.5 if fault in ("dropped", "swapped", "spliced") else 1.0
        self.figure("slowest to be noticed", max(found.notices), at_most=patience, unit="s")
        self.figure("slowest to go on from there", max(found.returns), at_most=2.0, unit="s")

    def test_1_doubled(self):
        """each TLS record doubled"""
        self.tamper("doubled")

    def test_2_dropped(self):
        """each TLS record dropped"""
        self.tamper("dropped")

    def test_3_swapped(self):
        """each TLS record swapped with the next"""
        self.tamper("swapped")

    def test_4_replayed(self):
        """the record before each replayed"""
        self.tamper("replayed")

    def test_5_truncated(self):
        """each TLS record truncated, and the end"""
        self.tamper("truncated")

    def test_6_spliced(self):
        """half of each TLS record left out"""
        self.tamper("spliced")

    def test_7_changed(self):
        """a bit of each TLS record changed"""
        self.tamper("changed")
