# SPDX-License-Identifier: MIT
"""A host that is asked about a guest: what becomes of the question when the guest is gone, or comes
again before the host knows that its connection broke."""
import socket
import threading
import unittest

import peer
from test_peer import WithPeer


class Asked(WithPeer):
    def guest(self, port, identity, **options):
        """A guest who has been welcomed and has challenged."""
        connection = peer.Connection.dial("127.0.0.1", port, identity)
        self.addCleanup(connection.close)
        session = peer.Session(connection, "Eve", **options)
        kind, _ = session.say_hello()
        self.assertEqual(kind, peer.WELCOME)
        match = peer.Match(session, identity)
        thread = threading.Thread(target=self.challenge, args=(match,), daemon=True)
        thread.start()
        self.addCleanup(thread.join, 5)
        return session, match, thread

    @staticmethod
    def challenge(match):
        try:
            match.challenge()
        except (peer.Closed, peer.ProtocolError, OSError, ValueError):
            pass

    def test_a_question_about_who_is_gone_is_taken_back(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1", accept=None)
        session, _, _ = self.guest(port, peer.Identity())
        host.wait("challenged")
        session.connection.sock.shutdown(socket.SHUT_RDWR)
        refused = host.wait("refused")
        self.assertEqual(refused["code"], "left")
        self.one_sentence(refused["message"])
        host.tell("accept")
        self.assertEqual(host.wait("error")["code"], "early")
        # The next one is asked about, and played with.
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Bob")
        host.tell("accept", key=host.wait("challenged", by="Bob")["key"])
        self.begin(host, guest)

    def test_who_comes_again_takes_its_own_place(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1", accept=None)
        identity = peer.Identity()
        first, _, _ = self.guest(port, identity)
        host.wait("challenged")
        # The host has not heard that this connection is none any more.
        _, _, playing = self.guest(port, identity, instance=first.instance)
        host.wait("refused", code="left")
        host.wait("challenged")
        host.tell("accept")
        self.assertEqual(host.wait("started")["key"], peer.fingerprint(identity.public))
        playing.join(5)
        self.assertFalse(playing.is_alive())

    def test_somebody_else_takes_no_place(self):
        host, port = self.host("--hidden", "--bind", "127.0.0.1", accept=None)
        identity = peer.Identity()
        first, _, _ = self.guest(port, identity)
        host.wait("challenged")
        for other, instance in ((peer.Identity(), first.instance), (identity, None)):
            connection = peer.Connection.dial("127.0.0.1", port, other)
            self.addCleanup(connection.close)
            session = peer.Session(connection, "Mallory", **(
                {"instance": instance} if instance else {}))
            kind, _ = session.say_hello()
            self.assertEqual(kind, peer.REFUSE)
        host.tell("accept")
        host.wait("started")
        self.assertEqual(host.said("refused"), [])


if __name__ == "__main__":
    unittest.main()
