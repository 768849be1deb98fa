# SPDX-License-Identifier: MIT
"""TLS records that are broken, in one piece with such as end the session: what the victim still has
to say can not be said any more."""
import struct
import time

import peer
from stage import Attack


def in_one_piece(connection, whole):
    """A record as it should be, and one with a flipped bit."""
    connection.tls.send(whole)
    pieces = [connection.tls.bio_read(65536)]
    connection.tls.send(b"\0\0\0\2\xf1\1")
    broken = bytearray(connection.tls.bio_read(65536))
    broken[-1] ^= 1
    connection.sock.sendall(pieces[0] + bytes(broken))


class BrokenRecords(Attack):
    def quiet(self, player):
        """The processor time that the victim uses in a second, in percent."""
        def used():
            with open(f"/proc/{player.process.pid}/stat", encoding="ascii") as stat:
                return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        before = used()
        time.sleep(1)
        return used() - before

    def test_1_refused(self):
        """a broken record behind a hello that is refused"""
        host, port = self.host()
        connection = self.secure(port)
        hello = peer.Session(connection, "Eve").fields(application="another")
        in_one_piece(connection, struct.pack(">IB", 1 + len(hello), peer.HELLO) + hello)
        self.figure("closed", connection.wait_for_end(5), exactly=True)
        self.figure("processor", self.quiet(host), at_most=5, unit="%")
        self.plays_on(host, port)

    def test_2_in_a_game(self):
        """a broken record behind a frame of no bytes, from guest and host"""
        for role in ("guest", "host"):
            if role == "guest":
                player, port = self.host()
                session, match = self.guest(port)
                match.challenge()
            else:
                player, session, match = self.opponent()
                session.welcome()
                match.accept()
            player.wait("started")
            in_one_piece(session.connection, bytes(4))
            began = time.monotonic()
            self.figure(f"its end as {role}", player.exit(within=5), exactly=76)
            self.figure("within", (time.monotonic() - began) * 1000, at_most=1000, unit="ms")
