# SPDX-License-Identifier: MIT
"""Discovery through the Avahi daemon."""
import os
import re
import signal
import time
import unittest

from discovery_probe import LabCase, announcement, found, kill, lab, multicast, on, until

ZEROCONF = """
import socket, time
from zeroconf import ServiceBrowser, ServiceListener, Zeroconf
class Listener(ServiceListener):
    def add_service(self, z, kind, name):
        info = z.get_service_info(kind, name)
        print(name, info.port, sorted(info.parsed_addresses()), info.properties[b"id"].decode())
    def update_service(self, *a): pass
    def remove_service(self, *a): pass
z = Zeroconf()
ServiceBrowser(z, "_tictactoe._tcp.local.", Listener())
time.sleep(3)
z.close()
"""


def listed(host, name):
    lines = on(host, "avahi-browse", "-rpt", "_tictactoe._tcp").splitlines()
    return [line for line in lines if line.startswith("=") and f";{name};" in line]


class Daemon(LabCase):
    def test_others_see_it_once_with_both_protocols(self):
        self.publish("h1", 1, "Seen")
        lines = until(lambda: listed("h3", "Seen"), 5, "nothing listed")
        self.assertEqual(sorted(line.split(";")[2] for line in lines), ["IPv4", "IPv6"])
        lines = [line for line in on("h3", "/usr/bin/python3", "-c", ZEROCONF).splitlines()
                 if line.startswith("Seen")]
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("10.77.0.11", lines[0])
        self.assertIn("fe80::", lines[0])

    def test_a_game_is_one_entry_with_both_addresses_and_ones_own_is_hidden(self):
        one = self.publish("h1", 2, "First")
        start = time.monotonic()
        other = self.publish("h2", 3, "Second")
        moment, _ = other.wait(found(2))
        self.note(f"found {moment - start:.2f} s after the start")
        other.wait(found(2, addresses=r"10\.77\.0\.11,fe80:[0-9a-f:]+%\d+"), 5)
        one.wait(found(3, addresses=r"10\.77\.0\.12,fe80:[0-9a-f:]+%\d+"), 5)
        self.assertFalse(one.said(found(2, fresh=".*")))
        other.end()
        one.wait("gone 0+3", 4)
        self.assertEqual(len(one.said("gone 0+3")), 1)

    def test_a_change_of_text_is_told_without_a_gap(self):
        seeker = self.browse("h2")
        host = self.publish("h1", 4, "Changing")
        seeker.wait(found(4, "open"))
        host.tell("advertise 4204 0000000000000004 busy Changing")
        seeker.wait(found(4, "busy"), 5)
        self.assertFalse(seeker.said("gone 0+4"))

    def test_a_killed_publisher_is_gone(self):
        seeker = self.browse("h2")
        host = self.publish("h1", 5, "Killed")
        seeker.wait(found(5))
        start = kill(host.pid)
        moment, _ = seeker.wait("gone 0+5", 5)
        self.note(f"gone {moment - start:.2f} s after kill -9")

    def test_the_daemon_restarts_under_a_publisher_and_a_seeker(self):
        host = self.publish("h1", 6, "Patient")
        seeker = self.browse("h2")
        seeker.wait(found(6))
        for way, back in (("stop-avahi", "start-avahi"), ("kill-avahi", "start-avahi")):
            lab(way, "h1")
            lab(back, "h1")
            start = time.monotonic()
            until(lambda: listed("h3", "Patient"), 5, "the advert is not back")
            self.note(f"{way}: listed {time.monotonic() - start:.2f} s after the daemon was back")
        lab("restart-avahi", "h2")
        time.sleep(7)
        self.assertFalse(seeker.said("means (own|none)"), "a restart is no change of means")
        self.assertFalse(seeker.said("gone 0+6"), "the list flaps")
        late = self.publish("h3", 7, "Late")
        seeker.wait(found(7))
        host.wait(found(7))
        late.end()
        seeker.wait("gone 0+7")

    def test_the_bus_goes_and_comes_back(self):
        host = self.publish("h1", 8, "Busless")
        seeker = self.browse("h2")
        seeker.wait(found(8))
        lab("stop-avahi", "h1")
        lab("stop-dbus", "h1")
        host.wait("means own", 6)
        until(lambda: listed("h3", "Busless"), 6, "not advertised by the own responder")
        lab("start-dbus", "h1")
        lab("start-avahi", "h1")
        start = time.monotonic()
        moment, _ = host.wait("means daemon", 14, since=start - 3)
        self.note(f"the daemon again {moment - start:.2f} s after it was back")
        until(lambda: listed("h3", "Busless"), 4, "not advertised by the daemon")
        until(lambda: host.responder is None, 2, "the responder stays")
        self.assertFalse(host.said(r"advertised Busless #\d"))
        time.sleep(3)
        self.assertTrue(seeker.last("(found|gone) 0+8.*").startswith("found"))

    def test_equal_names_get_different_ones(self):
        players = [
            self.publish("h1", 9, "Twin"), self.publish("h2", 10, "Twin", 8),
            self.publish("h2", 11, "Twin", 8)]
        start = time.monotonic()
        # Which of them keeps the name is the daemons' affair, and sometimes settled afterwards.
        until(lambda: len({player.last("advertised .*") for player in players}) == 3, 15,
              "some have one name")
        self.note(f"three names {time.monotonic() - start:.2f} s after the last was advertised: "
                  + ", ".join(player.last("advertised .*") for player in players))
        for player, number in zip(players, (9, 10, 11)):
            name = player.last("advertised .*").removeprefix("advertised ")
            self.browse("h3").wait(found(number, name=re.escape(name)), 5)

    def test_equal_names_meet_long_after_the_start(self):
        lab("partition", "h1")
        self.addCleanup(lab, "heal", "h1")
        one = self.publish("h1", 12, "Split")
        other = self.publish("h2", 13, "Split")
        lab("heal", "h1")
        start = time.monotonic()
        until(lambda: one.said("advertised Split #2") or other.said("advertised Split #2"), 15,
              "nobody took another name")
        self.note(f"renamed {time.monotonic() - start:.2f} s after the networks met")
        one.wait(found(13), 10)
        other.wait(found(12), 10)

    def test_equal_host_names(self):
        lab("avahi-conf", "h3", "server:host-name=h1")
        host = self.publish("h3", 14, "Renamed")
        seeker = self.browse("h2")
        lab("restart-avahi", "h3")
        self.addCleanup(lab, "restart-avahi", "h3")
        self.addCleanup(lab, "avahi-conf", "h3", "server:host-name=h3")
        time.sleep(3)
        until(lambda: listed("h2", "Renamed"), 5, "not advertised")
        self.assertIn("h1-2.local", listed("h2", "Renamed")[0])
        self.assertEqual({text for _, text in host.said("advertised .*")}, {"advertised Renamed"})
        seeker.wait(found(14), 5)

    def test_hosts_are_looked_up(self):
        probe = self.probe("h2")
        start = time.monotonic()
        probe.tell("resolve h1.local 4000")
        moment, match = probe.wait(r"resolved h1.local (.*)", 5)
        self.note(f"h1.local in {moment - start:.2f} s: {match[1]}")
        self.assertRegex(match[1], r"10\.77\.0\.11.*fe80:[0-9a-f:]+%\d+|fe80.*10\.77\.0\.11")
        start = time.monotonic()
        probe.tell("resolve nobody.local 1500")
        moment, _ = probe.wait("resolved nobody.local -", 3)
        self.assertAlmostEqual(moment - start, 1.5, delta=0.3)

    def test_what_never_answers_is_stale_and_what_is_malformed_is_not_told(self):
        seeker = self.browse("h2")
        seeker.wait("means daemon")
        ghost = b"id=00000000000000aa"
        multicast(
            "h3",
            announcement("Ghost", "ghost.local", "10.77.0.99", 4370, [ghost], 5),
            announcement("No id", "g2.local", "10.77.0.99", 1, [b"v=1"], 60),
            announcement("Bad id", "g3.local", "10.77.0.99", 1, [b"id=XYZ"], 60),
            announcement("Lure", "g4.local", "8.8.8.8", 1, [b"id=00000000000000ab"], 60),
            announcement("Inward", "g5.local", "127.0.0.1", 1, [b"id=00000000000000ac"], 60),
            announcement("Long", "g6.local", "10.77.0.99", 1,
                         [b"id=00000000000000ad", b"x=" + b"y" * 250, b"z=" + b"y" * 250], 60),
            announcement(b"\xff\xfe\x1b[2J", "g7.local", "10.77.0.99", 1,
                         [b"id=00000000000000ae"], 60))
        start, _ = seeker.wait("found 0+aa 4370 - fresh 10.77.0.99 Ghost")
        moment, _ = seeker.wait("found 0+aa 4370 - stale 10.77.0.99 Ghost", 15)
        self.note(f"stale {moment - start:.1f} s after it was announced for 5 s")
        self.assertFalse(seeker.said("found 0+a[b-e].*"))
        # The invalid name may end the daemon, not us.
        self.assertIsNone(seeker.process.poll())

    def test_the_user_marks_what_does_not_answer(self):
        seeker = self.browse("h2")
        self.publish("h1", 15, "Marked")
        seeker.wait(found(15))
        seeker.tell(f"stale {15:016x}")
        seeker.wait(found(15, fresh="stale"))
        seeker.tell(f"fresh {15:016x}")
        seeker.wait(found(15, fresh="fresh"))

    def test_a_daemon_that_hangs_is_left_and_taken_again(self):
        with open(f"/tmp/.lab-{os.environ['LAB_NAME']}/h1/avahi.pid") as file:
            pid = int(file.read().split()[0])
        os.kill(pid, signal.SIGSTOP)
        try:
            probe = self.probe("h1", f"{16:016x}")
            start = time.monotonic()
            probe.tell(f"advertise 4216 {16:016x} open Hung")
            probe.tell("browse")
            moment, _ = probe.wait("means own", 6)
            probe.wait("advertised Hung", 5)
            self.note(f"the own responder {moment - start:.2f} s after the start")
            seeker = self.browse("h2")
            seeker.wait(found(16))
        finally:
            os.kill(pid, signal.SIGCONT)
        start = time.monotonic()
        moment, _ = probe.wait("means daemon", 40)
        self.note(f"the daemon {moment - start:.2f} s after it went on")
        until(lambda: listed("h3", "Hung"), 5, "not advertised by the daemon")

    def test_it_does_not_wake_when_nothing_happens(self):
        host = self.publish("h1", 17, "Quiet")
        self.wakes(host, 20)

    def wakes(self, probe, seconds):
        def count():
            total = 0
            for task in os.listdir(f"/proc/{probe.pid}/task"):
                with open(f"/proc/{probe.pid}/task/{task}/status") as status:
                    lines = status.read().splitlines()
                # Where main() is asynchronous libdispatch has a thread that wakes each second.
                if not re.search(r"\.(overcommit|default-qos)$", lines[0]):
                    total += sum(int(line.split()[1]) for line in lines if "ctxt_sw" in line)
            return total
        time.sleep(6)
        before = count()
        time.sleep(seconds)
        woken = count() - before
        self.note(f"woke {woken} times in {seconds} s")
        self.assertLessEqual(woken, seconds // 5)


class TwoNetworks(LabCase):
    def test_several_interfaces_are_one_entry(self):
        for host in ("h1", "h2"):
            lab("nic", host, "1")
        seeker = self.browse("h2")
        self.publish("h1", 20, "Wide")
        _, match = seeker.wait(
            found(20, addresses=r"(10\.77\.0\.11,10\.78\.0\.11,fe80:\S+%\d+,fe80:\S+%\d+)"), 8)
        self.note(match[1])
        self.assertEqual(len({text.split()[1] for _, text in seeker.said("found .*")}), 1)
        own = self.browse("h1")
        own.wait(found(20, addresses=r".*127\.0\.0\.1.*"), 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
