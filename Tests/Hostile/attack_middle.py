# SPDX-License-Identifier: MIT
"""Somebody who sits between two players, ends the TLS of both with keys of his own, and relays."""
import os
import socket
import threading
import time

import arena
import code_peer
import harness
import peer
from attack_code import CodeAttack, Tally, other
from stage import TRIES


class Middle:
    """One try: a joiner on one side, the host on the other."""

    def __init__(self, case, listener, host_port, identity):
        self.identity = identity
        guest, _ = listener.accept()
        case.addCleanup(guest.close)
        self.down = code_peer.Joiner(peer.Connection(guest, identity, False), "Middle")
        self.up = code_peer.Joiner(case.secure(host_port, identity=identity), "Middle")
        for leg in (self.down, self.up):
            leg.identity = identity
            leg.limit = leg.peer_limit = 65536
        self.missed = False                 # whether the host has judged a try
        self.welcomed = False               # whether the host took it

    def frame(self, leg, within=5):
        return leg.next_frame(within)

    def hello(self):
        """Passes the hello on."""
        kind, body = self.frame(self.down)
        peer.demand(kind == peer.HELLO, "a hello")
        self.up.write_frame(kind, body)
        self.up.write_frame(peer.GREASE)
        return body

    def host_answers(self):
        """What the host says to a try."""
        kind, body = self.frame(self.up)
        self.missed = kind == peer.REFUSE
        if kind == code_peer.CODE:
            self.welcomed = True
        return kind, body

    # The attacks

    def relay(self):
        """Passes on everything as it is."""
        self.hello()
        for leg, to in ((self.up, self.down), (self.down, self.up)):
            kind, body = self.frame(leg)
            peer.demand(kind == code_peer.CODE, "a share")
            to.write_frame(kind, body)
        kind, body = self.host_answers()
        self.down.write_frame(kind, body)

    def guess(self):
        """Guesses on both sides, as host and as joiner."""
        self.hello()
        share = self.up.asked()
        tag = self.up.answer(other(self.code, 7), share)
        self.host_answers()
        session = self.down.connection.tls.export_keying_material(code_peer.EXPORTER, 32)
        secret = os.urandom(31) + b"\x0f"
        own = code_peer.product(
            secret, code_peer.generator(other(self.code, 9).encode(), session))
        self.down.write_frame(code_peer.CODE, own)
        self.frame(self.down)
        self.down.write_frame(code_peer.CODE, tag)
        self.down.welcome()

    def silence_about_it(self):
        """Welcomes the joiner without asking for the code."""
        self.frame(self.down)
        self.down.welcome()

    def no_proof(self):
        """Asks for the code and welcomes without proof."""
        self.hello()
        self.down.write_frame(code_peer.CODE, self.up.asked())
        self.frame(self.down)
        self.down.welcome()

    def mirror(self):
        """Gives each side back what it said."""
        self.hello()
        share = self.up.asked()
        self.up.write_frame(code_peer.CODE, share + bytes(64))
        self.host_answers()
        self.down.write_frame(code_peer.CODE, share)
        _, body = self.frame(self.down)
        self.down.write_frame(code_peer.CODE, body[32:])
        self.down.welcome()

    def any_proof(self):
        """Asks for the code, and proves it with bytes at random."""
        self.hello()
        self.down.write_frame(code_peer.CODE, self.up.asked())
        self.frame(self.down)
        self.down.write_frame(code_peer.CODE, os.urandom(64))
        self.down.welcome()

    def neutral(self):
        """Shows points that make the secret known."""
        self.hello()
        self.up.asked()
        self.up.write_frame(code_peer.CODE, bytes(96))
        self.host_answers()
        self.down.write_frame(code_peer.CODE, bytes(32))
        self.down.write_frame(code_peer.CODE, bytes(64))
        self.down.welcome()

    ATTACKS = ("relay", "any_proof", "guess", "any_proof", "relay", "mirror", "silence_about_it",
               "any_proof", "no_proof", "any_proof", "neutral")


