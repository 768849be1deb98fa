# SPDX-License-Identifier: MIT
"""Lab hosts and discovery probes for the tests of discovery; see lab.sh and DiscoveryProbe."""
import os
import queue
import re
import signal
import struct
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.path.join(HERE, "lab.sh")
BUILD = os.environ.get("TTT_BUILD", os.path.join(HERE, "..", "..", ".build", "debug"))
BUILD = os.path.abspath(BUILD)
TYPE = "_tictactoe._tcp"


def lab(*arguments, check=True):
    done = subprocess.run([LAB, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)
    if check and done.returncode:
        raise AssertionError(f"lab.sh {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout if check else done


def on(host, *command, within=20):
    done = subprocess.run([LAB, "exec", host, *command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=within)
    return done.stdout


def children(pid):
    found = {}
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children") as file:
                    for child in map(int, file.read().split()):
                        with open(f"/proc/{child}/comm") as comm:
                            found[comm.read().strip()] = child
                        waiting.append(child)
        except OSError:
            continue
    return found


def until(what, within, message):
    end = time.monotonic() + within
    while time.monotonic() < end:
        value = what()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(message)


class Probe:
    """A running discovery-probe; its lines with the milliseconds at which it said them."""

    def __init__(self, host, hidden=None, fallback=True):
        command = [LAB, "exec", host] if host else []
        command += [f"{BUILD}/discovery-probe", TYPE, f"{BUILD}/ttt-mdns" if fallback else "-"]
        self.process = subprocess.Popen(
            command + ([hidden] if hidden else []), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)
        self.host = host
        self.lines = []
        self.queue = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            moment, text = line.rstrip("\n").split(" ", 1)
            self.queue.put((int(moment), text))

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def poll(self):
        while not self.queue.empty():
            self.lines.append(self.queue.get())

    def wait(self, pattern, within=5.0, since=0.0):
        """Waits for a line that matches; returns its moment in seconds, and the match."""
        end = time.monotonic() + within
        while True:
            self.poll()
            for moment, text in self.lines:
                match = re.fullmatch(pattern, text)
                if match and moment / 1000 >= since:
                    return moment / 1000, match
            if time.monotonic() > end:
                raise AssertionError(f"no {pattern!r} from {self.host} in {self.lines}")
            time.sleep(0.01)

    def last(self, pattern):
        lines = self.said(pattern)
        return lines[-1][1] if lines else ""

    def said(self, pattern, since=0.0):
        self.poll()
        return [(moment / 1000, text) for moment, text in self.lines
                if moment / 1000 >= since and re.fullmatch(pattern, text)]

    @property
    def pid(self):
        return children(self.process.pid).get("discovery-probe", self.process.pid)

    @property
    def responder(self):
        return children(self.process.pid).get("ttt-mdns")

    def end(self):
        if self.process.poll() is None:
            try:
                self.process.stdin.close()
                self.process.wait(5)
            except (OSError, subprocess.TimeoutExpired):
                self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stdin.close()


def require_lab():
    able = lab("check", check=False)
    if able.returncode:
        raise unittest.SkipTest("the lab cannot run here: " + able.stdout.strip())


class LabCase(unittest.TestCase):
    hosts = 3
    mode = ()

    @classmethod
    def setUpClass(cls):
        os.environ["LAB_NAME"] = f"ttt-discovery-{os.getpid()}"
        require_lab()
        cls.addClassCleanup(lab, "down")
        lab("up", *cls.mode, str(cls.hosts))

    def probe(self, host, hidden=None, **keywords):
        probe = Probe(host, hidden, **keywords)
        self.addCleanup(probe.end)
        return probe

    def publish(self, host, number, name, within=5, **keywords):
        """A probe that advertises and browses; its id is the number's 16 hex digits."""
        probe = self.probe(host, f"{number:016x}", **keywords)
        probe.tell(f"advertise {4200 + number} {number:016x} open {name}")
        probe.tell("browse")
        probe.wait("advertised .*", within)
        return probe

    def browse(self, host, **keywords):
        probe = self.probe(host, **keywords)
        probe.tell("browse")
        return probe

    def note(self, text):
        print(f"    {self.id().split('.', 1)[1]}: {text}", file=sys.stderr)


def found(number, state="open", fresh="fresh", addresses=".*", name=".*"):
    return f"found {number:016x} {4200 + number} {state} {fresh} {addresses} {name}"


# --- Packets of multicast DNS, to be sent by a host that has no responder for them.

POINTER, ALIAS, ADDRESS, TEXT, SERVICE = 5 + 7, 5, 1, 16, 33


def labels(name):
    parts = name if isinstance(name, (list, tuple)) else name.split(".")
    parts = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def record(owner, kind, data, lifetime):
    return labels(owner) + struct.pack(">HHIH", kind, 1, lifetime, len(data)) + data


def packet(*records):
    return struct.pack(">6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def announcement(name, host, address, port, strings, lifetime):
    """A service that is announced once and never answers; its pointer lives long."""
    instance = [name, "_tictactoe", "_tcp", "local"]
    text = b"".join(bytes([len(s)]) + s for s in strings) or b"\0"
    return packet(
        record(f"{TYPE}.local", POINTER, labels(instance), 4500),
        record(instance, SERVICE, struct.pack(">HHH", 0, 0, port) + labels(host), lifetime),
        record(instance, TEXT, text, lifetime),
        record(host, ADDRESS, bytes(map(int, address.split("."))), lifetime))


def chain():
    """An answer whose aliases meet: it aborts a browser on avahi-core 0.8 when it expires."""
    kind = f"{TYPE}.local"
    return packet(
        record("c.local", POINTER, labels(f"x.{kind}"), 4),
        record("b.local", ALIAS, labels("c.local"), 4),
        record("a.local", ALIAS, labels("c.local"), 4),
        record(kind, ALIAS, labels("b.local"), 4),
        record(kind, ALIAS, labels("a.local"), 4))


SENDER = """
import socket, sys
address = sys.argv[1]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind((address, 5353))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
for packet in sys.argv[2:]: s.sendto(bytes.fromhex(packet), ("224.0.0.251", 5353))
"""


def multicast(host, *packets):
    on(host, "/usr/bin/python3", "-c", SENDER, lab("ip", host).strip(),
       *(p.hex() for p in packets))


def kill(pid, number=signal.SIGKILL):
    os.kill(pid, number)
    return time.monotonic()
