# SPDX-License-Identifier: MIT
"""What strangers send to the port of a waiting host: the connection ends, the host does not."""
import random
import socket
import time

import harness
import peer
from test_program import OnLoopback

LENGTHS = ("ffffffff", "fffffffb", "80000000", "7fffffff", "00000000")


class Strangers(OnLoopback):
    """Here on the machine's own loopback, so that the test can connect to it."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        super().setUp()
        self.host_, self.port = self.host("--hidden", "--bind", "127.0.0.1")

    def tearDown(self):
        """Whatever happened, the next guest plays."""
        if self.host_.process.poll() is not None:
            self.fail("the host ended\n" + self.transcript())
        guest = self.start("join", f"127.0.0.1:{self.port}")
        x, o = self.begin(self.host_, guest)
        self.play(x, o, harness.X_WINS)
        self.finish(x, o, "X", "line")

    def connect(self, source="127.0.0.3"):
        stranger = socket.create_connection(("127.0.0.1", self.port), 5, (source, 0))
        self.addCleanup(stranger.close)
        return stranger

    def ends(self, stranger, within):
        """Reads until the other side ends the connection; how long that took."""
        began = time.monotonic()
        stranger.settimeout(within)
        try:
            while stranger.recv(65536):
                pass
        except ConnectionError:
            pass
        except socket.timeout:
            self.fail(f"the connection still stands after {within} s")
        return time.monotonic() - began

    def send(self, stranger, data):
        try:
            stranger.sendall(data)
        except ConnectionError:
            pass

    def test_a_web_browser(self):
        stranger = self.connect()
        self.send(stranger, b"GET / HTTP/1.1\r\nHost: h1\r\n\r\n")
        self.ends(stranger, 5.5)

    def test_random_bytes_and_impossible_lengths(self):
        source = random.Random(7)
        strangers = []
        for number, data in enumerate([source.randbytes(65536), *map(bytes.fromhex, LENGTHS)]):
            strangers.append(self.connect(source=f"127.0.0.{10 + number}"))
            self.send(strangers[-1], data)
        began = time.monotonic()
        for stranger in strangers:
            self.ends(stranger, began + 5.5 - time.monotonic())

    def test_silence(self):
        took = self.ends(self.connect(), 6)
        self.assertGreater(took, 4, "a slow network is no silence")

    def test_a_byte_a_second(self):
        stranger = self.connect()
        stranger.settimeout(1)
        began = time.monotonic()
        try:
            while time.monotonic() - began < 7:
                stranger.sendall(b"\x16")
                try:
                    if not stranger.recv(4096):
                        break
                except socket.timeout:
                    continue
        except ConnectionError:
            pass
        self.assertLess(time.monotonic() - began, 6.5)

    def test_inside_tls(self):
        """The same once TLS stands, where frames are read."""
        source = random.Random(8)
        for data in [source.randbytes(65536), b"GET / HTTP/1.1\r\n\r\n",
                     *map(bytes.fromhex, LENGTHS)]:
            with self.subTest(data=data[:4].hex()):
                stranger = peer.Connection.dial("127.0.0.1", self.port, peer.Identity())
                self.addCleanup(stranger.close)
                began = time.monotonic()
                stranger.write(data)
                self.assertTrue(stranger.wait_for_end(6))
                self.assertLess(time.monotonic() - began, 5.5)

    def test_silence_inside_tls(self):
        began = time.monotonic()
        stranger = peer.Connection.dial("127.0.0.1", self.port, peer.Identity())
        self.addCleanup(stranger.close)
        self.assertTrue(stranger.wait_for_end(6))
        self.assertLess(time.monotonic() - began, 5.5)

    def test_many_strangers_leave_nothing_behind(self):
        def wave(count):
            source = random.Random(9)
            for _ in range(count):
                stranger = self.connect()
                self.send(stranger, source.randbytes(source.randrange(1, 4096)))
                stranger.close()
            harness.until(lambda: self.host_.descriptors() <= idle, 8, "descriptors closed")
        idle = self.host_.descriptors() + 1     # the one that the listener holds in reserve
        wave(200)
        before = self.host_.memory()
        wave(600)
        self.assertLess(self.host_.memory() - before, 1024, "KiB more after 600 strangers")

    def test_no_stranger_keeps_a_guest_out(self):
        """Fifty who say nothing hold connections while a guest joins; see tearDown."""
        for _ in range(50):
            self.connect(source="127.0.0.2")
