# SPDX-License-Identifier: MIT
"""What every attack needs: victims, strangers, honest guests, and figures for the table."""
import collections
import itertools
import os
import resource
import select
import socket
import time

import harness
import peer

# How often an attack is tried that has to be tried often.
TRIES = int(os.environ.get("N", "1000"))

Figure = collections.namedtuple("Figure", "expected seen holds")

# One attack needs a thousand descriptors.
_, MOST = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (MOST, MOST))


def address(number):
    """One of the loopback addresses of this machine."""
    return f"127.{1 + number // 62500 % 250}.{number // 250 % 250}.{1 + number % 250}"


class Attack(harness.PlayerCase):
    """One line of the table, or several."""

    def setUp(self):
        super().setUp()
        self.figures = []
        # Each attack comes from addresses of its own: who misbehaved may be remembered.
        self.addresses = map(address, itertools.count(1000))

    def figure(self, what, seen, at_most=None, at_least=None, exactly=None, unit=""):
        """Adds a figure to the table, and whether it is as it must be."""
        def text(value):
            if isinstance(value, bool):
                return "yes" if value else "no"
            value = f"{value:,.3g}" if isinstance(value, float) and value < 100 else (
                f"{value:,.0f}" if isinstance(value, (int, float)) else str(value))
            return f"{value} {unit}" if unit else value
        if exactly is not None:
            expected, holds = f"{what}: {text(exactly)}", seen == exactly
        elif at_most is not None and at_least is not None:
            expected = f"{what}: {text(at_least)} to {text(at_most)}"
            holds = at_least <= seen <= at_most
        elif at_most is not None:
            expected, holds = f"{what} ≤ {text(at_most)}", seen <= at_most
        else:
            expected, holds = f"{what} ≥ {text(at_least)}", seen >= at_least
        self.figures.append(Figure(expected, text(seen), bool(holds)))

    # Victims

    def host(self, *args, **options):
        """A host that waits: the player and its port."""
        if "--accept" not in args:
            args = ("--accept", "all", *args)
        player = self.start("host", "--hidden", "--bind", "127.0.0.1", *args, **options)
        return player, player.wait("hosting")["port"]

    def warm(self, port):
        """What a process does the first times it need not do again, and is no attack's doing."""
        for _ in range(10):
            self.greeting_time(port)

    def trap(self):
        """A listening socket for victims to dial, and its port."""
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.addCleanup(listener.close)
        listener.settimeout(5)
        return listener, listener.getsockname()[1]

    def joiner(self, *args, **options):
        """A joiner on its way to a trap: the player and its connection, as a bare socket."""
        listener, port = self.trap()
        player = self.start("join", f"127.0.0.1:{port}", *args, **options)
        connection, _ = listener.accept()
        # Who is closed without a word dials again; nobody is to answer that.
        listener.close()
        self.addCleanup(connection.close)
        return player, connection

    # Strangers and guests

    def stranger(self, port, source=None):
        """A bare connection, from an address that nobody has used yet unless one is given."""
        sock = socket.socket()
        self.addCleanup(sock.close)
        sock.settimeout(5)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.bind((source or next(self.addresses), 0))
        sock.connect(("127.0.0.1", port))
        return sock

    def secure(self, port, source=None, identity=None):
        """A connection with TLS."""
        return peer.Connection(
            self.stranger(port, source), identity or peer.Identity(), initiator=True)

    def guest(self, port, name="Eve", source=None, identity=None):
        """A guest who has been welcomed, and the match that it may begin."""
        identity = identity or peer.Identity()
        session = peer.Session(self.secure(port, source, identity), name)
        kind, _ = session.say_hello()
        self.assertEqual(kind, peer.WELCOME)
        return session, peer.Match(session, identity)

    def opponent(self, name="Eve", identity=None, *args):
        """A host whom a victim has joined: the victim, the session, and the match that it may
        begin."""
        player, connection = self.joiner(*args)
        identity = identity or peer.Identity()
        session = peer.Session(peer.Connection(connection, identity, False), name)
        session.hear_hello()
        return player, session, peer.Match(session, identity)

    def greeting_time(self, port, within=5.0, identity=None):
        """How long an honest guest takes to its welcome in milliseconds, dialling again where it is
        turned away; it leaves at once."""
        identity = identity or peer.Identity()
        source = next(self.addresses)
        began = time.monotonic()
        while True:
            try:
                session, _ = self.guest(port, "Honest", source, identity)
                break
            except (peer.Closed, OSError) as failure:
                if time.monotonic() - began > within:
                    raise AssertionError(f"no welcome within {within} s") from failure
        took = (time.monotonic() - began) * 1000
        session.say_goodbye()
        return took

    def plays_on(self, host, port):
        """A victim that still hosts is whole: an honest guest begins a game with it."""
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Honest")
        self.begin(host, guest, within=8)


def seconds_to_end(sock, limit):
    """How long until the other side ends the connection; infinite if it does not by then."""
    began = time.monotonic()
    while True:
        left = began + limit - time.monotonic()
        if left <= 0 or not select.select([sock], [], [], left)[0]:
            return float("inf")
        try:
            if not sock.recv(65536):
                return time.monotonic() - began
        except ConnectionError:
            return time.monotonic() - began


def still_open(sockets):
    """Those of the sockets that the other side has not ended."""
    poll = select.poll()
    by_number = {}
    for sock in sockets:
        if sock.fileno() >= 0:
            by_number[sock.fileno()] = sock
            poll.register(sock, select.POLLIN | select.POLLHUP | select.POLLERR)
    kept = dict(by_number)
    for number, _ in poll.poll(0):
        try:
            if not by_number[number].recv(65536, socket.MSG_DONTWAIT | socket.MSG_PEEK):
                del kept[number]
        except BlockingIOError:
            continue
        except OSError:
            del kept[number]
    return list(kept.values())


class Peak:
    """The most memory of a process since it was last asked, in KiB."""

    def __init__(self, player):
        self.player = player
        self.before = player.memory()
        with open(f"/proc/{player.process.pid}/clear_refs", "w") as refs:
            refs.write("5")

    def grown(self):
        with open(f"/proc/{self.player.process.pid}/status") as status:
            most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        return max(0, most - self.before)


class Load:
    """How much of one core a process uses from here on, in percent."""

    def __init__(self, player):
        self.player = player
        self.began, self.ticks = time.monotonic(), self._now()

    def _now(self):
        return harness.processor_ticks(self.player.process.pid)[0]

    def percent(self):
        used = (self._now() - self.ticks) / os.sysconf("SC_CLK_TCK")
        return 100 * used / (time.monotonic() - self.began)


def count_told(player, since, *names):
    """How many events of these names a player was told after its first `since` events; that a
    game is broken off is none of them."""
    with player.changed:
        return sum(event.get("event") in names and event.get("termination") != "abort"
                   for _, event in player.events[since:])
