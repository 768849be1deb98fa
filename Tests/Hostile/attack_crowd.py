# SPDX-License-Identifier: MIT
"""Many strangers at once."""
import collections
import os
import resource
import subprocess
import sys
import time

import harness
import peer
from crowd import client_hello
from stage import Attack, Load, Peak, TRIES, still_open

MANY = 1000


class Crowd(Attack):
    def flood(self, port, source, data=b""):
        """So many connections that stay, each from where `source` says."""
        crowd = []
        for number in range(MANY):
            try:
                crowd.append(self.stranger(port, source(number)))
                if data:
                    crowd[-1].sendall(data)
            except OSError:
                continue
        self.assertGreater(len(crowd), MANY * 0.9, "the crowd did not get through")
        return crowd

    def kept(self, crowd, most):
        """How many are kept, once those that are not have been ended."""
        try:
            harness.until(lambda: len(still_open(crowd)) <= most, 2, "kept few")
        except AssertionError:
            pass
        return len(still_open(crowd))

    def one_address(self, data):
        host, port = self.host()
        self.greeting_time(port)
        before = host.descriptors()
        peak, identity = Peak(host), peer.Identity()
        crowd = self.flood(port, lambda _: "127.100.0.1", data)
        greeting = self.greeting_time(port, identity=identity)
        self.figure("kept", self.kept(crowd, 4), at_most=4)
        self.figure("greeting of a guest from elsewhere", greeting, at_most=100, unit="ms")
        self.figure("memory", peak.grown(), at_most=2048, unit="KiB more")
        self.figure("descriptors", host.descriptors() - before, at_most=40, unit="more")
        self.plays_on(host, port)

    def test_1_one_address(self):
        """1,000 connections from one address"""
        self.one_address(b"")

    def test_2_one_address_halfopen(self):
        """1,000 that send half a header"""
        self.one_address(b"\x16\x03")

    def crowd(self, port, *words):
        """Starts a crowd.py."""
        crowd = subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(__file__), "crowd.py"), str(port),
             *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for cleanup in (crowd.stdout.close, crowd.wait, crowd.kill):
            self.addCleanup(cleanup)
        crowd.stdout.readline()
        return crowd

    def test_3_many_addresses(self):
        """1,000 a second from many addresses, who stay"""
        host, port = self.host("--accept", "known")
        friend = self.start("join", f"127.0.0.1:{port}")
        friend.exit()
        key = self.run_ttt("id", home=friend.home)[1].split("fingerprint")[1].split()[0]
        self.run_ttt("peers", "name", key, "Friend", home=host.home)
        before, peak = host.descriptors(), Peak(host)
        kept = self.kept(
            self.flood(port, lambda number: f"127.101.{number // 250}.{1 + number % 250}"), 32)
        self.figure("kept of the first 1,000", kept, at_most=32)
        self.crowd(port, "1000", "many", "silent")
        harness.until(lambda: host.descriptors() - before >= kept, 5, "a crowd")
        began, took, dials = time.monotonic(), float("inf"), 0
        while took == float("inf") and time.monotonic() - began < 10:
            dials += 1
            known = self.start("join", f"127.0.0.1:{port}", home=friend.home)
            try:
                known.wait("started", within=8)
                took = time.monotonic() - began
            except AssertionError:
                continue
        self.figure(f"a known player plays within ({dials} dials)", took, at_most=1.0, unit="s")
        self.figure("memory", peak.grown(), at_most=2048, unit="KiB more")
        self.figure("descriptors", host.descriptors() - before, at_most=40, unit="more")

    def test_4_no_descriptors(self):
        """1,000 connections to one with 24 descriptors"""
        host, port = self.host()
        self.greeting_time(port)
        pid = host.process.pid
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (24, 24))
        crowd = self.flood(port, lambda number: f"127.102.0.{1 + number % 250}")
        most = harness.until(host.descriptors, 1, "descriptors")
        self.figure("descriptors in use", most, at_least=22, at_most=24)
        load = Load(host)
        # A window to measure in, in which the crowd stays.
        end = time.monotonic() + 2
        while time.monotonic() < end:
            most = max(most, host.descriptors())
            time.sleep(0.05)
        self.figure("processor", load.percent(), at_most=5, unit="%")
        for stranger in crowd:
            stranger.close()
        self.figure("greeting once they are gone", self.greeting_time(port), at_most=1000,
                    unit="ms")
        self.plays_on(host, port)

    def client_hellos(self, sources):
        host, port = self.host()
        self.greeting_time(port)
        crowd = self.crowd(port, "2000", sources, "hello")
        load, greetings, identity = Load(host), [], peer.Identity()
        began = time.monotonic()
        while time.monotonic() - began < 6:
            greetings.append(self.greeting_time(port, identity=identity))
            # Not one after the other: a guest comes now and then.
            time.sleep(0.02)
        used, lasted = load.percent(), time.monotonic() - began
        said = int(crowd.communicate("\n")[0])
        greetings.sort()
        self.figure("said", said / lasted, at_least=1500, unit="a second")
        self.figure("processor", used, at_most=50, unit="% of a core")
        self.figure(f"99th percentile of {len(greetings)} greetings",
                    greetings[len(greetings) * 99 // 100], at_most=250, unit="ms")
        self.plays_on(host, port)

    def test_5_client_hellos(self):
        """2,000 ClientHellos a second from one address"""
        self.client_hellos("one")

    def test_6_client_hellos_of_many(self):
        """2,000 ClientHellos a second from many"""
        self.client_hellos("many")

    def test_7_end(self):
        """30 ClientHellos while the host ends"""
        codes, hello = collections.Counter(), client_hello()
        for number in range(max(20, TRIES // 5)):
            host, port = self.host()
            before = host.descriptors()
            strangers = [self.stranger(port) for _ in range(30)]
            harness.until(lambda: host.descriptors() >= before + 30, 5, "strangers")
            host.tell("quit")
            # One after the other, for as long as it takes to end.
            for stranger in strangers:
                try:
                    stranger.sendall(hello)
                except OSError:
                    pass
                time.sleep(0.0001 * (number % 5))
            codes[host.exit()] += 1
            for stranger in strangers:
                stranger.close()
            host.close()
        self.figure(f"ended as it should, of {codes.total()}", codes[0], exactly=codes.total())
