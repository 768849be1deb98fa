# SPDX-License-Identifier: MIT
"""The independent peer plays with `ttt`: as its guest and as its host."""
import os
import re
import socket
import unittest

import harness
import peer
from test_program import OnLoopback


class Vectors(unittest.TestCase):
    """The examples of the document, read by the peer that is written from it."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(harness.ROOT, "docs", "protocol.md"), encoding="utf-8") as text:
            blocks = re.findall(r"^```(\w+) ?([\w-]*)\n(.*?)^```", text.read(), re.M | re.S)
        cls.vectors = {
            name: bytes.fromhex("".join(line.split(";")[0] for line in body.splitlines()))
            for kind, name, body in blocks if kind == "vector"}
        cls.exchanges = [body.splitlines() for kind, _, body in blocks if kind == "exchange"]

    def frames(self, data):
        """The frames in these bytes, as a session reads them."""
        session = peer.Session(type("Stream", (), {"read": lambda *_: b""}), "reader")
        session.buffer, session.limit = data, 65536
        frames = []
        while True:
            try:
                frames.append(session.read_frame(0))
            except peer.Closed as end:
                self.assertFalse(end.cut)
                return frames

    def test_each_is_one_frame_with_fields_that_can_be_read(self):
        self.assertGreater(len(self.vectors), 8)
        with_fields = (peer.HELLO, peer.WELCOME, peer.REFUSE, peer.GOODBYE)
        for name, data in self.vectors.items():
            with self.subTest(vector=name):
                (kind, body), = self.frames(data)
                if kind in with_fields:
                    fields = peer.decode_fields(body)
                    self.assertEqual(peer.encode_fields(*fields.items()), body)

    def test_a_hello_and_its_welcome_are_taken(self):
        for name, welcome in (("hello", False), ("welcome", True)):
            (_, body), = self.frames(self.vectors[name])
            session = peer.Session(None, "reader")
            fields = peer.decode_fields(body)
            fields[2] = peer.APPLICATION.encode()
            session.check_fields(fields, welcome)
            self.assertEqual(session.peer_limit, 1 << 20)

    def test_an_exchange_goes_as_it_says(self):
        for lines in self.exchanges:
            kinds = [(line[0], self.frames(bytes.fromhex(line[2:]))[0][0]) for line in lines]
            self.assertEqual(kinds[0], ("I", peer.HELLO))
            self.assertTrue(kinds[1][1] >= 0xF0 and kinds[3][1] >= 0xF0)
            self.assertEqual(kinds[2], ("R", peer.WELCOME))
            self.assertEqual(kinds[-1][1], peer.GOODBYE)


class WithPeer(OnLoopback):
    """On the machine's own loopback, so that the peer needs no namespace."""

    @classmethod
    def setUpClass(cls):
        pass

    def as_guest(self, *args, clock="-", **options):
        """ttt hosts, the peer joins and has been welcomed."""
        player, port = self.host("--hidden", "--bind", "127.0.0.1", "--name", "Ann", *args)
        identity = peer.Identity()
        connection = peer.Connection.dial("127.0.0.1", port, identity)
        self.addCleanup(connection.close)
        self.assertEqual(player.said("hosting")[0]["key"], peer.fingerprint(connection.peer_key))
        self.assertIn(connection.tls.get_cipher_name(),
                      ("TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"))
        session = peer.Session(connection, "Eve", **options)
        kind, _ = session.say_hello()
        self.assertEqual(kind, peer.WELCOME)
        self.assertEqual(session.peer[4], b"Ann")
        return player, session, peer.Match(session, identity, clock)

    def as_host(self):
        """The peer hosts, ttt joins and has said hello."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        listener.settimeout(5)
        player = self.start("join", f"127.0.0.1:{listener.getsockname()[1]}", "--name", "Bob")
        identity = peer.Identity()
        connection = peer.Connection(listener.accept()[0], identity, False)
        self.addCleanup(connection.close)
        session = peer.Session(connection, "Eve")
        session.hear_hello()
        self.assertEqual(session.peer[4], b"Bob")
        return player, session, peer.Match(session, identity)


class Independent(WithPeer):
    def started(self, player, match, game=1):
        started = player.next()
        mark = "O" if (match.seat == 1) == (game % 2 == 1) else "X"
        self.assertEqual(started, {
            "event": "started", "match": match.id, "game": game, "you": mark, "opponent": "Eve",
            "key": peer.fingerprint(match.identity.public), "known": False,
            "compare": f"{match.compare:07}", "board": ".........",
            "resumed": False})

    def game(self, player, match, squares):
        """Plays squares 1…9 in turn, each side its own, and sees that both are told alike."""
        for ply, square in enumerate(squares, 1):
            own = match.board.turn == match.seat
            self.assertEqual(player.next(), {"event": "turn", "you": not own, "ply": ply})
            if own:
                match.move(square)
            else:
                player.tell("move", square=square)
                match.expect("move")
            # The player is told once this side's acknowledgement, or its own check, is there.
            told = player.next()
            board = "".join(
                ".XO"[seat and (1 if seat == match.board.first else 2)]
                for seat in match.board.squares)
            self.assertEqual(told, {
                "event": "move", "ply": ply, "mark": "XO"[(ply - 1) % 2], "square": square,
                "board": board})

    def whole_match(self, player, match):
        self.started(player, match)
        self.game(player, match, harness.X_WINS)
        self.assertEqual(match.finish(), ("1", "line"))
        over = player.next()
        self.assertEqual((over["outcome"], over["winner"], over["termination"]),
                         ("win", "X", "line"))
        match.act("offer", "1", "rematch")
        self.assertEqual(player.next(), {"event": "offer", "kind": "rematch", "by": "opponent"})
        player.tell("accept")
        match.expect("accept")
        self.assertEqual(player.next(),
                         {"event": "answered", "kind": "rematch", "accepted": True})
        self.started(player, match, game=2)
        self.game(player, match, harness.DRAW)
        self.assertEqual(match.finish(), ("draw", "full"))
        self.assertEqual(player.next()["outcome"], "draw")
        player.tell("offer", kind="rematch")
        match.expect("offer")
        player.next()
        match.act("accept", match.logs[3 - match.seat][-1].split(" ")[1])
        player.next()
        self.started(player, match, game=3)
        player.tell("say", text="well played")
        _, (text,) = match.expect("say")
        self.assertEqual(peer.unword(text), b"well played")

    def test_it_joins_and_plays_a_match(self):
        player, session, match = self.as_guest()
        self.assertIsNone(match.challenge())
        self.whole_match(player, match)
        session.say_goodbye()
        player.wait("link", state="lost", reason="left", within=3)
        self.assertIn(peer.GREASE & 0xF0, {kind & 0xF0 for kind in session.frames},
                      "ttt sends a frame that is to be skipped")

    def test_it_wants_another_clock_than_the_host(self):
        player, _, match = self.as_guest("--clock", "1m", clock="60+1")
        self.assertEqual(match.challenge(), "clock")
        # This peer says in no hello what it wants.
        self.assertIn("a clock of 1m", player.wait("refused")["message"])

    def test_it_claims_too_early(self):
        player, _, match = self.as_guest("--clock", "10s", clock="10+0")
        self.assertIsNone(match.challenge())
        player.wait("turn")
        if match.board.turn == match.seat:
            match.move(5)
            player.wait("turn", you=True)
        match.act("claim", "1", str(match.board.ply))
        self.assertEqual(player.next()["event"], "claimed")
        match.expect("decline")
        self.assertEqual(player.next(), {"event": "claimDeclined", "by": "you"})
        player.tell("move", square=1)
        match.expect("move")

    def test_it_hosts_and_plays_a_match(self):
        player, session, match = self.as_host()
        session.welcome()
        match.accept()
        self.whole_match(player, match)
        player.tell("quit")
        while True:
            kind, arguments = match.receive()
            if kind == "goodbye":
                break
        self.assertEqual(player.exit(), 0)

    def test_it_refuses(self):
        for code, word, number in ((3, "busy", 77), (4, "declined", 77)):
            with self.subTest(code=word):
                player, session, _ = self.as_host()
                session.refuse(code, "not now")
                self.assertEqual(player.wait("refused")["code"], word)
                self.assertEqual(player.exit(), number)

    def broken(self, player, session, code=2, number=76):
        """The player ends the match, names the fault, and says goodbye with the code."""
        try:
            while True:
                what, data = session.read(5)
                if what == "goodbye":
                    self.assertEqual(data, code)
                    break
        except peer.Closed as closed:
            self.fail(f"no goodbye: {closed}\n{self.transcript()}")
        player.wait("error", within=3)
        player.wait("closed", within=3)
        self.assertEqual(player.exit(), number)

    def test_it_cheats(self):
        """Each cheat in a game of its own, once it is the peer's turn."""
        def forged(match, kind, *arguments, **changes):
            """An entry with the true signature of this key, however wrong its words are."""
            other = 3 - match.seat
            words = {
                "seat": str(match.seat), "number": str(len(match.logs[match.seat]) + 1),
                "seen": str(len(match.logs[other])), "seen_hash": match.last_hash(other),
                "previous": match.last_hash(match.seat), **changes}
            unsigned = " ".join([*words.values(), kind, *arguments])
            signature = match.identity.key.sign(b"ttt-entry-v1\n" + unsigned.encode())
            match.send_line(f"{unsigned} {signature.hex()}")

        def wrong_signature(match):
            line = " ".join([
                str(match.seat), "2", "1", match.last_hash(3 - match.seat),
                match.last_hash(match.seat), "say", "x", "00" * 64])
            match.send_line(line)

        def move(match, action, ply=None, game=None):
            forged(match, "move", str(game or match.game), str(ply or match.board.ply), action)

        def occupied(match):
            if match.board.ply == 1:
                move(match, "1")
                forged(match, "move", "1", "2", "2")
            else:
                move(match, "5")
        cheats = {
            "a wrong signature": wrong_signature,
            "a square that is taken, or two moves": occupied,
            "a square that does not exist": lambda m: move(m, "0"),
            "a later ply": lambda m: move(m, "1", ply=m.board.ply + 2),
            "another game": lambda m: move(m, "1", game=2),
            "the other seat": lambda m: forged(
                m, "move", "1", str(m.board.ply), "1", seat=str(3 - m.seat)),
            "a broken chain": lambda m: forged(m, "say", "x", previous="1" * 64),
            "a wrong hash of the other log": lambda m: forged(m, "say", "x", seen_hash="1" * 64),
            "more seen than was sent": lambda m: forged(m, "say", "x", seen="999"),
            "a second open": lambda m: forged(m, "open", *m.pinned, "Eve"),
            "an unknown kind": lambda m: forged(m, "win", "1"),
            "an end before the end": lambda m: forged(m, "end", "1", str(m.seat), "line"),
            "an answer to no offer": lambda m: forged(m, "accept", "1"),
            "a second spelling": lambda m: forged(m, "say", "%41"),
            "too many words": lambda m: forged(m, "resign", "1", "1"),
            "no words": lambda m: m.send_line("x"),
            "an entry that is too long": lambda m: forged(m, "say", "x" * 1800),
        }
        # Entries that only fit another log than the one that was sent.
        forks = ("a broken chain", "a wrong hash of the other log")
        for name, cheat in cheats.items():
            with self.subTest(cheat=name):
                player, session, match = self.as_guest()
                self.assertIsNone(match.challenge())
                player.wait("turn")
                if match.board.turn != match.seat:
                    player.tell("move", square=5)
                    match.expect("move")
                cheat(match)
                if name in forks:
                    self.broken(player, session, code=8, number=77)
                else:
                    self.broken(player, session)

    def test_it_breaks_the_fair_start(self):
        """The host says why it goes, and waits for the next."""
        player, session, _ = self.as_guest()
        session.write_frame(peer.NOTE, b"dance")
        self.assertEqual(session.read(), ("goodbye", 2))
        self.assertIsNone(player.process.poll())
        player, session, _ = self.as_host()
        session.welcome()
        session.read()
        session.write_frame(peer.NOTE, b"dance")
        self.assertEqual(session.read(), ("goodbye", 2))
        self.assertEqual(player.exit(), 76)

    def test_it_breaks_the_session(self):
        """Frames that no peer may send at this time."""
        wrong = {
            "a second hello": lambda s: s.write_frame(peer.HELLO, s.fields()),
            "a welcome": lambda s: s.write_frame(peer.WELCOME, s.fields()),
            "a packet out of order": lambda s: s.write_frame(peer.PACKET, bytes(7) + b"\x09x"),
            "more acknowledged than sent": lambda s: s.write_frame(peer.HAVE, b"\xff" * 8),
            "a short ping": lambda s: s.write_frame(peer.PING, b"1234567"),
        }
        for name, send in wrong.items():
            with self.subTest(frame=name):
                player, session, match = self.as_guest()
                self.assertIsNone(match.challenge())
                player.wait("turn")
                send(session)
                self.broken(player, session)

    def test_its_frames_come_in_pieces(self):
        """Every byte in a TLS record of its own."""
        player, session, match = self.as_guest()
        write = session.connection.write
        session.connection.write = lambda data: [write(data[i:i + 1]) for i in range(len(data))]
        self.assertIsNone(match.challenge())
        self.whole_match(player, match)

    def test_it_speaks_another_version(self):
        player, port = self.host("--hidden", "--bind", "127.0.0.1")
        for changes, code in (({"low": 2, "high": 9}, 1), ({"application": "chess"}, 2)):
            with self.subTest(changes=changes):
                connection = peer.Connection.dial("127.0.0.1", port, peer.Identity())
                self.addCleanup(connection.close)
                session = peer.Session(connection, "Eve")
                session.fields = lambda: peer.Session.fields(session, **changes)
                kind, fields = session.say_hello()
                self.assertEqual((kind, fields[1]), (peer.REFUSE, bytes([0, code])))
                self.assertTrue(connection.wait_for_end(3))
        self.assertIsNone(player.process.poll())
