#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""crowd.py PORT RATE one|many hello|silent: dials 127.0.0.1 so often a second, from one address or
many, until its input ends. It says a real ClientHello each time and leaves soon; or it says nothing
and stays until it is thrown out. Then it prints how many connections it has made."""
import select
import socket
import struct
import sys
import time

from OpenSSL import SSL

# How many may stay: those who say something leave before they would hold a place.
STAY = {"hello": 40, "silent": 1000}


def client_hello():
    context = SSL.Context(SSL.TLS_METHOD)
    context.set_min_proto_version(SSL.TLS1_3_VERSION)
    context.set_alpn_protos([b"online-play/1"])
    tls = SSL.Connection(context, None)
    tls.set_connect_state()
    try:
        tls.do_handshake()
    except SSL.WantReadError:
        pass
    return tls.bio_read(65536)


def source(number, sources):
    if sources == "one":
        return "127.200.0.1"
    return f"127.{201 + number // 62500 % 50}.{number // 250 % 250}.{1 + number % 250}"


def dial(port, address):
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.settimeout(0.2)
    try:
        sock.bind((address, 0))
        sock.connect(("127.0.0.1", port))
    except OSError:
        sock.close()
        return None
    return sock


def leave_those_thrown_out(staying):
    poll = select.poll()
    for number in staying:
        poll.register(number, select.POLLIN | select.POLLHUP | select.POLLERR)
    for number, _ in poll.poll(0):
        staying.pop(number).close()


def main():
    port, rate, sources, what = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    hello = client_hello() if what == "hello" else b""
    staying, made, number = {}, 0, 0
    print("ready", flush=True)
    began = time.monotonic()
    while not select.select([sys.stdin], [], [], 0)[0]:
        if number >= (time.monotonic() - began) * rate:
            time.sleep(0.0005)
            continue
        number += 1
        if number % 50 == 0 and what == "silent":
            leave_those_thrown_out(staying)
        sock = dial(port, source(number, sources))
        if sock is None:
            continue
        made += 1
        try:
            sock.sendall(hello)
        except OSError:
            sock.close()
            continue
        staying[sock.fileno()] = sock
        if len(staying) > STAY[what]:
            staying.pop(next(iter(staying))).close()
    print(made)


if __name__ == "__main__":
    main()
