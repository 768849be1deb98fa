# SPDX-License-Identifier: MIT
"""Peers who speak TLS and the hello well, and then are hostile before a game begins or when one
goes on."""
import hashlib
import os
import struct
import time

import cheats
import peer
from stage import Attack, Peak, TRIES, count_told

MATCH_LAYER = ("started", "turn", "move", "said", "offer", "over")


class Returning(peer.Session):
    """A session that goes on with a match; `claims` are the have and the hash that it says."""

    def __init__(self, connection, name, match, claims, port=0):
        super().__init__(connection, name)
        self.match, self.claims, self.port = match, claims, port
        self.token = bytes.fromhex(match.id)

    def fields(self, **_):
        count, digest = self.claims
        detail = struct.pack(">HBHHH", self.port, self.match.seat, 0, 1, 1)
        more = [] if digest is None else [(8, digest)]
        return peer.encode_fields(
            (1, struct.pack(">HH", 1, 1)), (2, peer.APPLICATION.encode()),
            (3, struct.pack(">HH", 1, 1)), (4, self.name.encode()), (5, self.instance),
            (6, self.token), (7, struct.pack(">Q", count)), *more,
            (9, struct.pack(">I", 65536)), (10, detail), (0xF5, b"skip me"))

    def check_fields(self, fields, welcome):
        self.peer_limit, self.limit, self.peer = 65536, 65536, fields


def games(player):
    """How many matches are on a player's disk."""
    directory = os.path.join(player.home, ".local/state/ttt/games")
    return len(os.listdir(directory)) if os.path.isdir(directory) else 0


