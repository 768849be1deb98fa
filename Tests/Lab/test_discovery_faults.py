# SPDX-License-Identifier: MIT
"""Discovery dies and comes back; games go on."""
import json
import os
import signal
import socket
import struct

import harness
from lab import LabCase

TYPE = "_tictactoe._tcp.local"


def name(text):
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"


def record(owner, kind, data, lifetime=4):
    return name(owner) + struct.pack(">HHIH", kind, 1, lifetime, len(data)) + data


def aliases_in_a_chain():
    """One multicast DNS answer after which a browser that follows it through avahi-core 0.8
    asserts and aborts, when the records run out: two chains of CNAME that meet."""
    alias, pointer = 5, 12
    records = (
        record("c.local", pointer, name("x." + TYPE)),
        record("b.local", alias, name("c.local")),
        record("a.local", alias, name("c.local")),
        record(TYPE, alias, name("b.local")),
        record(TYPE, alias, name("a.local")))
    return struct.pack(">6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


# Runs on a lab host: sends what it reads to the multicast group of mDNS.
SENDER = """
import socket, sys
address = sys.argv[1]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind((address, 5353))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
s.sendto(bytes.fromhex(sys.argv[2]), ("224.0.0.251", 5353))
"""


def multicast(host, packet):
    host.run("/usr/bin/python3", "-c", SENDER, host.ipv4, packet.hex())


class Responder(LabCase):
    """No D-Bus and no daemon anywhere: `ttt-mdns` alone."""

    hosts = 3
    mode = ("-D",)

    def responder(self, player, other_than=None):
        def find():
            pid = player_children(player).get("ttt-mdns")
            return pid if pid != other_than else None
        return harness.until(find, 2, f"ttt-mdns of {player.name}")

    def host(self, *args):
        player = self.start("host", "--accept", "all", *args, place=self.h1)
        player.wait("hosting", discovery="own", within=5)
        return player

    def test_a_game_at_one_address_is_advertised_there_alone(self):
        for host in (self.h1, self.h3):
            self.lab("nic", host.name, "1")
            self.addCleanup(host.run, "ip", "link", "del", "eth1", check=False)
        self.host("--name", "Narrow", "--bind", self.h1.ipv4)
        self.host("--name", "Wide", "--port", "0")

        def listed():
            output = self.run_ttt("list", "--json", place=self.h3)[1]
            games = [json.loads(line) for line in output.splitlines()]
            return {game["name"]: {address.rpartition(":")[0] for address in game["addresses"]}
                    for game in games}
        other = self.h1.ipv4.replace("10.77.", "10.78.")
        games = harness.until(
            lambda: (games := listed()) and games.get("Wide", set()) >= {self.h1.ipv4, other}
            and games, 12, "the game that is everywhere")
        self.assertEqual(games["Narrow"], {self.h1.ipv4})

    def test_a_whole_game_without_any_daemon(self):
        host = self.host("--name", "Alone")
        guest = self.start("join", "Alone", place=self.h2)
        x, o = self.begin(host, guest, within=5)
        self.play(x, o, harness.O_WINS)
        self.finish(x, o, "O", "line")
        self.leave(guest, host)

    def test_two_who_play_at_once_meet(self):
        for _ in range(5):
            one = self.start("play", place=self.h1)
            other = self.start("play", place=self.h2)
            self.begin(one, other, within=5)
            one.tell("quit"), other.tell("quit")
            one.exit(), other.exit()

    def test_a_host_name_is_looked_up_through_it(self):
        host = self.host()
        port = host.said("hosting")[-1]["port"]
        listed = self.start("list", place=self.h2)
        self.assertEqual(listed.exit(within=5), 0)
        self.assertIn(f"{self.h1.ipv4}:{port}", listed.said("found")[-1]["addresses"])

    def test_it_is_killed_during_a_search(self):
        seeker = self.start("play", place=self.h2)
        old = self.responder(seeker)
        os.kill(old, signal.SIGKILL)
        self.responder(seeker, other_than=old)
        host = self.host("--name", "Late")
        self.begin(host, seeker, within=6)

    def test_it_is_killed_while_hosting(self):
        host = self.host("--name", "Still here")
        old = self.responder(host)
        os.kill(old, signal.SIGKILL)
        self.responder(host, other_than=old)
        guest = self.start("join", "Still here", place=self.h2)
        self.begin(host, guest, within=6)

    def test_it_is_killed_during_a_game(self):
        host = self.host("--name", "Undisturbed")
        guest = self.start("join", "Undisturbed", place=self.h2)
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS[:2])
        for player in (host, guest):
            pid = player_children(player).get("ttt-mdns")
            if pid:
                os.kill(pid, signal.SIGKILL)
        self.play(x, o, harness.X_WINS[2:], first_ply=3)
        self.finish(x, o, "X", "line")
        for player in (host, guest):
            self.assertFalse(player.said("link"))

    def test_a_hostile_packet_during_a_search(self):
        seeker = self.start("play", place=self.h2)
        old = self.responder(seeker)
        multicast(self.h3, aliases_in_a_chain())
        harness.until(lambda: not os.path.exists(f"/proc/{old}"), 10, "the packet to be fatal")
        self.responder(seeker, other_than=old)
        host = self.host("--name", "After all")
        self.begin(host, seeker, within=6)

    def test_a_hostile_packet_during_a_game(self):
        host = self.host("--name", "Calm")
        guest = self.start("join", "Calm", place=self.h2)
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS[:2])
        multicast(self.h3, aliases_in_a_chain())
        # Longer than the records of the packet live, for that is when it does harm.
        watched = self.start("host", "--hidden", place=self.h3)
        watched.wait("hosting")
        try:
            harness.until(lambda: host.ended or guest.ended, 7, "no end")
        except AssertionError:
            pass
        self.play(x, o, harness.X_WINS[2:], first_ply=3)
        self.finish(x, o, "X", "line")
        for player in (host, guest):
            self.assertFalse(player.said("link"), self.transcript())


