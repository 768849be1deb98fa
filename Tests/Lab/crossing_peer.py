#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""crossing_peer.py HOST PORT INSTANCE: dials `ttt play` while that dials this peer.

Advertises a game, waits for the other side's hello, does not answer it, and dials. Then, as
docs/protocol.md §4.4 has it, the connection whose initiator has the larger instance stays; on it
a game begins. Prints "refused CODE", "welcomed", "dropped" and "started" as they happen.
"""
import os
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration"))
import peer  # noqa: E402


def say(text):
    print(text, flush=True)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    host, port, instance = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
    identity = peer.Identity()
    listener = socket.create_server(("", 0))
    listener.settimeout(10)
    advert = subprocess.Popen([
        "avahi-publish-service", "Crossing", "_tictactoe._tcp", str(listener.getsockname()[1]),
        *peer.advert(identity, instance)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        theirs = peer.Session(
            peer.Connection(listener.accept()[0], identity, False), "Crossing", instance)
        theirs.hear_hello()
        mine = peer.Session(peer.Connection.dial(host, port, identity), "Crossing", instance)
        kind, fields = mine.say_hello()
        if kind == peer.REFUSE:
            say(f"refused {int.from_bytes(fields[1], 'big')}")
            theirs.welcome()
            match = peer.Match(theirs, identity)
            match.accept()
        else:
            say("welcomed")
            if theirs.connection.wait_for_end(3):
                say("dropped")
            match = peer.Match(mine, identity)
            match.challenge()
        say("started " + match.id)
        while match.receive(10)[0] != "goodbye":
            pass
    finally:
        advert.terminate()
        advert.wait()


main()
