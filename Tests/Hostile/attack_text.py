# SPDX-License-Identifier: MIT
"""Text that would command a terminal, in every place where a peer can put text."""
import fcntl
import os
import pty
import re
import socket
import struct
import subprocess
import termios
import threading

import harness
import peer
from stage import Attack

# What must never come out: controls of both kinds, bidirectional and invisible characters.
INVISIBLE = re.compile(
    "[\u0080-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]")

# Each with a word by which it would be known again if it came through whole.
POISON = (
    "\x1b]0;TITLE\x07", "\x1b[31;7mRED", "\x9b2JC1", "\x1bPDCS\x1b\\", "\x1b[5;9HMOVED",
    "\u202eBIDI\u2066", "\u200bZERO\u200d\ufeff", "\U000e0041TAG", "\r\n\tLINE", "\x08\x7fBACK",
    "e" + "\u0301" * 20 + "MARKS", "\u2028PARA", "\x1b[6nASK", "\x1b_APC\x1b\\", "\x0e\x0fSHIFT")
WHOLE = [text.encode() for text in POISON if not text.startswith(("e", "\r"))]


def names():
    """Names of at most 64 bytes that have all of it."""
    name = ""
    for text in POISON:
        if len((name + text).encode()) > 64:
            yield name
            name = ""
        name += text
        while len(name.encode()) > 64:
            name = name[:-1]
    yield name


