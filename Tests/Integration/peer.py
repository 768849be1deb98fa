# SPDX-License-Identifier: MIT
"""An independent peer, written from docs/protocol.md alone; § numbers are its sections.

It trusts nothing: every frame, signature, hash and rule is checked, and `ProtocolError` says
which one the other side broke. Reading and writing block, with deadlines.
"""
import base64
import datetime
import hashlib
import hmac
import os
import re
import select
import socket
import struct
import time

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey, Ed25519PublicKey)
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from OpenSSL import SSL, crypto

ALPN = b"online-play/1"
EXPORTER = b"EXPORTER-ttt-open-v1"

# §4
(HELLO, WELCOME, REFUSE, PACKET, HAVE, PING, PONG, GOODBYE, NOTE) = range(1, 10)
GREASE = 0xF3

# §7
APPLICATION, RULES, RULES_VERSION, OPTIONS = "tictactoe", "tictactoe", "1", ""

NO_HASH = "0" * 64
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class ProtocolError(Exception):
    """The other side did what the protocol forbids."""


class Closed(Exception):
    """The stream ended; `cut` when inside a frame."""

    def __init__(self, cut):
        super().__init__("cut" if cut else "closed")
        self.cut = cut


def demand(condition, what):
    if not condition:
        raise ProtocolError(what)


