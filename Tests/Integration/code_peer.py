# SPDX-License-Identifier: MIT
"""The code of docs/protocol.md §4.7, written from it and from draft-irtf-cfrg-cpace-21 alone."""
import ctypes
import hashlib
import hmac
import os
import select
import socket
import time

import peer

CODE = 0x0A
EXPORTER = b"EXPORTER-ttt-pake-v1"
DSI = b"CPaceRistretto255"

sodium = ctypes.CDLL("libsodium.so.23")
if sodium.sodium_init() < 0:
    raise OSError("libsodium cannot be used")


def lv_cat(*parts):
    """Each part behind its length in LEB128."""
    out = b""
    for part in parts:
        length = len(part)
        while length >= 0x80:
            out += bytes([length & 0x7F | 0x80])
            length >>= 7
        out += bytes([length]) + part
    return out


def generator(code, session):
    padding = bytes(max(0, 127 - len(lv_cat(code)) - len(lv_cat(DSI))))
    digest = hashlib.sha512(lv_cat(DSI, code, padding, b"ttt-code-v1", session)).digest()
    point = ctypes.create_string_buffer(32)
    sodium.crypto_core_ristretto255_from_hash(point, digest)
    return point.raw


def product(scalar, point):
    result = ctypes.create_string_buffer(32)
    peer.demand(
        sodium.crypto_scalarmult_ristretto255(result, scalar, point) == 0, "§4.7: share")
    return result.raw


def tags(session, points, shares, identities):
    """The tags of A and B, from the common secret, both shares and both fingerprints."""
    data = (b"host" + identities[0], b"joiner" + identities[1])
    isk = hashlib.sha512(
        lv_cat(DSI + b"_ISK", session, points)
        + lv_cat(shares[0], data[0]) + lv_cat(shares[1], data[1])).digest()
    key = hashlib.sha512(b"CPaceMac" + session + isk).digest()
    return [hmac.new(key, lv_cat(*pair), hashlib.sha512).digest() for pair in zip(shares, data)]


class Host:
    """Somebody who listens, and asks who dials for a code that it only guesses."""

    def __init__(self, address="127.0.0.1"):
        self.identity = peer.Identity()
        self.listener = socket.create_server((address, 0), backlog=64)
        self.port = self.listener.getsockname()[1]

    def close(self):
        self.listener.close()

    def asks(self, guess, within=5):
        """Takes the next who dials, and asks."""
        self.listener.settimeout(within)
        sock, _ = self.listener.accept()
        return Asking(peer.Connection(sock, self.identity, False), self.identity, guess)

    def was_dialled(self):
        """Whether somebody has dialled and not been taken."""
        return bool(select.select([self.listener], [], [], 0)[0])


class Asking(peer.Session):
    """A host's side of one connection."""

    def __init__(self, connection, identity, guess):
        super().__init__(connection, "Mallory")
        self.identity = identity
        self.hear_hello()
        self.exported = connection.tls.export_keying_material(EXPORTER, 32)
        self.secret = os.urandom(31) + b"\x0f"
        self.share = product(self.secret, generator(guess.encode(), self.exported))
        self.write_frame(CODE, self.share)

    def is_known(self, within=5):
        """Whether the guess was the joiner's code, which its answer tells."""
        kind, body = next_frame(self, within)
        peer.demand(kind == CODE and len(body) == 96, "§4.7: message 2")
        self.tags = tags(
            self.exported, product(self.secret, body[:32]), (self.share, body[:32]),
            [peer.fingerprint_bytes(key)
             for key in (self.identity.public, self.connection.peer_key)])
        return body[32:] == self.tags[1]

    def end(self, refusal=None):
        """Goes, with a refusal or without a word."""
        if refusal is not None:
            self.refuse(refusal)
        self.connection.close()


def next_frame(session, within=5):
    """The next frame with a meaning."""
    deadline = time.monotonic() + within
    while True:
        kind, body = session.read_frame(deadline)
        if kind < 0xF0:
            return kind, body


class Joiner(peer.Session):
    """A joiner that can be asked for a code."""

    @classmethod
    def dial(cls, port, name="Eve", source="127.0.0.1"):
        identity = peer.Identity()
        connection = peer.Connection(
            socket.create_connection(("127.0.0.1", port), 4, (source, 0)), identity, True)
        session = cls(connection, name)
        session.identity = identity
        session.write_frame(peer.HELLO, session.fields())
        session.write_frame(peer.GREASE)
        return session

    def next_frame(self, within=5):
        """The next frame with a meaning."""
        return next_frame(self, within)

    def asked(self):
        """The host's share."""
        kind, share = self.next_frame()
        peer.demand(kind == CODE and len(share) == 32, "§4.7: message 1")
        return share

    def answer(self, code, share):
        """Sends message 2, and gives the tag that the host must show."""
        connection = self.connection
        session = connection.tls.export_keying_material(EXPORTER, 32)
        secret = os.urandom(31) + b"\x0f"
        own = product(secret, generator(code.encode(), session))
        host_tag, own_tag = tags(
            session, product(secret, share), (share, own),
            [peer.fingerprint_bytes(key) for key in (connection.peer_key, self.identity.public)])
        self.write_frame(CODE, own + own_tag)
        return host_tag

    def outcome(self, tag):
        """The refuse code, or 0 if the host proved the code and welcomes."""
        kind, body = self.next_frame()
        if kind == peer.REFUSE:
            return int.from_bytes(peer.decode_fields(body)[1], "big")
        peer.demand(kind == CODE and body == tag, "§4.7: message 3")
        kind, body = self.next_frame()
        peer.demand(kind == peer.WELCOME, "§4.7: the welcome")
        return 0
