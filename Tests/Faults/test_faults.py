# SPDX-License-Identifier: MIT
"""Some of what `make crash` and `make cut` try in full."""
import asyncio
import os
import statistics
import unittest

import crash
import cut


class Faults(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("sockets in other networks need root")

    def test_a_match_survives_a_cut_after_every_fiftieth_byte(self):
        found = asyncio.run(cut.main(50))
        self.assertGreater(len(found.gaps), 100)

    def test_a_match_survives_a_player_who_is_killed(self):
        found = asyncio.run(crash.main(4, ["kill"]))
        self.assertGreater(found.kills, 10)
        self.assertGreater(len(found.restored), 6)
        # In the middle of many: a machine that is busy with other tests stretches some.
        self.assertLess(statistics.median(found.ready), 0.2)
        self.assertLess(statistics.median(found.restored), 0.2)

    def test_a_match_survives_a_disk_that_refuses(self):
        for fault, step in (("EIO fsync", 8), ("ENOSPC fsync", 9),
                            ("EIO write", 6), ("ENOSPC write", 7)):
            with self.subTest(fault=fault):
                found = asyncio.run(crash.main(step, [fault]))
                self.assertGreater(found.errors, 2)
