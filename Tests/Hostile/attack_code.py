# SPDX-License-Identifier: MIT
"""Who does not know the code: guesses, and recordings of those who do."""
import ctypes
import hashlib
import hmac
import itertools
import os
import random
import socket
import struct
import subprocess
import sys
import threading

import code_peer
import harness
import peer
from stage import Attack, TRIES


def other(code, step=1):
    """A wrong guess."""
    return f"{(int(code) + step) % 1_000_000:06}"


class Tally:
    """Counts the tries at each code, also if one comes again."""

    def __init__(self):
        self.code, self.codes, self.tries, self.most = None, 0, 0, 0

    def add(self, code):
        """Counts a try; how many of this code there are now."""
        if code != self.code:
            self.code, self.tries = code, 0
            self.codes += 1
        self.tries += 1
        self.most = max(self.most, self.tries)
        return self.tries


class CodeAttack(Attack):
    def code_host(self):
        """A host with a code: the player and its port."""
        host = self.start("host", "--code", "--accept", "all", "--hidden", "--bind", "127.0.0.1")
        return host, host.wait("hosting")["port"]

    @staticmethod
    def code_of(host):
        return host.said("hosting")[-1]["code"]

    def next_code(self, host, code):
        """Waits until the host shows another code."""
        return harness.until(
            lambda: self.code_of(host) != code and self.code_of(host), 5, "another code", 0.002)

    def dial(self, port, identity=None):
        """A guest that the host has asked for the code, and the host's share."""
        identity = identity or peer.Identity()
        session = code_peer.Joiner(self.secure(port, identity=identity), "Eve")
        session.identity = identity
        session.write_frame(peer.HELLO, session.fields())
        session.write_frame(peer.GREASE)
        return session, session.asked()

    def right_code_works(self, host, port):
        guest = self.start(
            "join", f"127.0.0.1:{port}", "--code", TTT_CODE=self.code_of(host))
        try:
            self.begin(host, guest, within=8)
        except AssertionError:
            return False
        return True


