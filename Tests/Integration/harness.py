# SPDX-License-Identifier: MIT
"""Starts real `ttt` processes and plays through their JSON lines.

Every wait has a deadline on the monotonic clock, every event carries the moment it was read, and
whatever a test started is ended with it. A failed wait shows what every player said.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TTT = os.environ.get("TTT_PROGRAM") or os.path.join(ROOT, ".build", "debug", "ttt")

# These may stand anywhere between the events whose order is fixed.
ANYWHERE = {"hosting", "found", "gone", "asking", "link", "said", "error", "kept"}

def documented():
    """The fields of every event in docs/lines.md: those that must be there, and all."""
    with open(os.path.join(ROOT, "docs", "lines.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", file.read(), re.M)
    return {event: ({"event", *re.findall(r"(?<!\()`(\w+)`", fields)},
                    {"event", *re.findall(r"`(\w+)`", fields)}) for event, fields in rows}


DOCUMENTED = documented()

# Games as squares in the order played: X wins on the top row, O wins, nobody wins.
X_WINS = (1, 4, 2, 5, 3)
O_WINS = (1, 4, 2, 5, 9, 6)
DRAW = (1, 2, 3, 5, 4, 6, 8, 7, 9)


class Here:
    """The machine the tests run on. Other places differ in what stands before a command."""

    name = "here"
    prefix = ()


class LoopbackOnly:
    """A network of its own with nothing but loopback, no daemon and no D-Bus."""

    name = "loopback"

    def __init__(self):
        script = ("mount -t tmpfs tmpfs /run && ip link set lo up && echo ready && "
                  "exec sleep infinity")
        command = ["unshare", "--net", "--mount", "--propagation", "private"]
        enter = ["--net", "--mount"]
        if os.geteuid() != 0:
            command.append("--map-root-user")
            enter.append("--user")
        try:
            self.anchor = subprocess.Popen(
                command + ["sh", "-c", script], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except FileNotFoundError:
            raise unittest.SkipTest("no unshare here")
        if self.anchor.stdout.readline() != b"ready\n":
            reason = self.anchor.stderr.read().decode(errors="replace").strip()
            self.close()
            raise unittest.SkipTest(f"network namespaces cannot be made here: {reason}")
        self.prefix = ("nsenter", "-t", str(self.anchor.pid), *enter, "--")

    def close(self):
        self.anchor.kill()
        self.anchor.wait()
        self.anchor.stdout.close()
        self.anchor.stderr.close()


class Player:
    """One `ttt --json` process."""

    def __init__(self, case, args, place, home, environment):
        self.case, self.place, self.home = case, place, home
        self.name = f"{' '.join(args)} @{place.name}"
        self.events = []            # (moment, event), in the order read
        self.cursor = 0
        self.undocumented = []      # lines that docs/lines.md does not know
        self.errors = ""
        self.changed = threading.Condition()
        self.ended = False
        variables = {
            "HOME": home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8",
            "TERM": "dumb", **environment}
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*place.prefix, TTT, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=variables, cwd="/")
        self.readers = [
            threading.Thread(target=self._read_events, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True)]
        for reader in self.readers:
            reader.start()

    def _read_events(self):
        for line in self.process.stdout:
            moment = time.monotonic()
            try:
                event = json.loads(line)
            except ValueError:
                event = {"event": "no JSON", "line": line.decode(errors="replace")}
            least, most = DOCUMENTED.get(event["event"], (set(), set()))
            if "--json" in self.name and not least <= set(event) <= most:
                self.undocumented.append(line)
            with self.changed:
                self.events.append((moment, event))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors += line.decode(errors="replace")

    # What it is told

    def tell(self, do, **arguments):
        """Sends a command."""
        self.write(json.dumps({"do": do, **arguments}) + "\n")

    def write(self, text):
        """Sends text as it is."""
        try:
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            self.case.fail(f"{self.name} no longer reads\n{self.case.transcript()}")

    def end_input(self):
        self.process.stdin.close()

    def signal(self, number):
        self.process.send_signal(number)

    # What it says

    def wait(self, *names, within=5.0, since=None, **fields):
        """The next event of one of these names with these fields, from where the last wait
        ended. What stands between is passed over."""
        deadline = (since or time.monotonic()) + within
        with self.changed:
            index = self.cursor
            while True:
                while index < len(self.events):
                    moment, event = self.events[index]
                    index += 1
                    if event.get("event") in names and all(
                            event.get(key) == value for key, value in fields.items()):
                        self.cursor = index
                        if moment > deadline:
                            break
                        return event
                left = deadline - time.monotonic()
                if left <= 0 or self.ended and index == len(self.events):
                    break
                self.changed.wait(left)
        self.case.fail(
            f"{self.name}: no {' or '.join(names)} {fields or ''} within {within} s\n"
            + self.case.transcript())

    def next(self, within=5.0):
        """The next event whose place in the order is fixed."""
        deadline = time.monotonic() + within
        with self.changed:
            while True:
                while self.cursor < len(self.events):
                    event = self.events[self.cursor][1]
                    self.cursor += 1
                    if event.get("event") not in ANYWHERE:
                        return event
                left = deadline - time.monotonic()
                if left <= 0 or self.ended:
                    break
                self.changed.wait(left)
        self.case.fail(f"{self.name}: nothing within {within} s\n{self.case.transcript()}")

    def moment(self, event):
        """When this very event was read."""
        return next(moment for moment, read in self.events if read is event)

    def said(self, name):
        """Every event of this name so far."""
        with self.changed:
            return [event for _, event in self.events if event.get("event") == name]

    def warnings(self):
        """Every warning so far but that the usual port is taken, for others play on this machine."""
        return [event for event in self.said("warning") if event["code"] != "port"]

    def exit(self, within=5.0):
        """The exit code, once it has ended by itself; a signal counts as 128 + its number."""
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.case.fail(f"{self.name} did not end within {within} s\n{self.case.transcript()}")
        for reader in self.readers:
            reader.join(2)
        return 128 - code if code < 0 else code

    # What the kernel says

    def memory(self):
        """Resident memory in KiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def children(self):
        """The processes it started, by their name."""
        found = {}
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/children") as children:
                for pid in children.read().split():
                    with open(f"/proc/{pid}/comm") as name:
                        found[name.read().strip()] = int(pid)
        return found

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for reader in self.readers:
            reader.join(2)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass


def processor_ticks(pid):
    """What a process used of the processor so far, in clock ticks, and how often it was woken."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    woken = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as status:
            woken += sum(int(line.split()[1]) for line in status if line.startswith("voluntary"))
    return int(fields[11]) + int(fields[12]), woken


def until(condition, within, what, step=0.02):
    """Asks again and again until the condition gives something true, and returns that."""
    deadline = time.monotonic() + within
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {within} s")
        time.sleep(step)


class PlayerCase(unittest.TestCase):
    """A test that starts players."""

    place = Here()

    def setUp(self):
        if not os.access(TTT, os.X_OK):
            self.fail(f"{TTT} is not there; build it first")
        self.players = []
        self.directory = tempfile.mkdtemp(prefix="ttt-test-")
        self.addCleanup(shutil.rmtree, self.directory, True)
        self.addCleanup(self._close_players)
        self.homes = 0

    def _close_players(self):
        for player in reversed(self.players):
            player.close()
        for player in self.players:
            if player.undocumented:
                self.fail(f"not as docs/lines.md says: {player.undocumented}")

    def new_home(self):
        self.homes += 1
        home = os.path.join(self.directory, f"home{self.homes}")
        os.mkdir(home, 0o700)
        return home

    @staticmethod
    def make_key(home):
        """A key for the player of this home, as the first game would make it."""
        directory = os.path.join(home, ".config", "ttt")
        os.makedirs(directory, 0o700, exist_ok=True)
        with open(os.path.join(directory, "identity"), "xb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(32))

    def start(self, *args, place=None, home=None, json=True, **environment):
        """Starts `ttt ARGS`, with --json unless told otherwise, in a new home."""
        args = [*args, "--json"] if json else list(args)
        player = Player(self, args, place or self.place, home or self.new_home(), environment)
        self.players.append(player)
        return player

    def run_ttt(self, *args, place=None, home=None, within=10.0, text=None):
        """Runs `ttt ARGS` to its end: its exit code, what it wrote, and how long it took."""
        place = place or self.place
        began = time.monotonic()
        done = subprocess.run(
            [*place.prefix, TTT, *args], input=text or "", capture_output=True, text=True,
            timeout=within, cwd="/",
            env={"HOME": home or self.new_home(), "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                 "LANG": "C.UTF-8", "TERM": "dumb"})
        code = 128 - done.returncode if done.returncode < 0 else done.returncode
        return code, done.stdout, done.stderr, time.monotonic() - began

    def transcript(self):
        """What every player of this test said, for the message of a failure."""
        lines = []
        for player in self.players:
            lines.append(f"--- {player.name}, exit {player.process.poll()}")
            with player.changed:
                lines += [f"{moment - player.began:8.3f} {json.dumps(event)}"
                          for moment, event in player.events]
            lines += ["  stderr: " + line for line in player.errors.splitlines()]
        return "\n".join(lines)

    # Whole games

    def begin(self, *players, within=5.0):
        """Waits until both have started the same game, and returns them with X first."""
        one, other = players
        first, second = (player.wait("started", within=within) for player in players)
        self.assertEqual(first["match"], second["match"])
        self.assertEqual(first["game"], second["game"])
        self.assertEqual({first["you"], second["you"]}, {"X", "O"})
        self.assertEqual(first["board"], ".........")
        return (one, other) if first["you"] == "X" else (other, one)

    def play(self, x, o, squares, first_ply=1):
        """Plays these squares in turn; every event of both sides must come in its order."""
        for ply, square in enumerate(squares, first_ply):
            mover, waiter = (x, o) if ply % 2 else (o, x)
            self.assertEqual(mover.next(), {"event": "turn", "you": True, "ply": ply})
            self.assertEqual(waiter.next(), {"event": "turn", "you": False, "ply": ply})
            mover.tell("move", square=square)
            seen, told = mover.next(), waiter.next()
            self.assertEqual(seen, told, self.transcript())
            self.assertEqual(
                (seen["event"], seen["ply"], seen["mark"], seen["square"]),
                ("move", ply, "XO"[(ply - 1) % 2], square))
            self.assertEqual(seen["board"][square - 1], seen["mark"])

    def finish(self, x, o, winner, termination):
        """Both must say the same end; the scores are each other's mirror."""
        ends = [player.next() for player in (x, o)]
        for end in ends:
            self.assertEqual(end["event"], "over", self.transcript())
            self.assertEqual(end["winner"], winner)
            self.assertEqual(end["outcome"], "win" if winner else "draw")
            self.assertEqual(end["termination"], termination)
        scores = [end.pop("score") for end in ends]
        self.assertEqual(ends[0], ends[1])
        mirrored = {"you": scores[1]["opponent"], "opponent": scores[1]["you"],
                    "draws": scores[1]["draws"]}
        self.assertEqual(scores[0], mirrored)
        return scores

    def rematch(self, asker, answerer):
        """One asks, the other accepts."""
        asker.tell("offer", kind="rematch")
        self.assertEqual(asker.next(), {"event": "offer", "kind": "rematch", "by": "you"})
        self.assertEqual(answerer.next(), {"event": "offer", "kind": "rematch", "by": "opponent"})
        answerer.tell("accept")
        for player in (asker, answerer):
            self.assertEqual(
                player.next(), {"event": "answered", "kind": "rematch", "accepted": True})

    def leave(self, leaver, stayer):
        """One quits; the other is told that it left. Both end well."""
        leaver.tell("quit")
        self.assertEqual(leaver.next(), {"event": "closed", "reason": "quit"})
        self.assertEqual(stayer.next(), {"event": "closed", "reason": "left"})
        self.assertEqual((leaver.exit(), stayer.exit()), (0, 0))

    def one_sentence(self, text):
        """What a person is told: one line that is a sentence."""
        lines = text.strip().splitlines()
        self.assertEqual(len(lines), 1, text)
        self.assertRegex(lines[0], r"[.!?]$")


SIGNAL_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
