# SPDX-License-Identifier: MIT
"""cut.py [STEP]: cuts the connection of a whole match after every byte, or every STEP-th, in
either direction, one match each; every one must complete with one reconnection."""
import asyncio
import os
import statistics
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration")]

from arena import Arena, Failure, Match, together  # noqa: E402

WIDTH = 8


class Cuts:
    """What was found."""

    def __init__(self):
        self.matches = self.early = self.unborn = self.spare = self.late = self.uncut = 0
        self.gaps = []
        self.bytes = {}

    async def one(self, arena, direction, cut):
        match = Match(arena, f"cut after byte {cut} {direction}")
        try:
            await match.open(direction, cut)
            await self._join(match)
            await match.finish()
            self._check(match)
            if direction is None:
                self.bytes = dict(match.proxy.counts)
            await match.verify()
        finally:
            await match.close()

    async def _join(self, match):
        """Joins, once: a connection that is cut before there is a match is made again."""
        await match.guest.start("join", match.proxy.address)
        await match.until(
            lambda: match.guest.said("started") or match.guest.process.returncode is not None,
            "a game")
        if not match.guest.said("started"):
            match.fail("the guest gave up")

    def _check(self, match):
        match.check_told()
        kinds = match.check_journals()
        if kinds["say"] != 2:
            match.fail(f"{kinds['say']} lines of chat")
        for bot in match.bots.values():
            texts = [event["text"] for event in bot.said("said")]
            if sorted(texts) != ["from guest", "from host"]:
                match.fail(f"{bot.name} read {texts}")
            self._order(match, bot)
        self.matches += 1
        if not match.proxy.has_cut:
            self.uncut += 1
            return
        if match.proxy.connections == 1:
            # Nothing but the goodbye was left to be said.
            self.late += 1
            return
        restored = [[moment for moment, _, event in bot.events
                     if event.get("event") == "link" and event["state"] == "restored"]
                    for bot in match.bots.values()]
        if any(len(moments) > 1 for moments in restored):
            match.fail("reconnected more than once")
        began = next(moment for moment, _, event in match.guest.events
                     if event.get("event") == "started")
        early, more = match.proxy.cut_at < began, match.proxy.connections > 2
        self.early += early
        self.unborn += early and more
        self.spare += more and not early
        if all(restored):
            self.gaps.append(max(moment for (moment,) in restored) - match.proxy.cut_at)

    @staticmethod
    def _order(match, bot):
        """The events whose order is fixed, exactly."""
        run = len(bot.runs)
        wanted = []
        for game, squares in match.arena.games.items():
            wanted.append(("started", game))
            for ply in range(1, len(squares) + 1):
                wanted += [("turn", ply), ("move", ply)]
            if game == 2:
                wanted.append(("turn", len(squares) + 1))
            wanted.append(("over", None))
            if game == 1:
                wanted += [("offer", None), ("answered", None)]
        wanted.append(("closed", None))
        found = [(event["event"], event.get("game") or event.get("ply"))
                 for _, number, event in bot.events
                 if number == run and event["event"] not in (
                     "hosting", "asking", "link", "said", "error", "kept")]
        if found != wanted:
            match.fail(f"{bot.name} was told {found}")


async def main(step, first=1, width=WIDTH):
    arena = Arena()
    try:
        cuts = Cuts()
        began = time.monotonic()
        await cuts.one(arena, None, 0)
        lengths = dict(cuts.bytes)
        # Lengths differ by what is batched, so a little more than one match had.
        jobs = [lambda d=direction, n=n: cuts.one(arena, d, n)
                for direction in ("up", "down")
                for n in range(first, lengths[direction] + 1, step)]
        await together(jobs, width)
    finally:
        arena.close()
    took = time.monotonic() - began
    print(f"{cuts.matches} matches, bytes of an uncut one: {lengths['up']} up, "
          f"{lengths['down']} down; {took:.0f} s")
    print(f"one reconnection each; a dial too many on the way to it: {cuts.spare}")
    print(f"cut before the game was told: {cuts.early}, of which the guest had begun a match that "
          f"the host had not: {cuts.unborn}; in the goodbye: {cuts.late}; "
          f"not reached: {cuts.uncut - 1}")
    print(f"from the cut to the link restored: median {statistics.median(cuts.gaps):.3f} s, "
          f"longest {max(cuts.gaps):.3f} s of {len(cuts.gaps)}")
    return cuts


if __name__ == "__main__":
    try:
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1,
                         int(sys.argv[2]) if len(sys.argv) > 2 else 1))
    except Failure as failure:
        print(failure)
        sys.exit(1)
