#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""guessing_hosts.py COUNT ADDRESS KEYS: advertises so many open games, and asks whoever dials for a
code that it does not know. Says `ready`, `dialled` for each who comes and `guess` for each answer
that it gets. With `foreign` as KEYS the adverts are those of other keys."""
import os
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Integration"))

import code_peer                                            # noqa: E402
import multicast                                            # noqa: E402
import peer                                                 # noqa: E402


def answer_all(host, number):
    """Asks each who dials; every other host closes at once, the others let the joiner wait."""
    while True:
        try:
            session = host.asks(f"{number:06}", within=None)
            print("dialled", flush=True)
            session.is_known()
            print("guess", flush=True)
            if number % 2:
                session.end()
            else:
                session.connection.wait_for_end(5)
        except (peer.Closed, peer.ProtocolError, TimeoutError, OSError):
            pass


def main():
    count, address, keys = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    packets = []
    for number in range(count):
        host = code_peer.Host(address)
        shown = peer.Identity() if keys == "foreign" else host.identity
        strings = [text.encode() for text in peer.advert(shown, os.urandom(8))]
        packets.append(multicast.advert(
            f"Guess {number}", number, address=address, port=host.port, strings=strings))
        threading.Thread(target=answer_all, args=(host, number), daemon=True).start()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sender.bind((address, 5353))
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    print("ready", flush=True)
    while True:
        for packet in packets:
            sender.sendto(packet, ("224.0.0.251", 5353))
        time.sleep(0.2)


main()