class Unknown(Attack):
    """Nobody plays whom the host does not want."""

    def intrude(self, port, kind):
        """One unknown peer, who does not wait for the host's word. Whether it was answered with
        more than a no."""
        identity = peer.Identity()
        session = peer.Session(self.secure(port, identity=identity), "Mallory")
        match = peer.Match(session, identity)
        try:
            if kind == "notes before the welcome":
                session.write_frame(peer.HELLO, session.fields())
                session.write_frame(peer.NOTE, b"challenge 1 tictactoe 1 - - " + b"0" * 64)
            elif kind == "packets before the welcome":
                session.write_frame(peer.HELLO, session.fields())
                session.write_frame(peer.PACKET, struct.pack(">Q", 1) + b"x")
            elif kind == "a session that is none":
                session.token = os.urandom(16)
                session.write_frame(peer.HELLO, session.fields())
            elif kind == "a code":
                session.write_frame(peer.HELLO, session.fields())
                session.write_frame(0x0A, bytes(96))
            elif kind == "a game without a challenge":
                if session.say_hello()[0] != peer.WELCOME:
                    return False
                session.write_frame(peer.NOTE, b"reveal " + b"0" * 64)
            elif kind == "a game without an answer":
                if session.say_hello()[0] != peer.WELCOME:
                    return False
                match.commitment = hashlib.sha256(
                    b"ttt-commit-v1" + match.exporter + bytes(32)).hexdigest()
                session.write_frame(peer.NOTE, " ".join(
                    ["challenge", "1", "tictactoe", "1", "-", "-", match.commitment]).encode())
                session.write_frame(peer.NOTE, b"reveal " + bytes(32).hex().encode())
                match._derive(bytes(32), bytes(32))
                match.send_line(cheats.forge(match, "open", *match.pinned, "Mallory"))
            while True:
                what, data = session.read(5)
                if what in ("packet", "had") or what == "note" and data.startswith(b"accept"):
                    return True
                if what == "goodbye":
                    return False
        except (peer.Closed, peer.ProtocolError, OSError):
            return False
        finally:
            session.connection.close()

    KINDS = ("notes before the welcome", "packets before the welcome", "a session that is none",
             "a code", "a game without a challenge", "a game without an answer")

    def intruders(self, accept):
        host, port = self.host("--accept", accept)
        tries = max(len(self.KINDS), TRIES // 10)
        answered = sum(self.intrude(port, self.KINDS[number % len(self.KINDS)])
                       for number in range(tries))
        self.figure("got further", f"{answered} of {tries}", exactly=f"0 of {tries}")
        self.figure("told to the host as a game", count_told(host, 0, *MATCH_LAYER), exactly=0)
        self.figure("matches on its disk", games(host), exactly=0)
        return host, port

    def test_1_ask(self):
        """strangers who do not wait to be let in"""
        host, port = self.intruders("ask")
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Bob")
        host.tell("accept", key=host.wait("challenged", by="Bob", within=8)["key"])
        self.begin(host, guest)

    def test_2_known(self):
        """strangers where only known ones are let in"""
        host, port = self.intruders("known")
        self.figure("asked about", count_told(host, 0, "challenged"), exactly=0)
        # A session with what nobody knows is refused before it is one.
        session = peer.Session(self.secure(port), "Mallory")
        kind, fields = session.say_hello()
        self.figure("answer to a good hello", f"{kind}, {int.from_bytes(fields[1], 'big')}",
                    exactly=f"{peer.REFUSE}, 7")

    def test_3_another_key(self):
        """a kept match, taken up with another key"""
        host, port = self.host()
        session, match = self.guest(port)
        match.challenge()
        host.wait("turn")
        session.connection.sock.close()
        host.wait("link", state="lost")
        refused, tries = 0, max(5, TRIES // 100)
        own = match.last_hash(3 - match.seat)
        for _ in range(tries):
            thief = Returning(self.secure(port), "Eve", match, (1, bytes.fromhex(own)))
            kind, fields = thief.say_hello()
            refused += (kind, fields.get(1)) == (peer.REFUSE, b"\0\x07")
        self.figure("refused", f"{refused} of {tries}", exactly=f"{tries} of {tries}")
        self.figure("told as restored",
                    len([e for e in host.said("link") if e["state"] == "restored"]), exactly=0)


class FairStart(Attack):
    WRONG = {
        "nothing but a reveal": [b"reveal " + b"0" * 64],
        "a note that is none": [b"dance"],
        "an empty note": [b""],
        "a note of 1025 bytes": [b"challenge 1 tictactoe 1 - - " + b"0" * 997],
        "a commitment that is too short": [b"challenge 1 tictactoe 1 - - " + b"0" * 62],
        "a commitment in capitals": [b"challenge 1 tictactoe 1 - - " + b"A" * 64],
        "a clock of 0 seconds": [b"challenge 1 tictactoe 1 - 0+0 " + b"0" * 64],
        "two challenges": [b"challenge 1 tictactoe 1 - - " + b"0" * 64] * 2,
        "the host's answer": [b"challenge 1 tictactoe 1 - - " + b"0" * 64,
                              b"accept " + b"0" * 64],
        "a reveal that was not promised": [b"challenge 1 tictactoe 1 - - " + b"0" * 64,
                                           b"reveal " + b"0" * 64],
        "a short reveal": [b"challenge 1 tictactoe 1 - - " + b"0" * 64, b"reveal 00"],
        "kept": [b"kept x"],
        "lost": [b"lost 0"],
    }

    def test_1_notes(self):
        """notes that do not fit the start"""
        host, port = self.host()
        refused = 0
        for notes in self.WRONG.values():
            session, _ = self.guest(port)
            try:
                for note in notes:
                    session.write_frame(peer.NOTE, note)
                while True:
                    what, data = session.read(5)
                    if what == "goodbye":
                        refused += data == 2
                        break
            except (peer.Closed, peer.ProtocolError):
                pass
            session.connection.close()
        count = len(self.WRONG)
        self.figure("refused by a host", f"{refused} of {count}", exactly=f"{count} of {count}")
        self.figure("told as a game", count_told(host, 0, *MATCH_LAYER), exactly=0)
        wrong = (b"reveal " + b"0" * 64, b"accept 00", b"accept " + b"g" * 64, b"decline never",
                 b"challenge 1 tictactoe 1 - - " + b"0" * 64, b"cancel", b"dance", b"x" * 1025)
        refused = 0
        for note in wrong:
            player, session, _ = self.opponent()
            session.welcome()
            self.assertEqual(session.read()[0], "note")
            session.write_frame(peer.NOTE, note)
            refused += player.exit() == 76
        self.figure("refused by a joiner", f"{refused} of {len(wrong)}",
                    exactly=f"{len(wrong)} of {len(wrong)}")
        self.plays_on(host, port)

    def test_2_flood_of_notes(self):
        """16 MiB of notes before the game"""
        host, port = self.host("--accept", "ask")
        session, _ = self.guest(port)
        peak = Peak(host)
        note = struct.pack(">IB", 1001, peer.NOTE) + b"x" * 1000
        began, sent = time.monotonic(), 0
        try:
            while sent < 16 << 20:
                session.connection.write(note * 64)
                sent += len(note) * 64
                if session.connection.ended:
                    break
        except (OSError, peer.SSL.Error):
            pass
        self.assertTrue(session.connection.wait_for_end(10))
        self.figure("closed within", time.monotonic() - began, at_most=2.0, unit="s")
        self.figure("memory", peak.grown(), at_most=512, unit="KiB more")
        self.figure("it runs on", host.process.poll() is None, exactly=True)

    def test_3_mirrored(self):
        """a commitment passed on from another start"""
        tries, refused, begun = max(5, TRIES // 50), 0, 0
        host, port = self.host()
        for _ in range(tries):
            player, down, _ = self.opponent("Bob")
            down.welcome()
            what, challenge = down.read()
            up, _ = self.guest(port, "Ann")
            up.write_frame(peer.NOTE, challenge)
            what, accept = up.read()
            self.assertTrue(accept.startswith(b"accept "))
            down.write_frame(peer.NOTE, accept)
            what, reveal = down.read()
            self.assertTrue(reveal.startswith(b"reveal "))
            up.write_frame(peer.NOTE, reveal)
            try:
                what, code = up.read()
                refused += (what, code) == ("goodbye", 2)
            except peer.Closed:
                pass
            player.close()
            for session in (up, down):
                session.connection.close()
        self.figure("refused", f"{refused} of {tries}", exactly=f"{tries} of {tries}")
        self.figure("games begun", len(host.said("started")), exactly=0)
        # A host that gives back the joiner's own promise or bytes has none of its own.
        player, session, _ = self.opponent()
        session.welcome()
        _, challenge = session.read()
        session.write_frame(peer.NOTE, b"accept " + challenge.split()[-1])
        what, reveal = session.read()
        self.assertEqual(what, "note")
        self.plays_on(host, port)

    def test_4_abort(self):
        """a start that is broken off after the coin is known"""
        tries = max(10, TRIES // 10)
        host, port = self.host()

        def abort():
            session, match = self.guest(port)
            random = os.urandom(32)
            commitment = hashlib.sha256(
                b"ttt-commit-v1" + match.exporter + random).hexdigest().encode()
            session.write_frame(peer.NOTE, b"challenge 1 tictactoe 1 - - " + commitment)
            self.assertEqual(session.read()[1].split()[0], b"accept")
            session.connection.sock.close()
        # Only a challenge is seated, so a greeting alone does not warm the host for this.
        for _ in range(10):
            abort()
        peak = Peak(host)
        for _ in range(tries):
            abort()
        self.figure("games told", count_told(host, 0, *MATCH_LAYER), exactly=0)
        self.figure("matches on its disk", games(host), exactly=0)
        self.figure("memory", peak.grown(), at_most=512, unit="KiB more")
        self.plays_on(host, port)
        told = ended = 0
        tries = max(3, tries // 10)
        for _ in range(tries):
            player, session, match = self.opponent()
            session.welcome()
            session.read()
            session.write_frame(peer.NOTE, b"accept " + os.urandom(32).hex().encode())
            self.assertTrue(session.read()[1].startswith(b"reveal "))
            session.connection.sock.close()
            player.wait("link", state="lost")
            player.tell("quit")
            ended += player.exit() == 0
            told += count_told(player, 0, *MATCH_LAYER)
        self.figure("joiners that say so and end when told", f"{ended} of {tries}",
                    exactly=f"{tries} of {tries}")
        self.figure("games told by joiners", told, exactly=0)

    def test_5_names(self):
        """names that are too long, or no text"""
        host, port = self.host()
        refused = 0
        wrong = (b"x" * 65, b"x" * 255, b"x" * 3900, b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80",
                 b"x" * 63 + b"\xc3")
        for name in wrong:
            session = peer.Session(self.secure(port), "")
            session.name = type("Raw", (), {"encode": lambda self: name})()
            try:
                session.say_hello()
            except (peer.Closed, peer.ProtocolError):
                refused += 1
        self.figure("refused by a host", f"{refused} of {len(wrong)}",
                    exactly=f"{len(wrong)} of {len(wrong)}")
        refused = 0
        for name in wrong:
            player, session, _ = self.opponent()
            session.name = type("Raw", (), {"encode": lambda self: name})()
            session.peer_limit = 1 << 20
            session.welcome()
            refused += player.exit() in (69, 76)
        self.figure("refused by a joiner", f"{refused} of {len(wrong)}",
                    exactly=f"{len(wrong)} of {len(wrong)}")
        # The name of the first entry is another chance.
        refused = 0
        wrong = ("x" * 65, "%FF", "x" * 1200)
        told = 0
        for name in wrong:
            other, other_port = self.host()
            session, match = self.guest(other_port)
            match._open = lambda match=match, name=name: match.send_line(
                cheats.forge(match, "open", *match.pinned, name))
            match.challenge()
            try:
                while True:
                    what, code = session.read()
                    if what == "goodbye":
                        refused += code == 2
                        break
            except peer.Closed:
                pass
            told += count_told(other, 0, *MATCH_LAYER)
        self.figure("first entries refused", f"{refused} of {len(wrong)}",
                    exactly=f"{len(wrong)} of {len(wrong)}")
        self.figure("games told", told + count_told(host, 0, *MATCH_LAYER), exactly=0)
        self.plays_on(host, port)


class Forks(Attack):
    def test_1_as_guest(self):
        """a forked log, brought back by a guest"""
        forks = {
            "another hash": lambda log, match: (len(log), bytes(32)),
            "no hash": lambda log, match: (len(log), None),
            "the hash of the entry before": lambda log, match: (
                len(log), bytes.fromhex(match.hash(log[-2]))),
        }
        refused = told = 0
        tries = max(1, TRIES // 100)
        for fork in list(forks.values()) * tries:
            host, port = self.host()
            session, match = self.guest(port)
            match.challenge()
            host.wait("turn")
            self.move_and_part(host, session, match)
            log = match.logs[3 - match.seat]
            back = Returning(
                self.secure(port, identity=match.identity), "Eve", match, fork(log, match))
            kind, fields = back.say_hello()
            refused += (kind, fields.get(1)) == (peer.REFUSE, b"\0\x0a")
            told += host.wait("error")["code"] == "forked"
        self.figure("refused as forked", f"{refused} of {3 * tries}",
                    exactly=f"{3 * tries} of {3 * tries}")
        self.figure("told to the player", f"{told} of {3 * tries}",
                    exactly=f"{3 * tries} of {3 * tries}")

    @staticmethod
    def move_and_part(victim, session, match):
        """The victim moves, after a move of the peer's if that begins; then the link is cut."""
        if match.board.turn == match.seat:
            match.move(5)
            victim.wait("turn", you=True)
        victim.tell("move", square=1)
        match.expect("move")
        victim.wait("move", square=1)
        session.connection.sock.close()
        victim.wait("link", state="lost")

    def test_2_as_host(self):
        """a forked log, brought back by a host"""
        told = closed = 0
        tries = 3
        for _ in range(tries):
            listener, port = self.trap()
            player = self.start("join", f"127.0.0.1:{port}")
            identity = peer.Identity()
            session = peer.Session(
                peer.Connection(listener.accept()[0], identity, False), "Eve")
            session.hear_hello()
            session.welcome()
            match = peer.Match(session, identity)
            match.accept()
            player.wait("turn")
            self.move_and_part(player, session, match)
            count = len(match.logs[3 - match.seat])
            back = Returning(
                peer.Connection(listener.accept()[0], identity, False), "Eve", match,
                (count, bytes(32)), port)
            kind, _ = back.read_frame(time.monotonic() + 5)
            self.assertEqual(kind, peer.HELLO)
            back.limit = back.peer_limit = 65536
            back.write_frame(peer.WELCOME, back.fields())
            told += player.wait("error")["code"] == "forked"
            closed += player.exit() == 77
        self.figure("told to the player", f"{told} of {tries}", exactly=f"{tries} of {tries}")
        self.figure("ended", f"{closed} of {tries}", exactly=f"{tries} of {tries}")
