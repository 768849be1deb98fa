# SPDX-License-Identifier: MIT
"""Plays whole scripted matches between two real `ttt` processes while things break.

Everything runs in one asyncio loop, many matches at once. The two players are in two networks that
have nothing but loopback; what is between them is a proxy of this process, which can cut a
connection after any byte. A player is driven by what it is told alone, so that a process that was
killed can be replaced by `ttt resume` at any moment.
"""
import asyncio
import collections
import ctypes
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

import harness
from harness import TTT

MEMORY = "/dev/shm"
CLONE_NEWNET = 0x40000000

# What is played. Game 1: X wins on the top row, and both sides chat at once; the loser asks for
# a rematch and the winner accepts. Game 2: two moves, then X resigns.
GAMES = {1: harness.X_WINS, 2: (5, 1)}
RESIGNS = (2, 3)            # game, ply
CHAT = (1, 2)               # game, ply
ENTRY = re.compile(r"^[12] \d+ ")


class Failure(AssertionError):
    """A match that did not go as it must."""


class Space(harness.LoopbackOnly):
    """A network with nothing but loopback, in which this process can make sockets too."""

    def socket(self):
        """A TCP socket in it, made by a thread that goes there and ends."""
        made = []

        def make():
            namespace = os.open(f"/proc/{self.anchor.pid}/ns/net", os.O_RDONLY)
            try:
                if ctypes.CDLL(None, use_errno=True).setns(namespace, CLONE_NEWNET):
                    made.append(OSError(ctypes.get_errno(), "setns"))
                    return
                made.append(socket.socket())
            finally:
                os.close(namespace)
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if isinstance(made[0], OSError):
            raise made[0]
        made[0].setblocking(False)
        return made[0]


class Proxy:
    """Listens where the guest is, connects to where the host is, and cuts the first connection
    after `cut` bytes in one direction: "up" from the guest to the host, or "down"."""

    def __init__(self, guests, hosts, port, direction=None, cut=0):
        self.hosts, self.port = hosts, port
        self.direction, self.cut = direction, cut
        self.counts = collections.Counter()     # of the first connection
        self.connections = 0
        self.moments = []                       # when each reached the host
        self.has_cut = False
        self.cut_at = None
        self.listening = guests.socket()
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen(16)
        self.address = "127.0.0.1:%d" % self.listening.getsockname()[1]
        self.open = set()
        self.tasks = {asyncio.ensure_future(self._accept())}

    async def _accept(self):
        loop = asyncio.get_running_loop()
        while True:
            guest, _ = await loop.sock_accept(self.listening)
            guest.setblocking(False)
            self.connections += 1
            task = asyncio.ensure_future(self._serve(guest, self.connections == 1))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _serve(self, guest, is_first):
        loop = asyncio.get_running_loop()
        host = self.hosts.socket()
        pair = (guest, host)
        self.open.update(pair)
        for one in pair:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            await loop.sock_connect(host, ("127.0.0.1", self.port))
            self.moments.append(time.monotonic())
            pumps = [asyncio.ensure_future(self._pump(guest, host, "up", is_first)),
                     asyncio.ensure_future(self._pump(host, guest, "down", is_first))]
            _, waiting = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            # One side has said its last word; the other's last words may yet pass.
            if waiting and not self.has_cut:
                await asyncio.wait(waiting, timeout=1)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
        except OSError:
            pass
        finally:
            # Every second cut is abrupt: what is under way is lost and the end is an error.
            if is_first and self.has_cut and self.cut % 2:
                for one in pair:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            for one in pair:
                one.close()
                self.open.discard(one)

    async def _pump(self, source, target, direction, is_first):
        loop = asyncio.get_running_loop()
        counts = self.counts if is_first else collections.Counter()
        while True:
            data = await loop.sock_recv(source, 65536)
            if not data:
                target.shutdown(socket.SHUT_WR)
                return
            if is_first and direction == self.direction:
                left = self.cut - counts[direction]
                if len(data) >= left:
                    await loop.sock_sendall(target, data[:left])
                    counts[direction] += left
                    self.has_cut, self.cut_at = True, time.monotonic()
                    return
            counts[direction] += len(data)
            await loop.sock_sendall(target, data)

    async def close(self):
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.listening.close()
        for one in list(self.open):
            one.close()


