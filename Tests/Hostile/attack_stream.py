# SPDX-License-Identifier: MIT
"""What one stranger sends, or does not, before and after it has said who it is."""
import random
import socket
import struct
import threading
import time

import harness
import peer
from stage import Attack, Peak, seconds_to_end


class AgainstHost(Attack):
    def header(self, length):
        """Sends a header with this length, in TLS and without; the longest time to the end of the
        connection in ms, and the memory it cost in KiB."""
        host, port = self.host()
        self.warm(port)
        longest = 0
        for number, secured in enumerate((False, True) * 6):
            if number == 2:         # The first of each kind is what any of them needs.
                peak = Peak(host)
            stranger = self.stranger(port)
            if secured:
                stranger = peer.Connection(stranger, peer.Identity(), True)
            began = time.monotonic()
            if secured:
                stranger.write(length + b"xxxxxxxxxx")
                self.assertTrue(stranger.wait_for_end(15), "it still stands")
            else:
                stranger.sendall(length + b"xxxxxxxxxx")
                seconds_to_end(stranger, 15)
            longest = max(longest, time.monotonic() - began)
        self.figure("closed within", longest * 1000, at_most=50, unit="ms")
        self.figure("memory", peak.grown(), at_most=64, unit="KiB more")
        self.plays_on(host, port)

    def test_1_huge(self):
        """a header of 4 GiB"""
        self.header(b"\xff" * 4)

    def test_2_negative(self):
        """a header of −1, −5 and 0 bytes"""
        self.header(struct.pack(">i", -1))
        self.header(struct.pack(">i", -5))
        self.header(bytes(4))

    def test_3_silent(self):
        """a stranger who says nothing"""
        host, port = self.host()
        stranger = self.stranger(port)
        self.figure("closed after", seconds_to_end(stranger, 15), at_least=4.5, at_most=5.5,
                    unit="s")
        secured = self.secure(port)
        began = time.monotonic()
        secured.wait_for_end(15)
        self.figure("closed after, in TLS", time.monotonic() - began, at_least=4.5, at_most=5.5,
                    unit="s")
        self.plays_on(host, port)

    def trickle(self, write, ended, limit=20):
        """A byte a second until the other side ends it; how long that took."""
        began = time.monotonic()
        while not ended(1) and time.monotonic() - began < limit:
            try:
                write(b"a")
            except OSError:
                break
        return time.monotonic() - began

    def test_4_slow(self):
        """a frame of one byte a second"""
        host, port = self.host()
        secured = self.secure(port)
        secured.write(struct.pack(">I", 64))
        self.figure("closed after, as the hello",
                    self.trickle(secured.write, secured.wait_for_end), at_least=4.5, at_most=5.5,
                    unit="s")
        session, match = self.guest(port)
        match.challenge()
        connection = session.connection
        connection.write(struct.pack(">I", 64))
        self.figure("closed after, in a game",
                    self.trickle(connection.write, connection.wait_for_end), at_least=9.5,
                    at_most=10.5, unit="s")
        self.figure("it runs on", host.process.poll() is None, exactly=True)

    def test_5_halfopen(self):
        """half a header, then nothing"""
        host, port = self.host()
        secured = self.secure(port)
        secured.write(b"\0\0")
        began = time.monotonic()
        secured.wait_for_end(15)
        self.figure("closed after", time.monotonic() - began, at_least=4.5, at_most=5.5, unit="s")
        self.plays_on(host, port)

    def test_6_garbage(self):
        """random bytes, 1,000 times"""
        host, port = self.host()
        self.warm(port)
        idle = host.descriptors() + 1       # the one that a listener holds in reserve
        source = random.Random(1)
        for number in range(1000):
            if number == 500:       # By now there is the room that so many at once need.
                peak = Peak(host)
            stranger = self.stranger(port)
            try:
                if number % 4 == 0:
                    stranger.sendall(source.randbytes(source.randrange(1, 600)))
                else:
                    # What looks like the beginning of TLS goes further in.
                    body = source.randbytes(source.randrange(1, 600))
                    stranger.sendall(b"\x16\x03\x01" + struct.pack(">H", len(body)) + body)
            except ConnectionError:
                pass
            stranger.close()
        self.settles(host, idle)
        self.figure("memory for the second half", peak.grown(), at_most=512, unit="KiB more")
        self.figure("greeting afterwards", self.greeting_time(port), at_most=100, unit="ms")
        self.plays_on(host, port)

    def settles(self, host, idle):
        """Adds how many descriptors are left of an attack."""
        try:
            harness.until(lambda: host.descriptors() <= idle, 6, "descriptors closed")
        except AssertionError:
            pass
        self.figure("descriptors left behind", max(0, host.descriptors() - idle), exactly=0)

    def test_7_resets(self):
        """connections that are reset, 1,000 times"""
        host, port = self.host()
        self.warm(port)
        idle = host.descriptors() + 1
        for number in range(1000):
            if number == 500:
                peak = Peak(host)
            stranger = self.stranger(port)
            stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            try:
                if number % 2:
                    stranger.sendall(b"\x16\x03\x01\x00\x40a")
            except ConnectionError:
                pass
            stranger.close()
        self.settles(host, idle)
        self.figure("memory for the second half", peak.grown(), at_most=512, unit="KiB more")
        self.plays_on(host, port)

    def test_8_deaf(self):
        """an opponent who reads nothing"""
        host, port = self.host()
        self.warm(port)
        stranger = socket.socket()
        self.addCleanup(stranger.close)
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        stranger.bind((next(self.addresses), 0))
        stranger.connect(("127.0.0.1", port))
        identity = peer.Identity()
        session = peer.Session(peer.Connection(stranger, identity, True), "Deaf")
        session.say_hello()
        match = peer.Match(session, identity)
        match.challenge()
        host.wait("started")
        peak = Peak(host)
        # As many as may be said in a row. The peer reads no ping either, so it is taken for gone.
        for number in range(50):
            host.tell("say", text=f"{number:0500}")
            # The first goes alone: all together are more than the peer has room for.
            if number == 0:
                self.answer_time(host)
        host.wait("link", state="lost", within=30)
        queued, entries = 0, 0
        try:
            while True:
                what, data = session.read(2)
                if what == "packet":
                    queued += len(data)
                    entries += 1
        except (peer.Closed, TimeoutError):
            pass
        self.assertGreater(entries, 0)
        self.figure("sent and not taken", queued / 1024, at_most=256 + 2, unit="KiB")
        self.figure("memory", peak.grown(), at_most=2048, unit="KiB more")
        self.figure("answer to its player", self.answer_time(host), at_most=100, unit="ms")

    def answer_time(self, player):
        """How long the victim takes to answer its own player, in ms."""
        count = len(player.said("error"))
        began = time.monotonic()
        player.write("nonsense\n")
        harness.until(lambda: len(player.said("error")) > count, 10, "an answer", step=0.001)
        return (time.monotonic() - began) * 1000

    def test_9_pings_of_the_deaf(self):
        """500,000 pings of one who reads no answer"""
        host, port = self.host()
        session, match = self.guest(port)
        match.challenge()
        peak, pings = Peak(host), struct.pack(">IBQ", 9, peer.PING, 7) * 1000
        for _ in range(500):
            session.connection.write(pings)
        self.figure("memory", peak.grown(), at_most=256, unit="KiB more")
        self.figure("answer to its player", self.answer_time(host), at_most=100, unit="ms")
        answers = 0
        while True:
            try:
                kind, _ = session.read_frame(time.monotonic() + 0.5)
            except TimeoutError:
                break
            answers += kind == peer.PONG
        self.figure("pongs that waited", answers * 13 / 1024, at_most=256, unit="KiB")