class WithCode(CodeAttack):
    def test_1_code(self):
        """the man in the middle, with a code"""
        host, port = self.code_host()
        listener, way = self.trap()
        identity, home = peer.Identity(), self.new_home()
        played = refused = fooled = 0
        tally = Tally()
        began = time.monotonic()
        for number in range(TRIES):
            code = self.code_of(host)
            joiner = self.start("join", f"127.0.0.1:{way}", "--name", "Bob", "--code", home=home,
                                TTT_CODE=code)
            attack = Middle.ATTACKS[number % len(Middle.ATTACKS)]
            middle = Middle(self, listener, port, identity)
            middle.code = code
            try:
                getattr(middle, attack)()
                # If the joiner was taken in, it goes on to the game.
                while True:
                    if self.frame_kind(middle.down) == peer.NOTE:
                        fooled += 1
                        joiner.process.kill()
                        break
            except (peer.Closed, peer.ProtocolError, TimeoutError, OSError):
                pass
            ended = joiner.exit(within=20)
            refused += ended in (76, 77)
            played += len(joiner.said("started")) + middle.welcomed
            for leg in (middle.up, middle.down):
                leg.connection.sock.close()
            joiner.close()
            self.players.remove(joiner)
            if middle.missed and tally.add(code) == 3:
                self.next_code(host, code)
        took = time.monotonic() - began
        played += len(host.said("started")) + len(host.said("challenged"))
        self.figure("got through", f"{played + fooled} of {TRIES}", exactly=f"0 of {TRIES}")
        self.figure("told to the joiner", f"{refused} of {TRIES}", exactly=f"{TRIES} of {TRIES}")
        self.figure(f"most tries judged of one of {tally.codes} codes", tally.most, at_most=3)
        self.figure("a try", took / TRIES * 1000, at_most=1000, unit="ms")
        self.figure("the right code works afterwards", self.right_code_works(host, port),
                    exactly=True)

    @staticmethod
    def frame_kind(leg):
        return leg.read_frame(time.monotonic() + 5)[0]


