# SPDX-License-Identifier: MIT
"""Adverts by the hundred, and such that point elsewhere: real games are found all the same."""
import re
import time
import unittest

from discovery_probe import LabCase, announcement, found, multicast

# Where an advert must not send anybody: outside, other networks, the finder's own machine.
ELSEWHERE = ("8.8.8.8", "10.78.0.5", "192.168.1.1", "127.0.0.1", "224.0.0.251")


def strings(number):
    return [b"v=1", b"id=%016x" % number, b"state=open"]


class Flood:
    """Through whichever means; see the classes below."""

    def flood(self, count, first=0x1000):
        for start in range(0, count, 50):
            multicast("h3", *(
                announcement(f"flood {number}", "h3.local", "10.77.0.13", 4242,
                             strings(first + number), 120)
                for number in range(start, min(count, start + 50))))

    def of_flood(self, seeker):
        told = {}
        for _, line in seeker.said("(found|gone) 0000000000001.*"):
            told[line.split()[1]] = line.startswith("found")
        return sum(told.values())

    def test_games_before_and_after_a_flood_are_listed(self):
        self.publish("h1", 1, "Before", within=10)
        seeker = self.browse("h2")
        seeker.wait(found(1), 10)
        began = time.monotonic()
        self.flood(1000)
        seeker.wait("found 0000000000001.*", 10)
        self.publish("h1", 2, "After", within=10)
        moment, _ = seeker.wait(found(2), 10)
        self.note(f"found {moment - began:.2f} s after the flood began, "
                  f"with {self.of_flood(seeker)} of the flood")
        self.assertLessEqual(self.of_flood(seeker), 16)
        self.assertGreater(self.of_flood(seeker), 0)
        self.assertTrue(seeker.last("(found|gone) 0+1 .*").startswith("found"))

    def test_adverts_that_point_elsewhere_or_are_malformed_are_skipped(self):
        seeker = self.browse("h2")
        packets = [announcement(f"lure {place}", f"lure-{number}.local", place, 4242,
                                strings(0x2000 + number), 120)
                   for number, place in enumerate(ELSEWHERE)]
        for number, text in enumerate((
                [], [b"v=1"], [b"id=short", b"v=1"], [b"id=" + b"x" * 16],
                [b"id=%016x" % 0x2010] + [b"k" * 255] * 3, [b"=", b"\xff\xfe"])):
            packets.append(announcement(f"odd {number}", "h3.local", "10.77.0.13", 4242, text, 120))
        multicast("h3", *packets)
        multicast("h3", announcement(
            "sound", "h3.local", "10.77.0.13", 4242, strings(0x3000), 120))
        seeker.wait("found 0000000000003000 4242 .*", 10)
        listed = [line for _, line in seeker.said("found .*")]
        self.assertEqual([line for line in listed if re.search("lure|odd", line)], [])


class ThroughTheDaemon(Flood, LabCase):
    pass


class ThroughTheOwnResponder(Flood, LabCase):
    mode = ("-A",)


if __name__ == "__main__":
    unittest.main()
