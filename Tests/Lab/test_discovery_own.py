# SPDX-License-Identifier: MIT
"""Discovery through ttt-mdns, with no D-Bus."""
import os
import signal
import subprocess
import time
import unittest

from discovery_probe import (
    BUILD, LabCase, chain, found, kill, lab, multicast, on, require_lab, until)


class Own(LabCase):
    mode = ("-D",)

    def test_it_starts_by_itself_and_says_goodbye(self):
        seeker = self.browse("h2")
        start = time.monotonic()
        host = self.publish("h1", 1, "Alone")
        moment, _ = seeker.wait(found(1), 5)
        self.note(f"found {moment - start:.2f} s after the start of the publisher")
        seeker.wait(found(1, addresses=r"10\.77\.0\.11,fe80:\S+%\d+"), 5)
        start = kill(host.pid)
        moment, _ = seeker.wait("gone 0+1", 5)
        self.note(f"gone {moment - start:.2f} s after kill -9 of the publisher")

    def test_it_is_back_when_killed(self):
        host = self.publish("h1", 2, "Back")
        seeker = self.browse("h2")
        seeker.wait(found(2))
        for player, what in ((host, "publisher"), (seeker, "seeker")):
            old = player.responder
            start = kill(old)
            until(lambda: player.responder not in (None, old), 2, "it is not back")
            self.note(f"{what}: back after {time.monotonic() - start:.2f} s")
        late = self.browse("h3")
        late.wait(found(2), 4)
        time.sleep(7)
        self.assertFalse(seeker.said("gone 0+2"))
        self.assertFalse(host.said("advertised Back #2"))
        self.assertFalse(host.said("means none"))

    def test_a_hostile_packet_aborts_it_and_it_is_back(self):
        host = self.publish("h1", 3, "Tough")
        seeker = self.browse("h2")
        seeker.wait(found(3))
        olds = {player: player.responder for player in (host, seeker)}
        for old in olds.values():
            self.assertIsNotNone(old)
        multicast("h3", chain())
        for player, old in olds.items():
            until(lambda: not os.path.exists(f"/proc/{old}"), 12, "the packet does no harm")
            start = time.monotonic()
            until(lambda: player.responder not in (None, old), 2, "it is not back")
            self.note(f"back {time.monotonic() - start:.2f} s after its end was seen")
        until(lambda: host.responder and seeker.responder, 2, "both back")
        late = self.browse("h3")
        late.wait(found(3), 4)
        time.sleep(7)
        seeker.poll()
        self.assertTrue(seeker.last("(found|gone) 0+3.*").startswith("found"))

    def test_equal_names_get_different_ones(self):
        one = self.publish("h1", 4, "Twin")
        other = self.publish("h1", 5, "Twin", 8)
        third = self.publish("h2", 6, "Twin", 8)
        everyone = (one, other, third)
        # One that begins just when another has announced itself learns of it only afterwards.
        until(lambda: len({player.last("advertised .*") for player in everyone}) == 3, 15,
              "some have one name")
        self.note(", ".join(player.last("advertised .*") for player in everyone))
        one.wait(found(5))
        one.wait(found(6))
        other.wait(found(4, addresses=r".*127\.0\.0\.1.*"))

    def test_addresses_are_followed(self):
        seeker = self.browse("h2")
        self.publish("h1", 7, "Mover")
        seeker.wait(found(7, addresses=r"10\.77\.0\.11,.*"))
        start = time.monotonic()
        on("h1", "ip", "addr", "del", "10.77.0.11/24", "dev", "eth0")
        on("h1", "ip", "addr", "add", "10.77.0.77/24", "dev", "eth0")
        self.addCleanup(on, "h1", "ip", "addr", "add", "10.77.0.11/24", "dev", "eth0")
        self.addCleanup(on, "h1", "ip", "addr", "del", "10.77.0.77/24", "dev", "eth0")
        moment, _ = seeker.wait(found(7, addresses=r"10\.77\.0\.77,.*"), 10)
        self.note(f"the new address {moment - start:.2f} s after the change")

    def test_hosts_are_looked_up(self):
        self.publish("h1", 8, "Host")
        seeker = self.browse("h2")
        seeker.wait(found(8))
        seeker.tell("resolve nobody.local 1200")
        seeker.wait("resolved nobody.local -", 3)

    def test_a_daemon_that_comes_later_is_taken_and_keeps_its_name(self):
        host = self.publish("h1", 9, "Early")
        stranger = self.publish("h1", 10, "Stranger")
        seeker = self.browse("h2")
        seeker.wait(found(9))
        lab("start-dbus", "h1")
        lab("start-avahi", "h1")
        self.addCleanup(lab, "stop-dbus", "h1")
        self.addCleanup(lab, "stop-avahi", "h1")
        start = time.monotonic()
        moment, _ = host.wait("means daemon", 14)
        self.note(f"the daemon {moment - start:.2f} s after it was there")
        stranger.wait("means daemon", 14)
        until(lambda: host.responder is None, 2, "the responder stays")
        time.sleep(7)
        self.assertFalse(host.said(r"advertised Early #\d"))
        self.assertFalse(seeker.said("gone .*"))
        self.assertNotIn("conflict", on("h1", "true") + lab("log", "h1"))
        looked = self.probe("h2")
        looked.tell("resolve h1.local 3000")
        looked.wait(r"resolved h1.local 10\.77\.0\.11.*|resolved h1.local fe80.*", 4)

    def test_beside_a_running_daemon(self):
        lab("start-dbus", "h3")
        lab("start-avahi", "h3")
        self.addCleanup(lab, "stop-dbus", "h3")
        self.addCleanup(lab, "stop-avahi", "h3")
        # A probe that cannot see the bus stands for a program in a container of its own.
        script = f"mount -t tmpfs tmpfs /run && exec {BUILD}/discovery-probe _tictactoe._tcp " \
                 f"{BUILD}/ttt-mdns"
        boxed = subprocess.Popen(
            [os.path.join(os.path.dirname(__file__), "lab.sh"), "exec", "h3", "unshare", "-m",
             "sh", "-c", script], stdin=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
        boxed.stdin.write("advertise 4211 000000000000000b open Boxed\n")
        boxed.stdin.flush()
        try:
            seeker = self.browse("h2")
            seeker.wait(found(11), 8)
            own = self.browse("h3")
            own.wait("means daemon", 5)
            own.wait(found(11), 5)
            time.sleep(8)
            self.assertNotIn("conflict", lab("log", "h3"))
            self.assertEqual(on("h3", "avahi-resolve", "-n", "h3.local").split()[0], "h3.local")
        finally:
            boxed.stdin.close()
            boxed.wait(5)

    def test_nothing_is_left_behind(self):
        host = self.publish("h1", 12, "Leaver")
        pid = host.responder
        kill(host.responder, signal.SIGTERM)
        until(lambda: host.responder not in (None, pid), 3, "not back after SIGTERM")
        pid = host.responder
        host.end()
        until(lambda: not os.path.exists(f"/proc/{pid}"), 2, "the responder stays")


class LoopbackOnly(unittest.TestCase):
    def setUp(self):
        require_lab()

    def test_two_on_a_machine_with_nothing_but_loopback(self):
        script = f"""
            mount -t tmpfs tmpfs /run; ip link set lo up
            P="{BUILD}/discovery-probe _tictactoe._tcp {BUILD}/ttt-mdns"
            (printf 'advertise 1111 aaaaaaaaaaaaaaaa open Alice\\nbrowse\\n'; sleep 6) |
                $P aaaaaaaaaaaaaaaa &
            (printf 'advertise 1112 bbbbbbbbbbbbbbbb open Bob\\nbrowse\\n'; sleep 6) |
                $P bbbbbbbbbbbbbbbb &
            wait"""
        output = subprocess.run(["unshare", "-n", "-m", "sh", "-c", script], text=True,
                                capture_output=True, timeout=20).stdout
        self.assertIn("found aaaaaaaaaaaaaaaa 1111 open fresh 127.0.0.1 Alice", output)
        self.assertIn("found bbbbbbbbbbbbbbbb 1112 open fresh 127.0.0.1 Bob", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
