# SPDX-License-Identifier: MIT
"""The code of docs/protocol.md §4.7, written from it and from draft-irtf-cfrg-cpace-21 alone."""
import ctypes
import hashlib
import hmac
import os
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
        deadline = time.monotonic() + within
        while True:
            kind, body = self.read_frame(deadline)
            if kind < 0xF0:
                return kind, body

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
        data_a = b"host" + peer.fingerprint_bytes(connection.peer_key)
        own_key = self.identity.key.public_key().public_bytes(
            peer.Encoding.Raw, peer.PublicFormat.Raw)
        data_b = b"joiner" + peer.fingerprint_bytes(own_key)
        isk = hashlib.sha512(
            lv_cat(DSI + b"_ISK", session, product(secret, share))
            + lv_cat(share, data_a) + lv_cat(own, data_b)).digest()
        key = hashlib.sha512(b"CPaceMac" + session + isk).digest()
        tags = [hmac.new(key, lv_cat(*pair), hashlib.sha512).digest()
                for pair in ((share, data_a), (own, data_b))]
        self.write_frame(CODE, own + tags[1])
        return tags[0]

    def outcome(self, tag):
        """The refuse code, or 0 if the host proved the code and welcomes."""
        kind, body = self.next_frame()
        if kind == peer.REFUSE:
            return int.from_bytes(peer.decode_fields(body)[1], "big")
        peer.demand(kind == CODE and body == tag, "§4.7: message 3")
        kind, body = self.next_frame()
        peer.demand(kind == peer.WELCOME, "§4.7: the welcome")
        return 0
