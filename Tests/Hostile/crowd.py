#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""crowd.py PORT RATE SECONDS one|many: dials 127.0.0.1 so often a second, says a real ClientHello
each time, and leaves. The last line it prints is how many it has said."""
import socket
import struct
import sys
import time

from OpenSSL import SSL


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


def main():
    port, rate, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    sources = sys.argv[4]
    hello, said, number = client_hello(), 0, 0
    waiting = []
    print("ready", flush=True)
    began = time.monotonic()
    while True:
        passed = time.monotonic() - began
        if passed > seconds:
            break
        if number >= passed * rate:
            time.sleep(0.0005)
            continue
        number += 1
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.bind(("127.200.0.1" if sources == "one" else
                   f"127.{201 + number // 62500 % 50}.{number // 250 % 250}.{1 + number % 250}", 0))
        sock.settimeout(0.2)
        try:
            sock.connect(("127.0.0.1", port))
            sock.sendall(hello)
            said += 1
        except OSError:
            sock.close()
            continue
        # It stays a moment, so that the answer is worked out.
        waiting.append(sock)
        if len(waiting) > 40:
            waiting.pop(0).close()
    print(said)


if __name__ == "__main__":
    main()