class Guesses(CodeAttack):
    def test_1_one_by_one(self):
        """guesses at a code, one after the other"""
        host, port = self.code_host()
        tally, let_in = Tally(), 0
        for _ in range(TRIES):
            code = self.code_of(host)
            session, share = self.dial(port)
            # Right by chance once in a million; not here, so that the line says the same each time.
            let_in += session.outcome(session.answer(other(code), share)) == 0
            session.connection.sock.close()
            if tally.add(code) == 3:
                self.next_code(host, code)
        self.figure("let in", f"{let_in} of {TRIES}", exactly=f"0 of {TRIES}")
        self.figure(f"most tries at one of {tally.codes} codes", tally.most, at_most=3)
        self.figure("the right code works afterwards", self.right_code_works(host, port),
                    exactly=True)

    def test_2_begun_before(self):
        """the right code, begun before and given after 3 misses"""
        host, port = self.code_host()
        rounds, let_in, late = max(4, TRIES // 12), 0, 0
        for _ in range(rounds):
            code = self.code_of(host)
            asked = [self.dial(port) for _ in range(12)]
            for number, (session, share) in enumerate(asked):
                tag = session.answer(other(code) if number < 3 else code, share)
                outcome = session.outcome(tag)
                self.assertTrue(number > 2 or outcome == 12)
                late += number > 2
                let_in += outcome == 0
                session.connection.sock.close()
            self.next_code(host, code)
        self.figure("let in", f"{let_in} of {late}", exactly=f"0 of {late}")
        self.figure("the right code works afterwards", self.right_code_works(host, port),
                    exactly=True)


class InTheHostsPlace(CodeAttack):
    """Who answers where the host should, and guesses at the code that a joiner was given."""

    # How it goes after an answer: without a word, with each refusal, or not before the joiner.
    WAYS = (None, 3, 4, 5, 8, 9, 12, "wait")

    def test_1_one_address(self):
        """a host that guesses at the joiner's code"""
        joins, most, refused = max(len(self.WAYS), TRIES // 50), 0, 0
        home = self.new_home()
        for number in range(joins):
            host = code_peer.Host()
            joiner = self.start(
                "join", f"127.0.0.1:{host.port}", "--code", home=home, TTT_CODE="402193")
            guesses, way = 0, self.WAYS[number % len(self.WAYS)]
            # Each time that it dials, until it has ended.
            while joiner.process.poll() is None:
                try:
                    session = host.asks("402194", within=0.1)
                    guesses += not session.is_known()
                    if way == "wait":
                        session.connection.wait_for_end(10)
                    else:
                        session.end(way)
                except (peer.Closed, TimeoutError, OSError):
                    pass
            host.close()
            most = max(most, guesses)
            refused += joiner.exit() == 77
            joiner.close()
            self.players.remove(joiner)
        self.figure("guesses in one `join --code`", most, exactly=1)
        self.figure("told to the joiner", f"{refused} of {joins}", exactly=f"{joins} of {joins}")

    def guessing(self, count, keys):
        """A network with so many advertised games, and what their hosts write."""
        place = harness.LoopbackOnly()
        self.addCleanup(place.close)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guessing_hosts.py")
        hosts = subprocess.Popen(
            [*place.prefix, sys.executable, script, str(count), "127.0.0.1", keys], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(hosts.stdout.close)
        self.addCleanup(hosts.wait)
        self.addCleanup(hosts.kill)
        self.assertEqual(hosts.stdout.readline(), "ready\n")
        return place, hosts

    @staticmethod
    def heard(hosts):
        """What the hosts have written, which are ended: how often dialled, how many guesses."""
        hosts.kill()
        lines = hosts.stdout.read().split()
        return lines.count("dialled"), lines.count("guess")

    def test_2_many_games(self):
        """50 advertised games that guess at it together"""
        place, hosts = self.guessing(50, "own")
        runs, told = 8, []
        for number in range(runs):
            words = (("play",), ("join", f"Guess {number}"))[number % 2]
            joiner = self.start(*words, "--code", place=place, TTT_CODE="402193")
            told.append(joiner.exit(within=20))
        _, guesses = self.heard(hosts)
        self.figure(f"guesses in {runs} runs", guesses, exactly=runs)
        self.figure("told to the player", told.count(77), exactly=runs)

    def test_3_foreign_adverts(self):
        """games under the adverts of others, which guess at it"""
        place, hosts = self.guessing(8, "foreign")
        joiner = self.start("play", "--code", place=place, TTT_CODE="402193")
        joiner.exit(within=20)
        dialled, guesses = self.heard(hosts)
        self.figure("dialled", dialled, at_least=1)
        self.figure("guesses", guesses, exactly=0)


class Recorder(threading.Thread):
    """Passes one connection on and keeps what passes, as (direction, bytes)."""

    def __init__(self, listener, port):
        super().__init__(daemon=True)
        self.listener, self.port, self.passed = listener, port, {"up": b"", "down": b""}

    def run(self):
        guest, _ = self.listener.accept()
        host = socket.create_connection(("127.0.0.1", self.port))

        def pump(source, target, direction):
            try:
                while data := source.recv(65536):
                    self.passed[direction] += data
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        threads = [threading.Thread(target=pump, args=arguments, daemon=True) for arguments in
                   ((guest, host, "up"), (host, guest, "down"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        guest.close(), host.close()


def records(data):
    """The TLS records of a direction: (type, bytes)."""
    found = []
    while len(data) >= 5:
        length = struct.unpack_from(">H", data, 3)[0]
        found.append((data[0], data[5:5 + length]))
        data = data[5 + length:]
    return found


def extensions(hello):
    """Of a ClientHello or ServerHello: what is fixed before them, and the extensions."""
    kind, place = hello[0], 4
    fixed = [hello[4:6]]
    place = 6 + 32                              # the random
    place += 1 + hello[place]                   # the session id
    size = 2
    if kind == 1:
        size = 2 + struct.unpack_from(">H", hello, place)[0]
    fixed.append(hello[place:place + size])
    place += size
    size = 1 + hello[place] if kind == 1 else 1
    fixed.append(hello[place:place + size])
    place += size + 2
    found = {}
    while place < len(hello):
        number, size = struct.unpack_from(">HH", hello, place)
        found[number] = hello[place + 4:place + 4 + size]
        place += 4 + size
    return fixed, found


KEY_SHARE, SHARED_KEY = 51, 41              # RFC 8446 §4.2


def outline(passed):
    """What a recording shows, without what is random in TLS before any code is used: the two
    randoms, session ids and key shares."""
    shown = []
    for direction in ("up", "down"):
        for kind, body in records(passed[direction]):
            if kind == 22:                      # The hellos are all that is not encrypted.
                fixed, found = extensions(body)
                share = found[KEY_SHARE]
                found[KEY_SHARE] = share[:-32]
                shown.append((direction, kind, len(body), *fixed, *sorted(found.items())))
            elif kind == 20:
                shown.append((direction, kind, body))
            else:
                shown.append((direction, kind, len(body)))
    return tuple(shown)


class Recordings(CodeAttack):
    def record(self):
        """Two players with a code, up to the game; the code and what passed."""
        host, port = self.code_host()
        listener, way = self.trap()
        recorder = Recorder(listener, port)
        recorder.start()
        code = self.code_of(host)
        guest = self.start(
            "join", f"127.0.0.1:{way}", "--name", "Bob", "--code", TTT_CODE=code)
        self.begin(host, guest)
        for player in (guest, host):
            player.close()
        recorder.join(5)
        return code, recorder.passed

    def test_1_outside(self):
        """recordings of honest players with codes"""
        taken = [self.record() for _ in range(max(5, TRIES // 50))]
        # The first records of each direction, up to the welcome; what follows is the game's.
        keyed = sum(SHARED_KEY in extensions(records(passed[direction])[0][1])[1]
                    for _, passed in taken for direction in ("up", "down"))
        self.figure("hellos with a key that is shared before", keyed, exactly=0)
        plain = sum(kind not in (20, 22, 23) for _, passed in taken
                    for direction in ("up", "down") for kind, _ in records(passed[direction])[:8])
        hellos = [sum(kind == 22 for kind, _ in records(passed[direction]))
                  for _, passed in taken for direction in ("up", "down")]
        self.figure("records not encrypted but the two hellos",
                    plain + sum(hellos) - len(hellos), exactly=0)
        shown = {outline({"up": self.until_welcome(passed["up"], 4),
                          "down": self.until_welcome(passed["down"], 4)})
                 for _, passed in taken}
        codes = len({code for code, _ in taken})
        self.figure(f"outlines of {len(taken)} with {codes} codes", len(shown), exactly=1)
        found = sum(code.encode() in passed[direction] for code, passed in taken
                    for direction in ("up", "down"))
        self.figure("codes in them", found, exactly=0)

    @staticmethod
    def until_welcome(data, count):
        """The first so many records."""
        end = 0
        for _ in range(count):
            if end + 5 > len(data):
                break
            end += 5 + struct.unpack_from(">H", data, end + 3)[0]
        return data[:end]

    def test_2_inside(self):
        """all guesses at a recording without TLS"""
        # More than any recording has: every frame in clear, and the session id. Missing are only
        # the two scalars, which never leave their processes.
        host, port = self.code_host()
        code = self.code_of(host)
        kept = {}
        draw = os.urandom

        def remembered(count):
            kept["scalar"] = draw(count)
            return kept["scalar"]
        session, share = self.dial(port)
        sent = []
        write = session.write_frame
        session.write_frame = lambda kind, body=b"": (sent.append((kind, body)),
                                                      write(kind, body))
        code_peer.os.urandom, own = remembered, code_peer.os.urandom
        try:
            host_tag = session.answer(code, share)
        finally:
            code_peer.os.urandom = own
        self.assertEqual(session.outcome(host_tag), 0)
        kind, body = sent[0]
        self.assertEqual(kind, code_peer.CODE)
        taken = Taken(session, share, body[:32], body[32:], host_tag)
        scalar = kept["scalar"] + b"\x0f"
        # Who has a scalar can test guesses: so the test can tell a right one.
        source = random.Random(int(code))
        some = [f"{source.randrange(1_000_000):06}" for _ in range(500)] + [code]
        right = [guess for guess in some if taken.fits_with(scalar, guess)]
        self.figure("guesses a scalar's owner can tell as right", f"{len(set(right))}",
                    exactly="1")
        count = max(10_000, 20 * TRIES)
        guesses = [f"{number:06}" for number in source.sample(range(1_000_000), count)] + [code]
        fits = sum(taken.fits(guess) for guess in guesses)
        self.figure(f"of {len(guesses):,} guesses, told right or wrong", fits, exactly=0)
        # And nothing could tell: under every guess some scalars give just these shares.
        explained = sum(taken.can_be(guess) for guess in guesses[:2000] + [code])
        self.figure("guesses that the shares allow", f"{explained:,} of 2,001",
                    exactly="2,001 of 2,001")


class Taken:
    """What an attacker has who sees into TLS."""

    def __init__(self, session, host_share, guest_share, guest_tag, host_tag):
        connection = session.connection
        self.session = connection.tls.export_keying_material(code_peer.EXPORTER, 32)
        own = session.identity.public
        self.data = (b"host" + peer.fingerprint_bytes(connection.peer_key),
                     b"joiner" + peer.fingerprint_bytes(own))
        self.shares, self.tags = (host_share, guest_share), (host_tag, guest_tag)

    def _fits(self, point):
        """Whether a point for the common secret gives the tag that was sent."""
        (ya, yb), (data_a, data_b) = self.shares, self.data
        isk = hashlib.sha512(
            code_peer.lv_cat(code_peer.DSI + b"_ISK", self.session, point)
            + code_peer.lv_cat(ya, data_a) + code_peer.lv_cat(yb, data_b)).digest()
        key = hashlib.sha512(b"CPaceMac" + self.session + isk).digest()
        return any(
            hmac.new(key, code_peer.lv_cat(share, data), hashlib.sha512).digest() == tag
            for share, data, tag in zip(self.shares, self.data, self.tags))

    def fits_with(self, scalar, guess):
        """With the guest's scalar: the secret is that multiple of the host's share, if the guess
        gives the guest's share too."""
        share = code_peer.product(scalar, code_peer.generator(guess.encode(), self.session))
        return share == self.shares[1] and self._fits(code_peer.product(scalar, self.shares[0]))

    def fits(self, guess):
        """With what there is: the shares, the guess's generator, their sums and differences."""
        base = code_peer.generator(guess.encode(), self.session)
        points = {base, *self.shares}
        for one, two in itertools.permutations((base, *self.shares), 2):
            for name in ("add", "sub"):
                result = ctypes.create_string_buffer(32)
                combine = getattr(code_peer.sodium, f"crypto_core_ristretto255_{name}")
                if combine(result, one, two) == 0:
                    points.add(result.raw)
        return any(self._fits(point) for point in points)

    def can_be(self, guess):
        """Whether both shares are multiples of this guess's generator: the group has prime
        order, so all but the neutral point are, if all three are points of it."""
        points = (code_peer.generator(guess.encode(), self.session), *self.shares)
        return all(point != bytes(32) and
                   code_peer.sodium.crypto_core_ristretto255_is_valid_point(point) == 1
                   for point in points)