class Front:
    """A victim with a screen, plain lines or JSON; keeps every byte that it puts out."""

    def __init__(self, case, form, *args, place=harness.Here, home=None):
        self.case, self.form = case, form
        self.output = b""
        self.home = home or case.new_home()
        options = {"screen": [], "plain": ["--plain"], "json": ["--json"]}[form]
        environment = {"HOME": self.home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                       "TERM": "xterm-256color", "SWIFT_BACKTRACE": "enable=no"}
        self.main, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("4H", 40, 120, 0, 0))
        if form != "screen":
            # The terminal must add nothing of its own.
            modes = termios.tcgetattr(other)
            modes[1] &= ~termios.OPOST
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(other, termios.TCSANOW, modes)

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(
            [*place.prefix, harness.TTT, *args, *options], stdin=other, stdout=other,
            stderr=other, cwd="/", preexec_fn=own_terminal, env=environment)
        os.close(other)
        case.addCleanup(self.close)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while True:
            try:
                data = os.read(self.main, 65536)
            except OSError:
                return
            if not data:
                return
            self.output += data

    def wait(self, text, within=8):
        try:
            harness.until(lambda: text in self.output or self.process.poll() is not None, within,
                          f"{text} on the {self.form}")
        except AssertionError as failure:
            raise AssertionError(f"{failure}: {self.output[-2000:]!r}") from None

    def type(self, data):
        os.write(self.main, data)

    def quit(self):
        """Leaves as its player would, and waits for the end."""
        self.type({"plain": b"quit\n", "json": b'{"do":"quit"}\n', "screen": b"qy"}[self.form])
        self.ended(4)

    def ended(self, within=8):
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait(5)
        self.reader.join(2)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.reader.join(2)
        os.close(self.main)

    # What came through

    def poison(self):
        """How many characters or sequences came out that must not."""
        if self.form == "json":
            return sum(byte not in b"\n" and not 0x20 <= byte < 0x7F for byte in self.output)
        text = self.output.decode("utf-8", "surrogateescape")
        found = len(INVISIBLE.findall(text)) + len(re.findall("[\udc80-\udcff]", text))
        if self.form == "plain":
            return found + len(re.findall("[\x00-\x09\x0b-\x1f\x7f]", text))
        # A screen has controls of its own, but none of those that were sent.
        return found + sum(self.output.count(poison) for poison in WHOLE)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Text(Attack):
    FORMS = ("screen", "plain", "json")

    def poisoned(self, session, match):
        """Says everything that can be said in a game."""
        for text in POISON:
            match.act("say", peer.word(text))
        match.act("say", peer.word("".join(POISON)[:400]))
        match.act("say", peer.word("LAST WORDS"))

    def count(self, fronts, what):
        for form in self.FORMS:
            seen = [front for front in fronts if front.form == form]
            self.assertTrue(all(front.output for front in seen))
            self.figure(f"{what}, {form}", sum(front.poison() for front in seen), exactly=0,
                        unit="characters")

    def test_1_host(self):
        """escapes, bidi, invisible ones: a guest's"""
        fronts = []
        for form in self.FORMS:
            for name in names():
                port = free_port()
                front = Front(self, form, "host", "--hidden", "--bind", "127.0.0.1", "--port",
                              str(port), "--accept", "all")
                fronts.append(front)
                front.wait(str(port).encode())
                session, match = self.guest(port, name)
                match.challenge()
                self.poisoned(session, match)
                front.wait(b"LAST WORDS")
                session.say_goodbye(0, "bye " + name[:40])
                front.quit()
        self.count(fronts, "name, chat, goodbye")
        self.files([front.home for front in fronts])

    def files(self, homes):
        """What was kept of it, shown again."""
        poison = shown = 0
        for home in homes:
            directory = os.path.join(home, ".local/state/ttt/games")
            files = [os.path.join(directory, name) for name in os.listdir(directory)
                     if re.fullmatch("[0-9a-f]{32}[.][12]", name)]
            for words in (("peers",), ("games",), *(("verify", file) for file in files),
                          *(("show", file) for file in files)):
                _, out, err, _ = self.run_ttt(*words, home=home)
                shown += len(out + err) > 0
                poison += len(INVISIBLE.findall(out + err)) + len(
                    re.findall("[\x00-\x09\x0b-\x1f\x7f]", out + err))
        self.assertGreater(shown, len(homes) * 3)
        self.figure("peers, games, verify, show", poison, exactly=0, unit="characters")

    def test_2_joiner(self):
        """the same, a host's"""
        fronts = []
        for form in self.FORMS:
            for name in names():
                listener, port = self.trap()
                front = Front(self, form, "join", f"127.0.0.1:{port}")
                fronts.append(front)
                identity = peer.Identity()
                session = peer.Session(
                    peer.Connection(listener.accept()[0], identity, False), name)
                session.hear_hello()
                session.welcome()
                match = peer.Match(session, identity)
                match.accept()
                self.poisoned(session, match)
                front.wait(b"LAST WORDS")
                session.say_goodbye(2, "broken " + name[:40])
                front.quit()
        self.count(fronts, "name, chat, goodbye")

    def test_3_refused(self):
        """the same, in a refusal and an error"""
        fronts = []
        for form in self.FORMS:
            for text in POISON:
                listener, port = self.trap()
                front = Front(self, form, "join", f"127.0.0.1:{port}")
                fronts.append(front)
                session = peer.Session(
                    peer.Connection(listener.accept()[0], peer.Identity(), False), "Eve")
                session.hear_hello()
                session.refuse(99, "no " + text)
                if form != "screen":
                    front.ended(4)
                else:
                    front.wait(b"no ")
        self.count(fronts, "refusal")

    def test_4_a_known_name(self):
        """a known name under another key, misspelt"""
        warned = 0
        spellings = ("Ann", "ANN", " Ann", "Ann ", "A\u200bnn", "Ann\u202e", "\u0391nn",
                     "\u0410nn", "\uff21nn", "An\u0301n")
        for spelling in spellings:
            host, port = self.host()
            session, match = self.guest(port, "Ann")
            match.challenge()
            host.wait("started")
            session.say_goodbye()
            host.tell("quit")
            host.exit()
            host, port = self.host(home=host.home)
            session, match = self.guest(port, spelling)
            match.challenge()
            host.wait("started")
            # That the match is not finished is another matter.
            warned += len([said for said in host.warnings() if said["code"] != "kept"])
        self.figure("warned of", f"{warned} of {len(spellings)}",
                    exactly=f"{len(spellings)} of {len(spellings)}")