class Bot:
    """One player of the script, with as many processes one after the other as it takes."""

    def __init__(self, match, name, place, home):
        self.match, self.name, self.place, self.home = match, name, place, home
        self.process = None
        self.events = []            # (moment, run, event)
        self.runs = []              # (moment of the start, arguments)
        self.errors = ""
        self.codes = []
        self.mark, self.game = None, 0
        self.spoken = set()
        self.told_over = set()
        self.asks = True            # False: it plays nothing by itself
        self.port = 0
        self.pumps = []

    async def start(self, *args, trace=()):
        """Starts `ttt ARGS`, under strace if `trace` holds its arguments."""
        tracer = ["strace", "-D", "-f", "-qq", *trace, "--"] if trace else []
        self.runs.append((time.monotonic(), args))
        self.process = await asyncio.create_subprocess_exec(
            *self.place.prefix, *tracer, self.match.program, *args, "--json",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, cwd="/",
            env={"HOME": self.home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                 "LANG": "C.UTF-8", "TERM": "dumb"})
        run = len(self.runs)
        self.pumps = [asyncio.ensure_future(self._read(self.process, run)),
                      asyncio.ensure_future(self._read_errors(self.process))]

    async def _read(self, process, run):
        async for line in process.stdout:
            moment = time.monotonic()
            try:
                event = json.loads(line)
            except ValueError:
                event = {"event": "no JSON", "line": line.decode(errors="replace")}
            self.events.append((moment, run, event))
            self._react(event)
            self.match.changed.set()
        self.match.changed.set()

    async def _read_errors(self, process):
        async for line in process.stderr:
            self.errors += line.decode(errors="replace")

    def tell(self, do, **arguments):
        """Sends a command; a process that has died meanwhile does not hear it."""
        try:
            if not self.process.stdin.is_closing():
                self.process.stdin.write(
                    (json.dumps({"do": do, **arguments}) + "\n").encode())
        except (BrokenPipeError, ConnectionResetError):
            pass

    # The script

    def _react(self, event):
        kind = event.get("event")
        if kind == "started":
            self.mark, self.game = event["you"], event["game"]
            self.match.id = event["match"]
        elif kind == "hosting":
            self.port = event["port"]
        elif kind == "over":
            self.told_over.add(self.game)
        if not self.asks:
            return
        if kind == "turn":
            self._speak(event["ply"])
            if event["you"]:
                self._move(event["ply"])
        elif kind == "over" and self.game == 1 and self.mark == "O":
            self.tell("offer", kind="rematch")
        elif kind == "offer" and event["by"] == "opponent":
            self.tell("accept")

    def _move(self, ply):
        if (self.game, ply) == RESIGNS:
            self.tell("resign")
        elif ply <= len(GAMES[self.game]):
            self.tell("move", square=GAMES[self.game][ply - 1])

    def _speak(self, ply):
        if (self.game, ply) == CHAT and "chat" not in self.spoken:
            self.spoken.add("chat")
            self.tell("say", text=f"from {self.name}")

    # What there is of it

    def said(self, name, run=None):
        """Every event of this name so far, of one run or of all."""
        return [event for _, number, event in self.events
                if event.get("event") == name and run in (None, number)]

    def moves(self, run=None):
        """The moves it was told, as (game, ply, square)."""
        game, found = 0, []
        for _, number, event in self.events:
            if run not in (None, number):
                continue
            if event.get("event") == "started":
                game = event["game"]
            elif event.get("event") == "move":
                found.append((game, event["ply"], event["square"]))
        return found

    def is_apart(self):
        """Whether the last it was told of the link is that there is none."""
        states = [event["state"] for event in self.said("link", len(self.runs))]
        return bool(states) and states[-1] in ("lost", "trying")

    def journal(self):
        """The path of its journal of the match that began, else of one that did not; or None."""
        directory = os.path.join(self.home, ".local/state/ttt/games")
        if not os.path.isdir(directory):
            return None
        found = [entry for entry in sorted(os.listdir(directory))
                 if re.fullmatch(r"[0-9a-f]{32}\.[12]", entry)]
        found.sort(key=lambda entry: not entry.startswith(self.match.id or "-"))
        return os.path.join(directory, found[0]) if found else None

    def port_kept(self):
        """The port at which it was last, as its journal says; 0 if it does not."""
        hints = [line.split()[1] for line in self.lines() if line.startswith("link ")]
        return int(hints[-1]) if hints else 0

    def lines(self):
        """The lines of its journal that are whole."""
        path = self.journal()
        if not path:
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line[:-1] for line in file if line.endswith("\n")]

    def entries(self):
        """The signed entries of both logs by seat and number."""
        found = {}
        for line in self.lines():
            if ENTRY.match(line):
                seat, number = line.split()[:2]
                found.setdefault((seat, int(number)), []).append(line)
        return found

    def has_ended(self):
        """Whether both ends of the last game are on its disk."""
        last = f" end {max(GAMES)} "
        return sum(last in line for line in self.lines() if ENTRY.match(line)) == 2

    async def exit(self, within=10):
        """The exit code once it has ended."""
        try:
            code = await asyncio.wait_for(self.process.wait(), within)
        except asyncio.TimeoutError:
            self.match.fail(f"{self.name} did not end within {within} s")
        await self._drop()
        code = 128 - code if code < 0 else code
        self.codes.append(code)
        return code

    async def close(self):
        if self.process and self.process.returncode is None:
            try:
                self.process.kill()
            except ProcessLookupError:
                pass
            await self.process.wait()
        for pump in self.pumps:
            pump.cancel()
        await self._drop()

    async def _drop(self):
        """Lets go of the pipes of a process that has ended."""
        await asyncio.gather(*self.pumps, return_exceptions=True)
        if self.process:
            self.process.stdin.close()
            try:
                await self.process.stdin.wait_closed()
            except OSError:
                pass    # What was written last has found nobody.