class KnownPlayers(CodeAttack):
    """Without a code, players who have met before."""

    def met(self):
        """Two homes whose players know each other."""
        host, port = self.host("--name", "Ann")
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Bob")
        self.begin(host, guest)
        host.tell("resign")
        guest.wait("over")
        guest.tell("quit"), host.tell("quit")
        guest.exit(), host.exit()
        return host.home, guest.home

    def middle(self, listener, port, names):
        """Sits down between them with keys of his own and their names, up to the host's
        answer."""
        sock, _ = listener.accept()
        self.addCleanup(sock.close)
        identity = peer.Identity()
        down = peer.Session(peer.Connection(sock, identity, False), names[0])
        up = peer.Session(self.secure(port, identity=identity), names[1])
        down.hear_hello()
        kind, fields = up.say_hello()
        return identity, down, up, kind, fields

    def test_1_warned(self):
        """the man in the middle between old friends"""
        tries, warned = max(4, TRIES // 50), {"host": 0, "joiner": 0}
        hosts, guests = self.met()
        for _ in range(tries):
            host, port = self.host("--name", "Ann", home=hosts)
            listener, way = self.trap()
            joiner = self.start("join", f"127.0.0.1:{way}", "--name", "Bob", home=guests)
            identity, down, up, kind, _ = self.middle(listener, port, ("Ann", "Bob"))
            self.assertEqual(kind, peer.WELCOME)
            down.welcome()
            low, high = peer.Match(down, identity), peer.Match(up, identity)
            low.accept()
            high.challenge()
            for name, player in (("joiner", joiner), ("host", host)):
                started = player.wait("started")
                warned[name] += (not started["known"] and
                                 "other-key" in [e["code"] for e in player.warnings()])
                player.close()
            for leg in (down, up):
                leg.connection.sock.close()
        for name, count in warned.items():
            self.figure(f"{name}s warned", f"{count} of {tries}", exactly=f"{tries} of {tries}")

    def test_2_refused(self):
        """the same, at a host for known players"""
        tries, refused = max(4, TRIES // 50), 0
        hosts, guests = self.met()
        host, port = self.host("--name", "Ann", "--accept", "known", home=hosts)
        for _ in range(tries):
            listener, way = self.trap()
            joiner = self.start("join", f"127.0.0.1:{way}", "--name", "Bob", home=guests)
            _, down, up, kind, fields = self.middle(listener, port, ("Ann", "Bob"))
            refused += (kind, fields.get(1)) == (peer.REFUSE, b"\0\x07")
            joiner.close()
            for leg in (down, up):
                leg.connection.sock.close()
        self.figure("refused", f"{refused} of {tries}", exactly=f"{tries} of {tries}")
        friend = self.start("join", f"127.0.0.1:{port}", "--name", "Bob", home=guests)
        self.begin(host, friend, within=8)

    def test_3_resumed(self):
        """the same, when a match goes on"""
        if os.geteuid() != 0:
            self.skipTest("sockets in other networks need root")
        hosts, guests = arena.Space(), arena.Space()
        self.addCleanup(hosts.close), self.addCleanup(guests.close)
        listener = guests.socket()
        self.addCleanup(listener.close)
        listener.settimeout(8)
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        host = self.start("host", "--accept", "all", "--hidden", "--name", "Ann", place=hosts)
        port = host.wait("hosting")["port"]
        joiner = self.start("join", f"127.0.0.1:{listener.getsockname()[1]}", "--name", "Bob",
                            place=guests)

        def to_host():
            sock = hosts.socket()
            self.addCleanup(sock.close)
            sock.settimeout(5)
            sock.connect(("127.0.0.1", port))
            return sock
        way = Relay(listener.accept()[0], to_host())
        x, o = self.begin(host, joiner)
        self.play(x, o, harness.X_WINS[:2])
        way.cut()
        for player in (host, joiner):
            player.wait("link", state="lost")
        tries, refused, left = 3, 0, 0
        identity = peer.Identity()
        for _ in range(tries):
            sock, _ = listener.accept()
            self.addCleanup(sock.close)
            down = code_peer.Joiner(peer.Connection(sock, identity, False), "Ann")
            up = code_peer.Joiner(peer.Connection(to_host(), identity, True), "Bob")
            kind, hello = down.next_frame()
            self.assertEqual(kind, peer.HELLO)
            up.write_frame(kind, hello)
            kind, body = up.next_frame()
            refused += (kind, peer.decode_fields(body).get(1)) == (peer.REFUSE, b"\0\x07")
            # A welcome in the host's place: the hello's fields, from the other seat, and of one
            # who has nothing yet, which fits every log.
            fields = peer.decode_fields(hello)
            detail = bytearray(fields[10])
            detail[2] = 3 - detail[2]
            fields.pop(8)
            fields.update({5: os.urandom(8), 7: bytes(8), 10: bytes(detail[:7]) + b"\0\0"})
            down.limit = down.peer_limit = 65536
            down.write_frame(peer.WELCOME, peer.encode_fields(*fields.items()))
            left += down.connection.wait_for_end(5)
            for leg in (down, up):
                leg.connection.sock.close()
        restored = [event for player in (host, joiner) for event in player.said("link")
                    if event["state"] == "restored"]
        self.figure("refused by the host", f"{refused} of {tries}", exactly=f"{tries} of {tries}")
        self.figure("left by the joiner", f"{left} of {tries}", exactly=f"{tries} of {tries}")
        self.figure("matches gone on with", len(restored), exactly=0)
        way = Relay(listener.accept()[0], to_host())
        self.addCleanup(way.cut)
        for player in (host, joiner):
            player.wait("link", state="restored", within=20)


class Relay:
    """Passes one connection on, as it is, until it is cut."""

    def __init__(self, one, other):
        self.pair = (one, other)
        self.threads = [threading.Thread(target=self._pump, args=pair, daemon=True)
                        for pair in ((one, other), (other, one))]
        for sock in self.pair:
            sock.settimeout(None)
        for thread in self.threads:
            thread.start()

    @staticmethod
    def _pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass

    def cut(self):
        for sock in self.pair:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self.threads:
            thread.join(2)
        for sock in self.pair:
            sock.close()