class AgainstJoiner(Attack):
    """A host that is none; whoever joins it must end by itself, with a sentence."""

    def ends(self, player, within, at_least=0.0, what="it ends within"):
        began = time.monotonic()
        code = player.exit(within=15)
        self.worst = max(self.worst, time.monotonic() - began)
        self.shortest = min(self.shortest, time.monotonic() - began)
        self.codes.add(code)
        self.said.append(len([e for e in player.said("error") + player.said("refused")]))

    def setUp(self):
        super().setUp()
        self.worst, self.shortest, self.codes, self.said = 0, float("inf"), set(), []

    def told(self):
        self.figure("exit codes but 69, 76 and 77", len(self.codes - {69, 76, 77}), exactly=0)
        self.figure("sentences for each end", min(self.said), at_least=1)

    def test_1_nonsense(self):
        """to a joiner: headers of 4 GiB and −1, random bytes, resets"""
        source = random.Random(2)
        for data in (b"\xff" * 16, struct.pack(">i", -1) * 4, source.randbytes(4096),
                     b"\x16\x03\x03\xff\xff" + source.randbytes(600),
                     b"\x15\x03\x03\x00\x02\x02\x28", b"HTTP/1.1 200 OK\r\n\r\n"):
            for secured in (False, True):
                player, connection = self.joiner()
                if secured:
                    peer.Connection(connection, peer.Identity(), False).write(data)
                else:
                    connection.sendall(data)
                self.ends(player, 5)
        for _ in range(10):
            player, connection = self.joiner()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            self.ends(player, 5)
        self.figure("it ends within", self.worst * 1000, at_most=1000, unit="ms")
        self.told()

    def test_2_silence(self):
        """to a joiner: nothing, before and in TLS"""
        for secured in (False, True):
            player, connection = self.joiner()
            if secured:
                connection = peer.Connection(connection, peer.Identity(), False)
            self.ends(player, 5.5)
        self.figure("it ends after", self.worst, at_least=4.0, at_most=5.5, unit="s")
        self.told()

    def test_3_much(self):
        """to a joiner: 64 MiB in TLS before the welcome"""
        player, connection = self.joiner()
        connection = peer.Connection(connection, peer.Identity(), False)
        peak = Peak(player)
        frame = struct.pack(">IB", 4096, peer.GREASE) + bytes(4095)
        done = threading.Event()

        def flood():
            for _ in range(64 << 20 >> 16):
                if connection.ended or done.is_set():
                    break
                try:
                    connection.write(frame * 16)
                except (OSError, peer.SSL.Error):
                    break
        flooder = threading.Thread(target=flood)
        flooder.start()
        grown = 0
        while player.process.poll() is None and flooder.is_alive():
            try:
                grown = max(grown, peak.grown())
            except (OSError, StopIteration):
                break
        done.set()
        flooder.join(10)
        self.ends(player, 6)
        self.figure("memory", grown, at_most=512, unit="KiB more")
        self.told()