def player_children(player):
    """The processes under a player; in the lab it is itself a child of the lab's tool."""
    found, waiting = {}, [player.process.pid]
    while waiting:
        pid = waiting.pop()
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as children:
                    for child in map(int, children.read().split()):
                        with open(f"/proc/{child}/comm") as comm:
                            found[comm.read().strip()] = child
                        waiting.append(child)
        except FileNotFoundError:
            continue
    return found


class Daemon(LabCase):
    """avahi-daemon is started again while somebody depends on it."""

    hosts = 3

    def browse(self, host):
        lines = host.run("avahi-browse", "-rpt", "_tictactoe._tcp").splitlines()
        return [line.split(";") for line in lines if line.startswith("=")]

    def host(self, *args):
        player = self.start("host", "--accept", "all", *args, place=self.h1)
        player.wait("hosting", discovery="avahi", within=5)
        return player

    def test_it_restarts_under_a_host(self):
        host = self.host("--name", "Patient")
        self.lab("stop-avahi", "h1")
        self.lab("start-avahi", "h1")
        lines = harness.until(lambda: self.browse(self.h2), 5, "the advert back")
        self.assertEqual({line[2] for line in lines}, {"IPv4", "IPv6"})
        guest = self.start("join", "Patient", place=self.h2)
        self.begin(host, guest)

    def test_it_restarts_under_a_search(self):
        seeker = self.start("join", "Awaited", place=self.h2)
        self.lab("restart-avahi", "h2")
        code = seeker.exit(within=10)
        self.assertEqual(code, 69)
        seeker = self.start("play", "--name", "Seeker", place=self.h2)
        seeker.wait("hosting", within=5)
        self.lab("restart-avahi", "h2")
        host = self.host("--name", "Found after all")
        self.begin(host, seeker, within=8)

    def test_it_restarts_during_a_game(self):
        host = self.host("--name", "Unmoved")
        guest = self.start("join", "Unmoved", place=self.h2)
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS[:2])
        self.lab("restart-avahi", "h1")
        self.lab("restart-avahi", "h2")
        self.play(x, o, harness.X_WINS[2:], first_ply=3)
        self.finish(x, o, "X", "line")
        for player in (host, guest):
            self.assertFalse(player.said("link"))

    def test_it_is_not_there_at_first(self):
        self.lab("stop-avahi", "h1")
        self.addCleanup(self.lab, "start-avahi", "h1")
        host = self.start("host", "--accept", "all", "--name", "Early", place=self.h1)
        host.wait("hosting", discovery="own", within=5)
        guest = self.start("join", "Early", place=self.h2)
        self.begin(host, guest)

    def test_equal_names_become_different_ones(self):
        one = self.host("--name", "Twins")
        other = self.start("host", "--accept", "all", "--name", "Twins", place=self.h2)
        harness.until(
            lambda: len({p.said("hosting")[-1]["name"] for p in (one, other)
                         if p.said("hosting")}) == 2, 15, "two names")
        harness.until(
            lambda: len({line[3] for line in self.browse(self.h3)}) == 2, 5, "two adverts")


class TwoNetworks(LabCase):
    """Both hosts on two networks: still one game."""

    def test_one_entry_for_all_interfaces(self):
        for host in ("h1", "h2"):
            self.lab("nic", host, "1")
        host = self.start("host", "--accept", "all", "--name", "Wide", place=self.h1)
        host.wait("hosting", discovery="avahi")
        second = self.start("host", "--accept", "all", "--name", "Near", place=self.h2)
        second.wait("hosting", discovery="avahi")

        def both_networks():
            lister = self.start("list", place=self.h2)
            self.assertEqual(lister.exit(within=5), 0)
            found = {event["id"]: event for event in lister.said("found")}
            self.assertEqual(
                len([e for e in found.values() if e["name"] == "Wide"]), 1, self.transcript())
            self.assertLessEqual(len(found), 2)
            for event in found.values():
                addresses = " ".join(event["addresses"])
                if event["name"] == "Wide" and "10.77." in addresses and "10.78." in addresses:
                    return len(found) == 2
            return False
        harness.until(both_networks, 12, "both networks in one entry")
        guest = self.start("join", "Wide", place=self.h2)
        self.begin(host, guest)