class Match:
    """A host and a guest who play the script."""

    def __init__(self, arena, label):
        self.arena, self.label, self.program = arena, label, arena.program
        self.id = None
        self.changed = asyncio.Event()
        self.directory = tempfile.mkdtemp(prefix="match-", dir=arena.directory)
        self.host = self._bot("host", arena.hosts)
        self.guest = self._bot("guest", arena.guests)
        self.bots = {"host": self.host, "guest": self.guest}
        self.proxy = None

    def _bot(self, name, place):
        home = os.path.join(self.directory, name)
        # A key of its own, made before the match, so that only what belongs to it is counted.
        shutil.copytree(os.path.join(self.arena.directory, name), home)
        return Bot(self, name, place, home)

    def fail(self, why):
        raise Failure(f"{self.label}: {why}\n{self.transcript()}")

    @staticmethod
    def seat(bot):
        """The seat of a bot, as the name of its journal says."""
        return bot.journal()[-1]

    @staticmethod
    def id_of(bot):
        return os.path.basename(bot.journal())[:-2]

    def transcript(self):
        lines = []
        for bot in (self.host, self.guest):
            lines.append(f"--- {bot.name}: {bot.runs and bot.runs[-1][1]} exits {bot.codes}")
            first = bot.runs[0][0] if bot.runs else 0
            lines += [f"{moment - first:8.3f} {run} {json.dumps(event)}"
                      for moment, run, event in bot.events]
            lines += ["  stderr: " + line for line in bot.errors.splitlines()]
            lines += ["  " + re.sub(r"[0-9a-f]{24,}", "…", line) for line in bot.lines()]
        return "\n".join(lines)

    async def until(self, condition, what, within=20.0):
        """Waits until the condition gives something true, and returns that."""
        deadline = time.monotonic() + within
        while True:
            self.changed.clear()
            found = condition()
            if found:
                return found
            left = deadline - time.monotonic()
            if left <= 0:
                self.fail(f"{what}: not within {within} s")
            try:
                # What is on disk is not told, so look at least this often.
                await asyncio.wait_for(self.changed.wait(), min(left, 0.05))
            except asyncio.TimeoutError:
                pass

    async def open(self, direction=None, cut=0, **trace):
        """The host opens a game, and there is a way to it."""
        await self.host.start(
            "host", "--hidden", "--accept", "all", "--port", "0", trace=trace.get("host", ()))
        await self.until(lambda: self.host.port or self.host.process.returncode is not None,
                         "hosting")
        self.proxy = Proxy(
            self.arena.guests, self.arena.hosts, self.host.port, direction, cut)

    async def finish(self, within=30.0):
        """Waits for the end of the last game on both disks, then lets both leave."""
        await self.until(
            lambda: all(bot.has_ended() and max(GAMES) in bot.told_over
                        for bot in self.bots.values()), "the end of the match", within)
        self.guest.tell("quit")
        code = await self.guest.exit()
        # Where the goodbye itself was lost, the one who stays waits until its player has enough.
        await self.until(
            lambda: self.host.process.returncode is not None or self.host.is_apart(),
            "the end of the host", 10)
        if self.host.process.returncode is None:
            self.host.tell("quit")
        codes = code, await self.host.exit()
        if codes != (0, 0):
            self.fail(f"exit codes {codes}")

    # What must hold

    def check_journals(self):
        """Both hold the same entries, each once, and what the script says."""
        one, other = self.host.entries(), self.guest.entries()
        if one != other:
            self.fail("the journals differ")
        doubled = [place for place, lines in one.items() if len(lines) != 1]
        if doubled:
            self.fail(f"stored twice: {doubled}")
        words = [line.split() for lines in one.values() for line in lines]
        played = sorted((int(w[6]), int(w[7]), int(w[8])) for w in words if w[5] == "move")
        wanted = sorted((game, ply, square) for game, squares in GAMES.items()
                        for ply, square in enumerate(squares, 1))
        if played != wanted:
            self.fail(f"played {played}")
        kinds = collections.Counter(w[5] for w in words)
        for kind, count in {"open": 2, "offer": 1, "accept": 1, "resign": 1, "end": 4}.items():
            if kinds[kind] != count:
                self.fail(f"{kinds[kind]} entries of kind {kind}")
        return kinds

    def check_told(self):
        """Neither was told a move twice or out of order by one process, or one that is not in
        the journals; returns how many moves were told."""
        told = 0
        for bot in self.bots.values():
            for run in range(1, len(bot.runs) + 1):
                moves = bot.moves(run)
                told += len(moves)
                if moves != sorted(set(moves)):
                    self.fail(f"{bot.name} was told {moves}")
            stored = {(int(w[6]), int(w[7]), int(w[8]))
                      for lines in bot.entries().values()
                      for w in [lines[0].split()] if w[5] == "move"}
            lost = set(bot.moves()) - stored
            if lost:
                self.fail(f"{bot.name} was told moves that are lost: {lost}")
        return told

    async def verify(self):
        """`ttt verify` finds that both files prove the same finished match."""
        process = await asyncio.create_subprocess_exec(
            self.program, "verify", self.host.journal(), self.guest.journal(),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            env={"HOME": self.host.home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
        output = (await process.communicate())[0].decode()
        if process.returncode or "The record is finished." not in output:
            self.fail(f"verify: {process.returncode} {output}")

    async def close(self):
        for bot in self.bots.values():
            await bot.close()
        if self.proxy:
            await self.proxy.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class Arena:
    """Two networks, and a directory in memory for what the players write."""

    def __init__(self, program=TTT):
        # A process that is killed leaves the kernel's memory of a file alone, so a disk would
        # add nothing but time.
        base = MEMORY if os.access(MEMORY, os.W_OK) else None
        self.directory = tempfile.mkdtemp(prefix="ttt-faults-", dir=base)
        self.games = GAMES
        self.hosts = self.guests = None
        try:
            self.hosts, self.guests = Space(), Space()
            # Alone in its directory: without `ttt-mdns`, whose adverts all matches would read.
            self.program = os.path.join(self.directory, "ttt")
            shutil.copy(program, self.program)
            for name in ("host", "guest"):
                self._identity(name)
        except BaseException:
            self.close()
            raise

    def _identity(self, name):
        home = os.path.join(self.directory, name)
        os.mkdir(home, 0o700)
        subprocess.run(
            [self.program, "id", "--name", name], check=True, capture_output=True,
            env={"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
        # The first sync of a process is one of its match.
        harness.PlayerCase.make_key(home)
        os.makedirs(os.path.join(home, ".local/state/ttt/games"), 0o700)

    def close(self):
        for space in (self.hosts, self.guests):
            if space:
                space.close()
        shutil.rmtree(self.directory, ignore_errors=True)


async def together(jobs, width):
    """Runs coroutine functions, so many at once; stops at the first that fails."""
    waiting, running = collections.deque(jobs), set()
    try:
        while waiting or running:
            while waiting and len(running) < width:
                running.add(asyncio.ensure_future(waiting.popleft()()))
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
