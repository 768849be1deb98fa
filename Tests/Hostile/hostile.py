#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""hostile.py [PATTERN…]: attacks running players, and prints what was expected and what was seen.

Every attack is a test of an `attack_*.py` beside this file; its first line of description is its
name in the table. Without patterns all are run. The exit code is 1 if any figure is not as
expected, or an attack could not be carried out. Attacks that need root or the lab are skipped
where there is none, unless TTT_REQUIRE_LAB is 1: then they fail.
"""
import os
import sys
import textwrap
import time
import traceback
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
for directory in ("Integration", "Faults", "Lab", "Hostile"):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), directory))

MODULES = ("attack_stream", "attack_records", "attack_crowd", "attack_seat", "attack_start",
           "attack_match", "attack_clock", "attack_text", "attack_code", "attack_middle",
           "attack_path", "attack_multicast")
WIDTHS = (36, 52, 26)


class Table(unittest.TestResult):
    """Prints the rows of each attack as soon as it is over."""

    def __init__(self):
        super().__init__()
        self.figures = self.missed = self.left_out = 0
        self.details = []
        self.row("attack", "expected", "seen", "")
        print("-" * (sum(WIDTHS) + 15), flush=True)

    @staticmethod
    def row(*cells):
        """Prints one row; a cell that is too long for its column goes on below."""
        columns = [textwrap.wrap(str(cell), width) or [""] for cell, width in zip(cells, WIDTHS)]
        for line in range(max(map(len, columns))):
            shown = [(column[line] if line < len(column) else "").ljust(width)
                     for column, width in zip(columns, WIDTHS)]
            print(" | ".join([*shown, cells[-1] if line == 0 else ""]).rstrip(), flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.began, self.reason = time.monotonic(), None

    def addError(self, test, err):
        self._broken(test, err)

    def addFailure(self, test, err):
        self._broken(test, err)

    def _broken(self, test, err):
        self.reason = ("FAIL", str(err[1]).split("\n")[0][:200] or err[0].__name__)
        self.details.append(f"{test.id()}\n{''.join(traceback.format_exception(*err))}")
        self._whole_class(test)

    def addSkip(self, test, reason):
        if os.environ.get("TTT_REQUIRE_LAB") == "1":
            self.reason = ("FAIL", reason)
        else:
            self.reason = ("skipped", reason)
            self.left_out += 1
        self._whole_class(test)

    def _whole_class(self, test):
        """What a class as a whole comes to has a row too."""
        if not isinstance(test, unittest.TestCase):
            self.began = time.monotonic()
            self.stopTest(test)

    def stopTest(self, test):
        rows = [(figure.expected, figure.seen, "pass" if figure.holds else "FAIL")
                for figure in getattr(test, "figures", ())]
        if self.reason:
            rows.append(("", self.reason[1], self.reason[0]))
        elif not rows:
            rows.append(("a figure", "none", "FAIL"))
        name = test.shortDescription() or test.id()
        for row in rows:
            self.figures += 1
            self.missed += row[-1] == "FAIL"
            self.row(name, *row)
            name = ""
        if os.environ.get("TTT_TIMES"):
            print(f"    {time.monotonic() - self.began:.1f} s", flush=True)


def main():
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in sys.argv[1:]] or None
    table = Table()
    began = time.monotonic()
    suite = unittest.TestSuite(loader.loadTestsFromName(module) for module in MODULES)
    suite.run(table)
    print()
    for detail in table.details:
        print(detail)
    print(f"{table.figures} figures, {table.missed} failed, {table.left_out} skipped, "
          f"{time.monotonic() - began:.0f} s")
    return 1 if table.missed or not table.testsRun + table.left_out else 0


if __name__ == "__main__":
    sys.exit(main())
