# SPDX-License-Identifier: MIT
"""Strangers who take a host's time and do not play."""
import threading
import time

import harness
import peer
from stage import Attack, TRIES

CHALLENGE = b"challenge 1 tictactoe 1 - - " + b"0" * 64


class Seat(Attack):
    def busy(self, stop, visit):
        """Does `visit` again and again, whatever comes of it."""
        def work():
            while not stop.is_set():
                try:
                    visit()
                except (OSError, peer.Closed, peer.ProtocolError, peer.SSL.Error,
                        AssertionError, ValueError):
                    time.sleep(0.01)
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 15)
        self.addCleanup(stop.set)

    def ask(self, port, source, identity, last):
        """Asks, and takes it back after so many seconds."""
        session = peer.Session(self.secure(port, source, identity), "Pest")
        try:
            if session.say_hello()[0] != peer.WELCOME:
                time.sleep(0.02)
                return
            session.write_frame(peer.NOTE, CHALLENGE)
            try:
                while True:
                    session.read(last)
            except (peer.Closed, OSError, AssertionError):
                pass
            session.write_frame(peer.NOTE, b"cancel")
        finally:
            session.connection.close()

    def test_1_silent(self):
        """a stranger that says hello and no more, again and again"""
        host, port = self.host("--accept", "ask")
        stop, welcomed = threading.Event(), []

        def visit():
            session, _ = self.guest(port, source="127.104.0.1")
            welcomed.append(session)
            session.connection.wait_for_end(12)
        for _ in range(3):
            self.busy(stop, visit)
        harness.until(lambda: len(welcomed) >= 3, 5, "strangers at the door")
        tries, asked = max(3, TRIES // 100), 0
        for number in range(tries):
            guest = self.start("join", f"127.0.0.1:{port}", "--name", f"Guest{number}")
            host.wait("challenged", by=f"Guest{number}", within=6)
            asked += 1
            guest.tell("decline")
            guest.exit(), guest.close()
        self.figure("asked about", f"{asked} of {tries} joins", exactly=f"{tries} of {tries} joins")
        stop.set()

    def test_2_asking(self):
        """one key that asks and takes it back"""
        host, port = self.host("--accept", "ask")
        stop, pest = threading.Event(), peer.Identity()
        self.busy(stop, lambda: self.ask(port, "127.104.1.1", pest, 0.1))
        time.sleep(10)
        questions = len(host.said("challenged"))
        self.figure("questions in 10 s", questions, at_least=1, at_most=5)
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Bob")
        began = time.monotonic()
        host.wait("challenged", by="Bob", within=6)
        self.figure("a guest is asked about within", time.monotonic() - began, at_most=3.0,
                    unit="s")
        stop.set()
        # Another may have asked in the last second.
        time.sleep(1.1)
        host.tell("accept")
        self.begin(host, guest)

    def test_3_declined(self):
        """one key that asks again whatever the answer"""
        host, port = self.host("--accept", "ask")
        stop, pest = threading.Event(), peer.Identity()
        self.busy(stop, lambda: self.ask(port, "127.104.2.1", pest, 5))
        host.wait("challenged")
        host.tell("decline")
        time.sleep(5)
        self.figure("questions after a no, in 5 s", len(host.said("challenged")) - 1, exactly=0)
        stop.set()
