# SPDX-License-Identifier: MIT
"""Opponents who cheat with time, or with connections that come and go."""
import glob
import os
import struct
import time

import cheats
import peer
from stage import Attack


class Clocks(Attack):
    def begin(self, clock, seconds, identity=None, **options):
        """A game with a clock at a victim that hosts: the victim, its port, session, match."""
        player, port = self.host("--clock", clock, **options)
        session, match = self.guest(port, identity=identity)
        match.clock, match.left = f"{seconds}+0", seconds * 1000
        self.assertIsNone(match.challenge())
        player.wait("started")
        return player, port, session, match

    def own_turn(self, player, match):
        """Plays until it is the cheat's turn."""
        player.wait("turn")
        if match.board.turn != match.seat:
            player.tell("move", square=1)
            match.expect("move")
            player.wait("turn", you=False)

    def again(self, port, session, match, epoch, more=0, listening=0):
        """Another connection of the same match and process, on which the cheat says that it has
        `more` entries than there are."""
        fresh = peer.Session(
            self.secure(port, identity=match.identity), session.name, session.instance)
        other = 3 - match.seat
        have = len(match.logs[other]) + more
        digest = os.urandom(32) if more else bytes.fromhex(match.last_hash(other))
        detail = struct.pack(">HBHHH", listening, match.seat, 0, epoch, 1)
        fresh.write_frame(peer.HELLO, peer.encode_fields(
            (1, struct.pack(">HH", 1, 1)), (2, peer.APPLICATION.encode()),
            (3, struct.pack(">HH", 1, 1)), (4, session.name.encode()), (5, session.instance),
            (6, bytes.fromhex(match.id)), (7, struct.pack(">Q", have)), (8, digest),
            (9, struct.pack(">I", 65536)), (10, detail), (0xF5, b"skip me")))
        fresh.write_frame(0xF3)
        kind, body = fresh.read_frame(time.monotonic() + 5)
        self.assertEqual(kind, peer.WELCOME)
        fresh.limit = fresh.peer_limit = 65536
        fresh.sent = fresh.peer_has = struct.unpack(">Q", peer.decode_fields(body)[7])[0]
        fresh.received = have
        return fresh

    def test_a_claims(self):
        """claims of a game whose time is not up"""
        lost = claims = 0
        for clock, seconds in (("1s", 1), ("2s", 2), ("1m", 60)):
            player, _, session, match = self.begin(clock, seconds)
            player.wait("turn")
            if match.board.turn == match.seat:
                match.move(1)
                player.wait("turn", you=True)
            for _ in range(3):
                claims += 1
                match.act("claim", "1", str(match.board.ply))
                kind, _ = match.receive()
                lost += kind == "accept"
                if kind == "accept":
                    break
            session.connection.close()
        self.figure("games lost with time left", f"{lost} in {claims} claims",
                    exactly="0 in 9 claims")

    def test_b_unasked(self):
        """a host with a clock of two seconds"""
        player, session, match = self.opponent()
        fields = session.fields
        detail = struct.pack(">HBHHHII", 0, 0, 0, 0, 0, 2, 0)
        session.fields = lambda *a, **k: fields(*a, **k) + peer.encode_fields((10, detail))
        session.welcome()
        self.figure("the joiner ends with", player.exit(), exactly=77)
        self.figure("games begun", len(player.said("started")), exactly=0)

    def test_c_silent_refill(self):
        """free time while it says that more is to come back"""
        player, port, session, match = self.begin("10s", 10)
        self.own_turn(player, match)
        since = len(player.events)
        for epoch in (1, 2, 3):
            self.again(port, session, match, epoch, more=1)
        player.wait("link", state="lost")
        match.session = self.again(port, session, match, 4)
        player.wait("link", state="restored")
        states = [e["state"] for _, e in player.events[since:] if e.get("event") == "link"]
        self.figure("told of the connection", " ".join(states), exactly="lost restored")

    def test_d_silent_goodbyes(self):
        """free time between connections that are given up"""
        player, port, session, match = self.begin("20s", 20)
        self.own_turn(player, match)
        began, current = time.monotonic(), session
        for epoch in range(1, 7):
            current.write_frame(peer.GOODBYE, peer.encode_fields((1, struct.pack(">H", 6))))
            # The time that is won so is what is measured.
            time.sleep(0.5)
            current = self.again(port, session, match, epoch)
        match.session = current
        passed = time.monotonic() - began
        match.act("move", "1", str(match.board.ply), cheats.free(match), "20000")
        left = player.wait("turn", you=True)["left"]["opponent"]
        told = sum(event["state"] == "lost" for event in player.said("link"))
        self.figure("gaps told, of six in ten seconds", told, exactly=5)
        self.figure("time that passed in none of them and did not count",
                    passed * 1000 - 500 * told - (20_000 - left), at_most=400, unit="ms")

    def test_e_journal(self):
        """connections again and again, each from another port"""
        home = self.new_home()
        player, port, session, match = self.begin("1h", 3600, peer.Identity(), home=home)
        path = glob.glob(f"{home}/.local/state/ttt/games/{match.id}.?")[0]
        player.wait("turn")
        size, last = os.path.getsize(path), session
        for epoch in range(1, 301):
            fresh = self.again(port, session, match, epoch, listening=10_000 + epoch)
            last.connection.close()
            last = fresh
        grown = os.path.getsize(path) - size
        self.figure("journal, after 300 connections", grown / 1024, at_most=64, unit="KiB more")
        player.tell("quit")
        player.exit()
        with open(path) as journal:
            links = [line for line in journal if line.startswith("link ")]
        self.figure("the last port is there at the end", ":10300" in links[-1], exactly=True)
