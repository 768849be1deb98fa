# SPDX-License-Identifier: MIT
"""crash.py [STEP]: kills a player of a whole match at each of its fsyncs in turn, or at every
STEP-th, and lets each fsync and each write of its journal fail in turn; `ttt resume` goes on, and
nothing that was told is lost."""
import asyncio
import errno
import os
import statistics
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration")]

from arena import GAMES, Arena, Failure, Match, together  # noqa: E402

WIDTH = 4
SYNCS = "fsync,fdatasync"


class Crashes:
    """What was found."""

    def __init__(self):
        self.kills = self.errors = self.early = self.harmless = self.told = 0
        self.ready, self.turn, self.restored = [], [], []
        self.counts = {}

    def report(self, took):
        print(f"{self.kills} kills, {self.errors} refusals of the disk, {self.told} moves told, "
              f"none lost; {took:.0f} s")
        print(f"before there was a match: {self.early}; not in a journal, said and played on: "
              f"{self.harmless}")
        for name, values in (("start to ready for a connection", self.ready),
                             ("start to turn", self.turn),
                             ("new connection to link restored", self.restored)):
            if values:
                print(f"{name}: median {statistics.median(values) * 1000:.0f} ms, "
                      f"longest {max(values) * 1000:.0f} ms of {len(values)}")