class Identity:
    """An Ed25519 key and its self-signed certificate (§2)."""

    def __init__(self):
        self.key = Ed25519PrivateKey.generate()
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "peer")])
        now = datetime.datetime.utcnow()
        self.certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(self.key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=3650)).sign(self.key, None))
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def fingerprint_bytes(public_key):
    """The SHA-256 of the DER SubjectPublicKeyInfo (§2)."""
    return hashlib.sha256(Ed25519PublicKey.from_public_bytes(public_key).public_bytes(
        Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()


def fingerprint(public_key):
    """The fingerprint as 52 letters of lower-case base32 (§2)."""
    text = base64.b32encode(fingerprint_bytes(public_key)).decode()
    return text.rstrip("=").lower()


def advert(identity, instance):
    """The strings of the TXT record of an open game (§6)."""
    salt = os.urandom(8)
    digest = hashlib.sha256(salt + fingerprint_bytes(identity.public)).digest()
    return ["v=1", "id=" + instance.hex(), "k=" + (salt + digest[:8]).hex(), "state=open",
            "unknown=key"]


class Connection:
    """TLS 1.3 over a socket (§2). TLS works on memory, so that every wait has a deadline."""

    def __init__(self, sock, identity, initiator):
        context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(SSL.TLS1_3_VERSION)
        context.set_options(SSL.OP_NO_TICKET)
        context.use_privatekey(crypto.PKey.from_cryptography_key(identity.key))
        context.use_certificate(crypto.X509.from_cryptography(identity.certificate))
        context.set_verify(
            SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, lambda *arguments: True)
        if initiator:
            context.set_alpn_protos([ALPN])
        else:
            context.set_alpn_select_callback(
                lambda _, offered: ALPN if ALPN in offered else SSL.NO_OVERLAPPING_PROTOCOLS)
        self.sock = sock
        self.tls = SSL.Connection(context, None)
        self.tls.set_connect_state() if initiator else self.tls.set_accept_state()
        self.initiator = initiator
        self.ended = False
        deadline = time.monotonic() + 5
        while True:
            try:
                self.tls.do_handshake()
                break
            except SSL.WantReadError:
                self._flush()
                self._fill(deadline)
                if self.ended:
                    raise Closed(False)
        self._flush()
        demand(self.tls.get_alpn_proto_negotiated() == ALPN, "§2: no agreement on ALPN")
        demand(self.tls.get_protocol_version_name() == "TLSv1.3", "§2: not TLS 1.3")
        key = self.tls.get_peer_certificate().to_cryptography().public_key()
        demand(isinstance(key, Ed25519PublicKey), "§2: the key is not Ed25519")
        self.peer_key = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.exporter = self.tls.export_keying_material(EXPORTER, 32)

    @classmethod
    def dial(cls, host, port, identity):
        return cls(socket.create_connection((host, port), 4), identity, True)

    def _flush(self):
        while True:
            try:
                self.sock.sendall(self.tls.bio_read(65536))
            except SSL.WantReadError:
                return
            except ConnectionError:
                self.ended = True
                return

    def _fill(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.sock], [], [], left)[0]:
            raise TimeoutError("nothing came")
        try:
            data = self.sock.recv(65536)
        except ConnectionError:
            data = b""
        if data:
            self.tls.bio_write(data)
        else:
            self.ended = True

    def write(self, data):
        for start in range(0, len(data), 16384):
            self.tls.send(data[start:start + 16384])
        self._flush()

    def read(self, deadline):
        """Some bytes, or none at the end of the stream."""
        while True:
            try:
                return self.tls.recv(65536)
            except SSL.WantReadError:
                self._flush()
                if self.ended:
                    return b""
                self._fill(deadline)
            except (SSL.ZeroReturnError, SSL.Error):
                self.ended = True
                return b""

    def wait_for_end(self, within):
        """Whether the other side ends the stream in time."""
        deadline = time.monotonic() + within
        try:
            while self.read(deadline):
                pass
        except TimeoutError:
            return False
        return True

    def close(self):
        try:
            self.tls.shutdown()
            self._flush()
        except (SSL.Error, OSError):
            pass
        self.sock.close()


# §4: fields

def encode_fields(*pairs):
    return b"".join(struct.pack(">BH", tag, len(value)) + value for tag, value in pairs)


def decode_fields(body):
    fields = {}
    while body:
        demand(len(body) >= 3, "§4: bytes left over")
        tag, length = struct.unpack_from(">BH", body)
        demand(len(body) >= 3 + length, "§4: a field that is cut")
        demand(tag not in fields or tag >= 0xF0, f"§4: tag {tag:02x} twice")
        fields[tag] = body[3:3 + length]
        body = body[3 + length:]
    return fields


class Session:
    """Frames, hello, and the two logs (§3, §4)."""

    def __init__(self, connection, name, instance=None):
        self.connection = connection
        self.name = name
        self.instance = instance or os.urandom(8)
        self.token = None
        self.buffer = b""
        self.limit = 4096                   # what this side accepts
        self.peer_limit = 4096              # what the other side accepts
        self.sent = self.peer_has = 0       # own log
        self.received = 0                   # the other's log
        self.frames = []                    # kinds in the order they came
        self.peer = None                    # fields of its hello or welcome
        self.goodbye = None

    # Frames

    def write_frame(self, kind, body=b""):
        demand(1 + len(body) <= self.peer_limit, "§3: own frame too large")
        self.connection.write(struct.pack(">IB", 1 + len(body), kind) + body)

    def read_frame(self, deadline):
        while True:
            if len(self.buffer) >= 4:
                length = struct.unpack_from(">I", self.buffer)[0]
                demand(1 <= length <= self.limit, f"§3: length {length}")
                if len(self.buffer) >= 4 + length:
                    kind, body = self.buffer[4], self.buffer[5:4 + length]
                    self.buffer = self.buffer[4 + length:]
                    self.frames.append(kind)
                    return kind, body
            data = self.connection.read(deadline)
            if not data:
                raise Closed(bool(self.buffer))
            self.buffer += data

    # Hello

    def fields(self, low=1, high=1, application=APPLICATION, **changes):
        pairs = [
            (1, struct.pack(">HH", low, high)), (2, application.encode()),
            (3, struct.pack(">HH", 1, 1)), (4, self.name.encode()), (5, self.instance)]
        if self.token:
            pairs.append((6, self.token))
        pairs += [(7, struct.pack(">Q", 0)), (9, struct.pack(">I", 65536)), (0xF5, b"skip me")]
        return encode_fields(*pairs)

    def check_fields(self, fields, welcome):
        for tag, size in ((1, 4), (3, 4), (5, 8), (7, 8), (9, 4)):
            demand(len(fields.get(tag, b"")) == size, f"§4.1: tag {tag:02x}")
        for tag, least, most in ((2, 1, 64), (4, 0, 64)):
            demand(tag in fields and least <= len(fields[tag]) <= most, f"§4.1: tag {tag:02x}")
            fields[tag].decode("utf-8")
        demand(fields[2] == APPLICATION.encode(), "§4.1: application")
        demand(any(tag >= 0xF0 for tag in fields), "§4: no field to be skipped")
        low, high = struct.unpack(">HH", fields[1])
        demand(low <= 1 <= high and (not welcome or low == high), "§4.1: versions")
        demand(fields[5] != self.instance, "§4.1: instance")
        demand(welcome == (6 in fields) and (not welcome or len(fields[6]) == 16), "§4.1: token")
        demand(fields[7] == bytes(8), "§4.1: have in a new session")
        self.peer_limit = struct.unpack(">I", fields[9])[0]
        demand(4096 <= self.peer_limit <= 16777216, "§4.1: largest frame")
        self.limit = 65536
        self.peer = fields

    def say_hello(self):
        """The initiator's part, up to the answer: (WELCOME or REFUSE, fields)."""
        self.write_frame(HELLO, self.fields())
        self.write_frame(GREASE, os.urandom(5))
        deadline = time.monotonic() + 65
        while True:
            kind, body = self.read_frame(deadline)
            if kind >= 0xF0:
                continue
            demand(kind in (WELCOME, REFUSE), f"§4.1: kind {kind:02x} before the welcome")
            fields = decode_fields(body)
            if kind == WELCOME:
                self.check_fields(fields, True)
                self.token = fields[6]
            else:
                demand(len(fields.get(1, b"")) == 2, "§4.3: code")
            return kind, fields

    def hear_hello(self, within=5):
        """The responder's part: reads the hello."""
        deadline = time.monotonic() + within
        kind, body = self.read_frame(deadline)
        demand(kind == HELLO, "§4.1: the first frame is the hello")
        self.check_fields(decode_fields(body), False)

    def welcome(self):
        self.token = os.urandom(16)
        self.write_frame(WELCOME, self.fields())
        self.write_frame(GREASE)

    def refuse(self, code, text="no"):
        self.write_frame(REFUSE, encode_fields((1, struct.pack(">H", code)), (2, text.encode())))

    def say_goodbye(self, code=0, text=""):
        self.write_frame(GOODBYE, encode_fields((1, struct.pack(">H", code)), (2, text.encode())))
        self.connection.close()

    # The log

    def send_packet(self, data):
        self.sent += 1
        self.write_frame(PACKET, struct.pack(">Q", self.sent) + data)

    def acknowledge(self, digest):
        self.write_frame(HAVE, struct.pack(">Q", self.received) + digest)

    def read(self, within=5):
        """The next ("packet", bytes), ("note", bytes), ("had", hash) or ("goodbye", code)."""
        deadline = time.monotonic() + within
        while True:
            kind, body = self.read_frame(deadline)
            if kind == PACKET:
                demand(len(body) >= 8, "§4: packet without a number")
                number = struct.unpack_from(">Q", body)[0]
                demand(number <= self.received + 1, f"§4.2: packet {number} out of order")
                if number == self.received + 1:
                    self.received = number
                    return "packet", body[8:]
            elif kind == HAVE:
                demand(len(body) in (8, 40), "§4: have")
                count = struct.unpack_from(">Q", body)[0]
                demand(self.peer_has <= count <= self.sent, f"§4.2: have {count}")
                self.peer_has = count
                return "had", body[8:]
            elif kind == NOTE:
                return "note", body
            elif kind == PING:
                demand(len(body) == 8, "§4: ping")
                self.write_frame(PONG, body)
            elif kind == GOODBYE:
                fields = decode_fields(body)
                demand(len(fields.get(1, b"")) == 2, "§4.3: code")
                self.goodbye = struct.unpack(">H", fields[1])[0]
                return "goodbye", self.goodbye
            else:
                demand(kind > NOTE, f"§4: kind {kind:02x} at the wrong time")


# §5: words

def word(data):
    """An argument's one spelling."""
    if isinstance(data, str):
        data = data.encode()
    if data == b"":
        return "-"
    if data == b"-":
        return "%2D"
    return "".join(
        chr(byte) if 0x21 <= byte <= 0x7E and byte != 0x25 else f"%{byte:02X}" for byte in data)


def unword(text):
    if text == "-":
        return b""
    data = re.sub(rb"%([0-9A-F]{2})", lambda m: bytes([int(m.group(1), 16)]), text.encode())
    demand(word(data) == text, f"§5: {text!r} is no spelling of an argument")
    return data


def number(text):
    demand(re.fullmatch("0|[1-9][0-9]*", text), f"§5: {text!r} is no number")
    return int(text)


class Board:
    """One game of tic-tac-toe: nine squares and who is to move."""

    def __init__(self, first):
        self.squares, self.ply, self.first = [0] * 9, 1, first

    @property
    def turn(self):
        return self.first if self.ply % 2 else 3 - self.first

    def play(self, seat, square):
        demand(seat == self.turn and self.result is None, "§5.4: not this seat's turn")
        demand(not self.squares[square - 1], f"§5.4: square {square} is taken")
        self.squares[square - 1] = seat
        self.ply += 1

    @property
    def result(self):
        """(RESULT, TERMINATION), or None while it goes on."""
        for a, b, c in LINES:
            if self.squares[a] and self.squares[a] == self.squares[b] == self.squares[c]:
                return str(self.squares[a]), "line"
        return ("draw", "full") if all(self.squares) else None


class Match:
    """The fair start and the two signed logs of a match (§5)."""

    def __init__(self, session, identity, clock="-"):
        self.session, self.identity, self.clock = session, identity, clock
        self.left = clock != "-" and int(clock.split("+")[0]) * 1000
        self.exporter = session.connection.exporter
        self.logs = {1: [], 2: []}
        self.seen = {1: 0, 2: 0}        # the last SEEN of each author
        self.game, self.board = 1, None
        self.ends, self.offers = {}, {}

    # §5.1

    def _derive(self, joiner, host):
        key = hmac.digest(self.exporter, joiner + host, "sha256")

        def part(label):
            return hmac.digest(key, label, "sha256")
        joiner_seat = 2 if part(b"coin")[-1] & 1 else 1
        self.seat = joiner_seat if self.session.connection.initiator else 3 - joiner_seat
        self.joiner_seat = joiner_seat
        self.id = part(b"match")[:16].hex()
        self.compare = int.from_bytes(part(b"compare")[:3], "big") >> 4
        keys = {self.seat: self.identity.public, 3 - self.seat: self.session.connection.peer_key}
        self.keys = {seat: Ed25519PublicKey.from_public_bytes(key) for seat, key in keys.items()}
        self.pinned = [
            "1", word(RULES), RULES_VERSION, word(OPTIONS), self.clock, self.id, keys[1].hex(), keys[2].hex(),
            str(joiner_seat), self.exporter.hex(), self.commitment, host.hex(), joiner.hex()]
        self.board = Board(1)

    def _note(self, within=5):
        while True:
            what, data = self.session.read(within)
            if what == "note":
                return data.decode().split(" ")
            demand(what == "had", f"§5.1: {what} before the game")

    def challenge(self):
        """The joiner's part. Returns the reason when the host declines."""
        random = os.urandom(32)
        self.commitment = hashlib.sha256(b"ttt-commit-v1" + self.exporter + random).hexdigest()
        self.session.write_frame(NOTE, " ".join(
            ["challenge", "1", word(RULES), RULES_VERSION, word(OPTIONS), self.clock,
             self.commitment]).encode())
        answer = self._note(within=65)
        if answer[0] == "decline":
            return answer[1]
        demand(answer[0] == "accept" and re.fullmatch("[0-9a-f]{64}", answer[1]), "§5.1: accept")
        self.session.write_frame(NOTE, b"reveal " + random.hex().encode())
        self._derive(random, bytes.fromhex(answer[1]))
        self._open()
        return None

    def accept(self):
        """The host's part."""
        note = self._note()
        demand(note[:6] == ["challenge", "1", word(RULES), RULES_VERSION, word(OPTIONS),
                            self.clock], f"§5.1: {note}")
        demand(re.fullmatch("[0-9a-f]{64}", note[6]) and len(note) == 7, "§5.1: commitment")
        self.commitment = note[6]
        random = os.urandom(32)
        self.session.write_frame(NOTE, b"accept " + random.hex().encode())
        note = self._note()
        demand(note[0] == "reveal" and re.fullmatch("[0-9a-f]{64}", note[1]), "§5.1: reveal")
        joiner = bytes.fromhex(note[1])
        demand(hashlib.sha256(b"ttt-commit-v1" + self.exporter + joiner).hexdigest()
               == self.commitment, "§5.1: the commitment is to other bytes")
        self._derive(joiner, random)
        self._open()

    def _open(self):
        self.append("open", *self.pinned, word(self.session.name))
        kind, arguments = self.receive()
        demand(kind == "open" and arguments[:-1] == self.pinned, "§5.2: open")
        unword(arguments[-1]).decode("utf-8")

    # §5.2

    @staticmethod
    def hash(line):
        return hashlib.sha256(b"ttt-hash-v1\n" + line.encode()).hexdigest()

    def last_hash(self, seat, count=None):
        log = self.logs[seat] if count is None else self.logs[seat][:count]
        return self.hash(log[-1]) if log else NO_HASH

    def append(self, kind, *arguments):
        """Writes an own entry and sends it."""
        other = 3 - self.seat
        unsigned = " ".join([
            str(self.seat), str(len(self.logs[self.seat]) + 1), str(len(self.logs[other])),
            self.last_hash(other), self.last_hash(self.seat), kind, *arguments])
        signature = self.identity.key.sign(b"ttt-entry-v1\n" + unsigned.encode())
        self.send_line(f"{unsigned} {signature.hex()}")

    def send_line(self, line):
        self.logs[self.seat].append(line)
        self.session.send_packet(line.encode())

    def receive(self, within=5):
        """The next entry of the other side: its kind and arguments, checked and stored."""
        while True:
            what, data = self.session.read(within)
            if what == "packet":
                break
            if what == "had":
                demand(not data or self.session.peer_has == 0 or
                       data.hex() == self.last_hash(self.seat, self.session.peer_has),
                       "§4.2: the hash of have")
                continue
            if what == "goodbye":
                return "goodbye", [data]
            raise ProtocolError(f"§5: {what} in a game")
        return self.check(data.decode("ascii"))

    def check(self, line):
        demand(len(line) <= 2048, "§5.2: too long")
        other = 3 - self.seat
        words = line.split(" ")
        demand(len(words) >= 7 and all(words), "§5.2: words")
        seat, count, seen, seen_hash, previous, kind, *arguments, signature = words
        demand(number(seat) == other, "§5.2: seat")
        demand(number(count) == len(self.logs[other]) + 1, "§5.2: number")
        demand(self.seen[other] <= number(seen) <= len(self.logs[self.seat]), "§5.4: seen")
        demand(seen_hash == self.last_hash(self.seat, int(seen)), "§5.2: hash of what was seen")
        demand(previous == self.last_hash(other), "§5.2: previous hash")
        demand(re.fullmatch("[0-9a-f]{128}", signature), "§5.2: signature")
        try:
            self.keys[other].verify(
                bytes.fromhex(signature), b"ttt-entry-v1\n" + line[:-129].encode())
        except InvalidSignature:
            raise ProtocolError("§5.2: wrong signature") from None
        for argument in arguments:
            unword(argument)
        self.seen[other] = int(seen)
        self.apply(other, len(self.logs[other]) + 1, kind, arguments)
        self.logs[other].append(line)
        self.session.acknowledge(bytes.fromhex(self.hash(line)))
        return kind, arguments

    # §5.3 to §5.5

    def apply(self, seat, count, kind, arguments):
        """Checks and plays an entry of either side."""
        if kind == "move":
            game, ply, action, *left = arguments
            demand(len(left) == (self.clock != "-"), "§5.7: LEFT")
            demand(number(game) == self.game and number(ply) == self.board.ply, "§5.3: ply")
            data = unword(action)
            demand(re.fullmatch(b"[1-9]", data), "§7: action")
            self.board.play(seat, int(data))
        elif kind == "resign":
            demand(number(arguments[0]) == self.game, "§5.3: game")
            self.resigned = seat
        elif kind == "offer":
            demand(number(arguments[0]) == self.game and
                   arguments[1] in ("draw", "rematch"), "§5.2: offer")
            self.offers[seat] = (count, arguments[1])
        elif kind == "claim":
            demand(self.clock != "-" and number(arguments[0]) == self.game and
                   number(arguments[1]) == self.board.ply and self.board.turn != seat,
                   "§5.7: claim")
            self.offers[seat] = (count, "claim")
        elif kind in ("accept", "decline"):
            offered = self.offers.pop(3 - seat, None)
            demand(offered and number(arguments[0]) == offered[0], "§5.2: answer to no offer")
            if kind == "accept" and offered[1] == "rematch":
                self.next_game()
        elif kind == "end":
            demand(number(arguments[0]) == self.game, "§5.5: game")
            self.ends[seat] = tuple(arguments[1:])
            demand(len(set(self.ends.values())) == 1, "§5.5: the ends differ")
            if self.board.result:
                demand(self.ends[seat] == self.board.result, "§5.5: the end is not so")
        elif kind == "say":
            demand(1 <= len(unword(arguments[0])) <= 500, "§5.2: text")
        else:
            demand(kind == "open" and count == 1, f"§5.2: kind {kind}")

    def next_game(self):
        self.game += 1
        self.board = Board(1 if self.game % 2 else 2)
        self.ends, self.offers = {}, {}

    def act(self, kind, *arguments):
        """An own entry, played and sent."""
        self.apply(self.seat, len(self.logs[self.seat]) + 1, kind, list(arguments))
        self.append(kind, *arguments)

    def move(self, square):
        left = [] if self.clock == "-" else [str(self.left)]
        self.act("move", str(self.game), str(self.board.ply), str(square), *left)

    def expect(self, *kinds):
        kind, arguments = self.receive()
        demand(kind in kinds, f"§5: {kind} instead of {' or '.join(kinds)}")
        return kind, arguments

    def finish(self):
        """Both ends, in their order (§5.5)."""
        result, termination = self.board.result
        if self.board.turn == self.seat:            # the other's move was the last
            self.act("end", str(self.game), result, termination)
            self.expect("end")
        else:
            self.expect("end")
            self.act("end", str(self.game), result, termination)
        return result, termination
