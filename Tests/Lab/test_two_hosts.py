# SPDX-License-Identifier: MIT
"""Two players on two hosts find each other and play; a third host looks on."""
import json
import os
import re
import time

import harness
from lab import HERE, LabCase

SEEN_BY_ZEROCONF = """
import json, time, zeroconf
found = {}
class Listener:
    def add_service(self, zc, kind, name):
        # The first answer may hold one address only; the other comes in a packet of its own.
        until = time.monotonic() + 5
        while time.monotonic() < until and len(found.get(name, [])) < 2:
            info = zc.get_service_info(kind, name, 1000)
            found[name] = sorted(info.parsed_addresses()) if info else []
            time.sleep(0.05)
    def update_service(self, zc, kind, name): pass
    def remove_service(self, zc, kind, name): found.pop(name, None)
zc = zeroconf.Zeroconf(ip_version=zeroconf.IPVersion.All)
zeroconf.ServiceBrowser(zc, "_tictactoe._tcp.local.", Listener())
deadline = time.monotonic() + 8
while time.monotonic() < deadline and not any(len(a) > 1 for a in found.values()):
    time.sleep(0.05)
time.sleep(1)
print(json.dumps(found))
zc.close()
"""


class TwoHosts(LabCase):
    hosts = 3

    def host(self, *args, **options):
        player = self.start("host", "--accept", "all", *args, place=self.h1, **options)
        return player, player.wait("hosting", discovery="avahi", within=5)

    def advertised(self, player, by=None):
        """Waits until another host sees the advert with both its addresses."""
        hosting = player.said("hosting")[-1]
        # avahi-browse writes what is no letter or digit as \\DDD.
        name = re.sub(r"[^\w-]", lambda m: f"\\{ord(m.group()):03}", hosting["name"])
        wanted = (name, str(hosting["port"]))

        def seen():
            lines = [line for line in self.browse(by or self.h2)
                     if (line[3], line[8]) == wanted]
            return len(lines) > 1 and lines
        return harness.until(seen, 5, f"the advert of {wanted}")

    def browse(self, host):
        """What avahi-browse resolves on a host: the fields of each line."""
        lines = host.run("avahi-browse", "-rpt", "_tictactoe._tcp").splitlines()
        return [line.split(";") for line in lines if line.startswith("=")]

    def test_a_whole_game_and_a_rematch(self):
        host, _ = self.host("--name", "Ann")
        self.advertised(host)
        guest = self.start("join", "--name", "Bob", place=self.h2)
        started = guest.wait("started", within=1.5, since=guest.began)
        self.assertEqual(started["opponent"], "Ann")
        guest.cursor = 0
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS)
        self.finish(x, o, "X", "line")
        self.rematch(o, x)
        o2, x2 = x, o
        again = self.begin(host, guest)
        self.assertEqual(again, (x2, o2), "the other side starts")
        self.play(x2, o2, harness.DRAW)
        scores = self.finish(x2, o2, None, "full")
        self.assertEqual(scores[1], {"you": 1, "opponent": 0, "draws": 1})
        self.rematch(x2, o2)
        self.assertEqual(self.begin(host, guest), (x, o))
        x.next(), o.next()
        x.tell("resign")
        self.finish(x, o, "O", "resign")
        self.leave(host, guest)

    def test_others_see_one_game_with_ipv4_and_ipv6(self):
        host, hosting = self.host("--name", "Seen by all")
        self.advertised(host, by=self.h3)
        zeroconf = self.h3.popen("/usr/bin/python3", "-c", SEEN_BY_ZEROCONF)
        lines = harness.until(
            lambda: (lines := self.browse(self.h3)) and len(lines) == 2 and lines, 5, "one game")
        self.assertEqual({line[2] for line in lines}, {"IPv4", "IPv6"})
        self.assertEqual(len(lines), 2, lines)
        self.assertEqual(
            {line[7] for line in lines}, {self.h1.ipv4, self.h1.ipv6})
        self.assertEqual({line[8] for line in lines}, {str(hosting["port"])})
        text = lines[0][9]
        self.assertLess(len(text), 400)
        for pattern in (r'"v=1"', r'"id=[0-9a-f]{16}"', r'"k=[0-9a-f]{32}"', r'"state=open"'):
            self.assertRegex(text, pattern)
        output, _ = zeroconf.communicate(timeout=20)
        found = json.loads(output.splitlines()[-1])
        self.assertEqual(list(found), ["Seen by all._tictactoe._tcp.local."])
        addresses = [re.sub("%.*", "", a) for a in next(iter(found.values()))]
        self.assertEqual(sorted(addresses), sorted([self.h1.ipv4, self.h1.ipv6]))

    def list(self, place):
        """What `ttt list` shows: the last event of each game that is not gone, by its id."""
        lister = self.start("list", place=place)
        self.assertIn(lister.exit(within=5), (0, 69))
        games = {}
        for _, event in lister.events:
            if event["event"] == "found":
                games[event["id"]] = event
            elif event["event"] == "gone":
                games.pop(event["id"], None)
        return list(games.values())

    def test_the_list_shows_a_game_once_and_not_the_own(self):
        host, hosting = self.host("--name", "Once")
        self.advertised(host)
        # Games of other tests are on their way out for a second.
        game, = harness.until(
            lambda: (games := self.list(self.h2)) and len(games) == 1 and games, 6, "one game")
        self.assertEqual(game["name"], "Once")
        port = hosting["port"]
        self.assertIn(f"{self.h1.ipv4}:{port}", game["addresses"])
        self.assertTrue(any(self.h1.ipv6 in address for address in game["addresses"]), game)
        self.assertFalse(
            [event for event in host.said("found") if event["name"] == "Once"],
            "a host lists itself")

    def test_nobody_to_list_is_69(self):
        harness.until(lambda: not self.list(self.h3), 8, "the games of other tests gone")
        code, _, errors, took = self.run_ttt("list", place=self.h3)
        self.assertEqual(code, 69)
        self.one_sentence(errors)
        self.assertLess(took, 4)

    def test_a_game_that_is_taken_is_listed_no_more(self):
        host, _ = self.host("--name", "Taken")
        self.advertised(host)
        guest = self.start("join", "Taken", place=self.h2)
        self.begin(host, guest)
        harness.until(lambda: self.run_ttt("list", place=self.h3)[0] == 69, 8, "the list empty")

    def test_two_who_play_at_once_meet(self):
        for _ in range(20):
            one = self.start("play", place=self.h1)
            other = self.start("play", place=self.h2)
            for player in (one, other):
                player.wait("started", within=4.0, since=other.began)
                player.cursor = 0
            x, o = self.begin(one, other)
            self.play(x, o, harness.X_WINS[:1])
            x.next(), o.next()
            x.tell("resign")
            self.finish(x, o, "O", "resign")
            self.leave(one, other)

    def test_two_who_start_again_under_the_same_names_meet(self):
        """While the adverts that they left behind still fade."""
        for _ in range(5):
            one = self.start("play", "--name", "One", place=self.h1)
            other = self.start("play", "--name", "Other", place=self.h2)
            self.begin(one, other, within=8)
            for player in (one, other):
                player.tell("quit")
                player.exit()

    def test_joining_by_every_kind_of_address(self):
        host, hosting = self.host("--name", "The game of h1")
        self.advertised(host)
        port = hosting["port"]
        for operand in (f"{self.h1.ipv4}:{port}", f"[{self.h1.ipv6}%eth0]:{port}",
                        f"h1.local:{port}", f"ttt://{self.h1.ipv4}:{port}", "The game of h1"):
            with self.subTest(operand=operand):
                guest = self.start("join", operand, place=self.h2)
                x, o = self.begin(host, guest, within=4)
                x.tell("resign")
                self.assertEqual((x.next()["event"], o.next()["event"]), ("turn", "turn"))
                self.finish(x, o, "O", "resign")
                guest.tell("quit")
                self.assertEqual(guest.exit(), 0)
                self.assertEqual(host.wait("closed")["reason"], "left")
                self.assertEqual(host.exit(), 0)
                host, _ = self.host("--name", "The game of h1", "--port", str(port))
                self.advertised(host)

    def test_joining_where_nobody_listens(self):
        began = time.monotonic()
        guest = self.start("join", f"{self.h1.ipv4}:4", place=self.h2)
        self.unreachable(guest)
        self.assertLess(time.monotonic() - began, 5)

    def unreachable(self, guest):
        self.assertEqual(guest.exit(within=5), 69)
        self.assertLess(time.monotonic() - guest.began, 5)
        closed = guest.said("closed")
        self.assertEqual(closed, [{"event": "closed", "reason": "failed"}])
        self.assertEqual(len(guest.said("error")), 1, guest.events)
        self.one_sentence(guest.said("error")[0]["message"])

    def test_joining_a_host_that_is_cut_off(self):
        host, hosting = self.host()
        self.h2.run("ping", "-c1", "-W1", self.h1.ipv4, check=False)
        self.lab("partition", "h1")
        self.addCleanup(self.lab, "heal", "h1")
        for operand in (f"{self.h1.ipv4}:{hosting['port']}",
                        f"[{self.h1.ipv6}%eth0]:{hosting['port']}"):
            with self.subTest(operand=operand):
                self.unreachable(self.start("join", operand, place=self.h2))

    def test_a_name_that_does_not_exist(self):
        self.unreachable(self.start("join", "nobody.invalid:4242", place=self.h2))
        self.unreachable(self.start("join", "no-such-host.local:4242", place=self.h2))

    def test_a_third_player_is_told_that_the_game_is_busy(self):
        host, hosting = self.host()
        operand = f"{self.h1.ipv4}:{hosting['port']}"
        guest = self.start("join", operand, place=self.h2)
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS[:2])
        third = self.start("join", operand, place=self.h3)
        self.assertEqual(third.wait("refused", within=3)["code"], "busy")
        self.assertEqual(third.exit(), 77)
        self.play(x, o, harness.X_WINS[2:], first_ply=3)
        self.finish(x, o, "X", "line")
        for player in (host, guest):
            self.assertFalse(player.said("link") + player.said("error"), self.transcript())

    def test_of_two_dials_that_cross_one_stays(self):
        for instance, answer in (("0000000000000001", ["refused 5"]),
                                 ("ffffffffffffffff", ["welcomed", "dropped"])):
            with self.subTest(instance=instance):
                player = self.start("play", place=self.h1)
                port = player.wait("hosting")["port"]
                crossing = self.h2.popen(
                    "/usr/bin/python3", os.path.join(HERE, "crossing_peer.py"), self.h1.ipv4,
                    str(port), instance)
                self.addCleanup(crossing.communicate)
                self.addCleanup(crossing.terminate)
                started = player.wait("started", within=8)
                player.tell("quit")
                self.assertEqual(player.exit(), 0)
                output = crossing.communicate(timeout=10)[0].splitlines()
                self.assertEqual(output, [*answer, "started " + started["match"]])
                self.assertEqual(len(player.said("started")), 1)

    def test_a_game_that_is_joined_at_once_keeps_its_name(self):
        """Its advert changes while the daemon still asks whether the name is free."""
        for _ in range(4):
            host, hosting = self.host("--name", "Sought")
            guest = self.start("join", f"{self.h1.ipv4}:{hosting['port']}", place=self.h2)
            self.begin(host, guest)
            harness.until(
                lambda: [line[3] for line in self.browse(self.h2) if '"state=busy"' in line[9]]
                == ["Sought"] * 2, 8, "the game as one that is played")
            self.assertEqual({event["name"] for event in host.said("hosting")}, {"Sought"})
            for player in (host, guest):
                player.tell("quit")
                player.exit()

    def test_a_game_at_one_address_is_listed_where_that_can_be_reached(self):
        for host in ("h1", "h3"):
            self.lab("nic", host, "1")
            self.addCleanup(getattr(self, host).run, "ip", "link", "del", "eth1", check=False)
        self.host("--name", "Narrow", "--bind", self.h1.ipv4)
        self.host("--name", "Wide", "--port", "0")

        def seen(name):
            return {(line[1], line[2]) for line in self.browse(self.h3) if line[3] == name}
        both = {("eth0", "IPv4"), ("eth0", "IPv6"), ("eth1", "IPv4"), ("eth1", "IPv6")}
        harness.until(lambda: seen("Wide") >= both, 10, "the game that is everywhere")
        self.assertEqual(seen("Narrow"), {("eth0", "IPv4")})
        guest = self.start("join", "Narrow", place=self.h2)
        guest.wait("started")

    def test_a_taken_port(self):
        first, one = self.host("--name", "First")
        second = self.start("host", "--accept", "all", "--name", "Second", place=self.h1)
        two = second.wait("hosting", discovery="avahi")
        self.assertEqual(one["port"], 28888)
        self.assertNotEqual(two["port"], 28888)
        self.assertIn("28888", second.errors + json.dumps(second.events))
        self.advertised(second)
        guest = self.start("join", "Second", place=self.h2)
        self.begin(second, guest)
        asked = self.start("host", "--port", "28888", place=self.h1)
        self.assertEqual(asked.exit(), 69)
        self.assertIn("28888", asked.said("error")[0]["message"])

    def test_two_hosts_started_in_the_same_moment_share_no_port(self):
        for _ in range(5):
            pair = [self.start("host", "--accept", "all", place=self.h1) for _ in "ab"]
            ports = [player.wait("hosting")["port"] for player in pair]
            self.assertEqual(len(set(ports)), 2)
            self.assertIn(28888, ports)
            for player in pair:
                player.tell("quit")
                self.assertEqual(player.exit(), 0)

    def test_a_killed_host_is_back_at_once(self):
        host, hosting = self.host("--name", "Phoenix")
        guest = self.start("join", f"{self.h1.ipv4}:{hosting['port']}", place=self.h2)
        self.begin(host, guest)
        host.process.kill()
        host.process.wait()
        # The guest waits for the match; a host with another game is not what it waits for.
        guest.wait("link", state="lost", within=10)
        again, hosting = self.host("--name", "Phoenix", home=host.home)
        self.assertEqual(hosting["port"], 28888)
        self.advertised(again)
        second = self.start("join", "Phoenix", place=self.h3)
        self.begin(again, second)
        self.assertFalse(guest.said("closed"), guest.events)


class PowerlessHost(LabCase):
    def test_joining_a_host_that_is_switched_off(self):
        address = self.h1.ipv4
        self.h2.run("ping", "-c1", "-W1", address, check=False)
        self.lab("poweroff", "h1")
        guest = self.start("join", f"{address}:28888", place=self.h2)
        self.assertEqual(guest.exit(within=5), 69)
        self.assertLess(time.monotonic() - guest.began, 5)
        self.one_sentence(guest.said("error")[0]["message"])


class Parted(LabCase):
    def test_a_lost_link_ends_no_match(self):
        host = self.start("host", "--accept", "all", place=self.h1)
        hosting = host.wait("hosting", discovery="avahi", within=5)
        guest = self.start("join", f"{self.h1.ipv4}:{hosting['port']}", place=self.h2)
        x, o = self.begin(host, guest)
        self.play(x, o, harness.X_WINS[:2])
        self.addCleanup(self.lab, "heal", "h1")
        self.lab("partition", "h1")
        for player in (host, guest):
            player.wait("link", state="lost", within=15)
        self.lab("heal", "h1")
        for player in (host, guest):
            player.wait("link", state="restored", within=5)
        x.tell("resign")
        self.finish(x, o, "O", "resign")
        self.leave(host, guest)
