# SPDX-License-Identifier: MIT
"""Packets of multicast DNS, well formed and not (RFC 1035, RFC 6762, RFC 6763)."""
import random
import struct
import subprocess

TYPE = "_tictactoe._tcp.local"
LIFETIME = 2        # of records that are to run out soon, in seconds
A, ALIAS, POINTER, TEXT, AAAA, SERVICE = 1, 5, 12, 16, 28, 33


def labels(name):
    """A name in a packet; a label may be bytes."""
    parts = name.split(".") if isinstance(name, str) else name
    parts = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def record(owner, kind, data, lifetime=LIFETIME):
    owner = owner if isinstance(owner, bytes) else labels(owner)
    return owner + struct.pack(">HHIH", kind, 1, lifetime, len(data)) + data


def packet(*records, count=None):
    return struct.pack(
        ">6H", 0, 0x8400, 0, len(records) if count is None else count, 0, 0) + b"".join(records)


def alias(owner, target):
    return record(owner, ALIAS, labels(target))


def pointer(owner, target):
    return record(owner, POINTER, labels(target))


def aliases():
    """Packets that can end a browser which follows aliases through avahi-core 0.8: loops, chains
    that meet, and chains that are torn apart again."""
    return {
        "an alias of itself": [packet(alias(TYPE, TYPE))],
        "chains that meet": [packet(
            pointer("c.local", "x." + TYPE), alias("b.local", "c.local"),
            alias("a.local", "c.local"), alias(TYPE, "b.local"), alias(TYPE, "a.local"))],
        "a ring": [packet(
            alias(TYPE, "z.local"), alias(TYPE, "a.local"), alias("z.local", "a.local"),
            alias("a.local", "z.local"))],
        "a ring behind an alias": [
            packet(alias(TYPE, "a.local")),
            packet(alias(TYPE, "b.local"), alias("b.local", "a.local"),
                   alias("a.local", "b.local"))],
        "a long chain": [packet(
            alias(TYPE, "n0.local"), *(alias(f"n{n}.local", f"n{n + 1}.local") for n in range(40)),
            pointer("n40.local", "x." + TYPE))],
    }


def advert(name, number, address="10.77.0.99", port=4000, strings=None, lifetime=120, host=None):
    """A whole announcement of an open game that is not there."""
    instance = [name, "_tictactoe", "_tcp", "local"]
    host = host or f"ghost{number}.local"
    strings = [b"v=1", b"id=%016x" % number, b"k=" + b"%032x" % number, b"state=open",
               b"x=y"] if strings is None else strings
    text = b"".join(bytes([len(s)]) + s for s in strings) or b"\0"
    return packet(
        record(TYPE, POINTER, labels(instance), lifetime),
        record(instance, SERVICE, struct.pack(">HHH", 0, 0, port) + labels(host), lifetime),
        record(instance, TEXT, text, lifetime),
        record(host, A, bytes(map(int, address.split("."))), lifetime))


def malformed(count=400):
    """Packets with something wrong, and then some at random."""
    good = advert("Malformed", 0xBAD)
    long = b"x=" + b"y" * 250
    found = [
        b"", b"\0", good[:11], good[:12], good[:40], good[:-3],
        packet(count=65535), packet(record(TYPE, POINTER, b"\xc0\x0c"), count=9),
        packet(record(b"\xc0\x0c", POINTER, b"\xc0\x0c")),          # a name that is itself
        packet(record(b"\xff" * 64 + b"\0", POINTER, labels("a.local"))),
        packet(record(TYPE, POINTER, b"")), packet(record(TYPE, POINTER, b"\x3f")),
        packet(record(TYPE, POINTER, labels(["x" * 63] * 5 + ["local"]))),
        packet(record(TYPE, SERVICE, b"\0")), packet(record(TYPE, TEXT, b"\xff")),
        packet(record("g.local", A, b"\x0a")), packet(record("g.local", AAAA, bytes(3))),
        advert("No text", 1, strings=[]), advert("No id", 2, strings=[b"v=1", b"state=open"]),
        advert("Short id", 3, strings=[b"v=1", b"id=12", b"k=" + b"0" * 32, b"state=open"]),
        advert("Capitals", 4, strings=[b"v=1", b"id=00000000000000AB", b"state=open"]),
        advert("No key", 5, strings=[b"v=1", b"id=%016x" % 5, b"state=open"]),
        advert("Version", 6, strings=[b"v=2", b"id=%016x" % 6, b"k=" + b"0" * 32]),
        advert("Long", 7, strings=[b"v=1", b"id=%016x" % 7, long, long, long]),
        advert("Zeros", 8, strings=[b"", b"=", b"=x", b"v", b"id", bytes(255)]),
        advert("No port", 9, port=0),
    ]
    source = random.Random(5)
    for _ in range(count):
        data = bytearray(good)
        for _ in range(source.randrange(1, 6)):
            data[source.randrange(len(data))] = source.randrange(256)
        if source.random() < 0.3:
            del data[source.randrange(12, len(data)):]
        found.append(bytes(data))
    return found


SENDER = """
import socket, sys, time
address = sys.argv[1]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind((address, 5353))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
for line in sys.stdin:
    s.sendto(bytes.fromhex(line), ("224.0.0.251", 5353))
    time.sleep(float(sys.argv[2]))      # the pace, so that none is lost on the way
"""


def send(host, packets, pace=0.001):
    """Sends packets from a host of the lab that has no responder of its own."""
    subprocess.run(
        [*host.prefix, "/usr/bin/python3", "-c", SENDER, host.ipv4, str(pace)], check=True,
        timeout=60, text=True, input="".join(packet.hex() + "\n" for packet in packets))