class Run:
    """One match with one fault."""

    def __init__(self, found, arena, victim, fault, number):
        self.found, self.arena, self.fault, self.number = found, arena, fault, number
        self.match = Match(arena, f"{victim}: {fault} {number}")
        self.victim = self.match.bots[victim]
        self.other = self.match.guest if victim == "host" else self.match.host
        self.log = os.path.join(self.match.directory, "strace")

    def trace(self, paths=()):
        """What strace is told."""
        calls = "write" if paths else SYNCS
        effect = "signal=SIGKILL" if self.fault == "kill" else f"error={self.fault.split()[0]}"
        return ["-y", "-o", self.log, "-e", f"trace={calls}",
                *(word for path in paths for word in ("-P", path)),
                "-e", f"inject={calls}:{effect}:when={self.number}"]

    async def play(self):
        """Returns whether the fault came."""
        match = self.match
        try:
            if self.fault.endswith("write"):
                await self._take_up()
            else:
                trace = self.trace()
                await match.open(**({"host": trace} if self.victim is match.host else {}))
                if match.host.process.returncode is None:
                    await match.guest.start(
                        "join", match.proxy.address,
                        trace=trace if self.victim is match.guest else ())
            await self._until_finished()
            match.check_journals()
            self.found.told += match.check_told()
            await match.verify()
            return self._came()
        finally:
            await match.close()

    def _came(self):
        if self.victim.codes[1:]:
            return True
        with open(self.log, encoding="utf-8", errors="replace") as log:
            if "INJECTED" not in log.read():
                return False
        # The match went on without what could not be written; the player was told.
        if not any(event["code"] == "disk" for event in self.victim.said("error")):
            self.match.fail("nothing was said of the failure")
        self.found.harmless += 1
        return True

    async def _take_up(self):
        """Begins, and goes on in new processes, one of them under strace: by now it is known
        where the journals are."""
        match = self.match
        for bot in match.bots.values():
            bot.asks = False
        await match.open()
        await match.guest.start("join", match.proxy.address)
        await match.until(
            lambda: all(bot.said("turn") for bot in match.bots.values()), "a game")
        for bot in match.bots.values():
            await bot.close()
        path = self.victim.journal()
        for bot in match.bots.values():
            bot.asks = True
            await bot.start("resume", match.id, trace=self.trace((path, path + ".new"))
                            if bot is self.victim else ())

    async def _until_finished(self):
        match = self.match

        def step():
            return (all(bot.has_ended() and max(GAMES) in bot.told_over
                        for bot in match.bots.values())
                    or [bot for bot in match.bots.values()
                        if bot.process.returncode is not None])
        while True:
            step_done = await match.until(step, "the end of the match", 30)
            if step_done is True:
                break
            for bot in step_done:
                await self._ended(bot)
        await match.finish()

    async def _ended(self, bot):
        code = await bot.exit()
        if bot is not self.victim or len(bot.codes) > 1:
            # The other side had not begun, or the victim went away before it had.
            if code != 69 or bot.said("started"):
                self.match.fail(f"{bot.name} ended with {code}")
            self.found.early += 1
            return await self._start(bot, anew=True)
        if self.fault == "kill":
            if code != 137:
                self.match.fail(f"{bot.name} ended with {code}")
            self.found.kills += 1
        else:
            await self._check_refusal(code)
            self.found.errors += 1
        await self._start(bot)
        if len(bot.entries()) > 1 and bot.port_kept():
            await self._measure(bot)

    async def _start(self, bot, anew=False):
        match = self.match
        if bot.journal() and not anew:
            await bot.start("resume", match.id_of(bot))
        elif bot is match.host:
            await bot.start("host", "--hidden", "--accept", "all", "--port",
                            str(match.host.port))
            await match.until(lambda: len(bot.said("hosting", len(bot.runs))), "hosting")
        else:
            await bot.start("join", match.proxy.address)

    # What must hold after the disk refused

    async def _check_refusal(self, code):
        match, bot = self.match, self.victim
        errors = [event for event in bot.said("error") if event["code"] == "disk"]
        if code != 74 or len(errors) != 1 or not errors[0]["message"].endswith("."):
            match.fail(f"exit {code}, errors {errors}")
        reason = os.strerror(getattr(errno, self.fault.split()[0]))
        if reason not in errors[0]["message"]:
            match.fail(f"the reason is {reason}, errors {errors}")
        if bot.said("started", len(bot.runs)) and bot.lines():
            place, message = bot.journal(), errors[0]["message"]
            if not self.fault.endswith("write"):
                place = os.path.dirname(place)
            if place not in message or "ttt resume" not in message:
                match.fail(f"neither the file nor what to do, errors {errors}")
        last = bot.lines()[-1].split() if bot.lines() else []
        if len(last) < 9 or last[0] not in "12" or self.fault.endswith("write"):
            return
        # The entry that could not be made durable: the other side must not count on it. What it
        # is told of it would have been told by now, as the connection is closed.
        place = (last[0], int(last[1]))
        await match.until(lambda: self.other.is_apart() or not self.other.said("started"),
                          "the loss of the connection")
        own = match.seat(bot)
        if last[0] == own and place in self.other.entries():
            match.fail(f"sent and not durable: {last}")
        if last[0] != own and last[5] == "move":
            if (int(last[6]), int(last[7]), int(last[8])) in self.other.moves():
                match.fail(f"acknowledged and not durable: {last}")
        process = await asyncio.create_subprocess_exec(
            match.program, "verify", bot.journal(), stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT, env={"HOME": bot.home, "PATH": "/usr/bin:/bin"})
        output = (await process.communicate())[0].decode()
        if process.returncode:
            match.fail(f"the journal is not readable: {output}")

    # How long it takes

    async def _measure(self, bot):
        """From the start to a port that is open, to the turn, and from the connection on."""
        run, (began, _) = len(bot.runs), bot.runs[-1]
        listening = f":{bot.port_kept():04X}"
        table = f"/proc/{bot.place.anchor.pid}/net/tcp6"

        def listens():
            with open(table) as file:
                return any(fields[1].endswith(listening) and fields[3] == "0A"
                           for fields in map(str.split, file))

        def restored():
            return [moment for moment, number, event in bot.events
                    if number == run and event.get("state") == "restored"]
        while not listens():
            if bot.process.returncode is not None or time.monotonic() > began + 5:
                self.match.fail(f"{bot.name} does not listen on port {bot.port_kept()}")
            await asyncio.sleep(0.002)
        self.found.ready.append(time.monotonic() - began)

        def turns():
            return [moment for moment, number, event in bot.events
                    if number == run and event.get("event") in ("turn", "over")]
        await self.match.until(lambda: restored() and turns(), "a link", 10)
        self.found.turn.append(turns()[0] - began)
        connected = [m for m in self.match.proxy.moments if m < restored()[0]]
        self.found.restored.append(restored()[0] - connected[-1])


async def sweep(found, arena, victim, fault, step, width):
    """One fault at each place in turn, until a match ends without it."""
    numbers = iter(range(1, 10_000, step))
    over = False

    async def one():
        nonlocal over
        while not over:
            number = next(numbers)
            if await Run(found, arena, victim, fault, number).play():
                found.counts[victim, fault] = max(number, found.counts.get((victim, fault), 0))
            else:
                over = True
    await together([one] * width, width)


async def main(step=1, faults=("kill", "EIO fsync", "ENOSPC fsync", "EIO write", "ENOSPC write"),
               width=WIDTH):
    arena, found, began = Arena(), Crashes(), time.monotonic()
    try:
        for fault in faults:
            for victim in ("host", "guest"):
                await sweep(found, arena, victim, fault, step, width)
    finally:
        arena.close()
    found.report(time.monotonic() - began)
    for (victim, fault), count in found.counts.items():
        print(f"  {victim}, {fault}: up to number {count}")
    return found


if __name__ == "__main__":
    try:
        asyncio.run(main(*map(int, sys.argv[1:2]), *[sys.argv[2:]][:len(sys.argv) > 2]))
    except Failure as failure:
        print(failure)
        sys.exit(1)
