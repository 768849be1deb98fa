# SPDX-License-Identifier: MIT
"""What the program says of records, with a journal made from the documents alone."""
import hashlib
import json
import os
import re
import subprocess
import unittest

from cryptography.hazmat.primitives.asymmetric import ed25519

import harness
from harness import PlayerCase

DOCUMENT = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "protocol.md")


def guarded(text):
    return f"{text} ~{hashlib.sha256(text.encode()).hexdigest()[:8]}\n"


def signed(line, seed, **changes):
    """An entry of the document with other words, by their place, signed again."""
    words = line.split()[:-1]
    for place, word in changes.items():
        words[int(place[1:])] = word
    text = " ".join(words)
    key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(seed, seed + 32)))
    return f"{text} {key.sign(b'ttt-entry-v1' + bytes([10]) + text.encode()).hex()}"


def document_match():
    """The entries of the document's whole match, up to the end of its first game."""
    with open(DOCUMENT, encoding="utf-8") as file:
        block = re.search(r"```match\n(.*?)```", file.read(), re.S).group(1)
    lines = [line[2:] for line in block.splitlines()]
    ends = [number for number, line in enumerate(lines) if line.split()[5] == "end"]
    return lines[:ends[1] + 1]


class Records(PlayerCase):
    @classmethod
    def setUpClass(cls):
        cls.place = harness.LoopbackOnly()
        cls.addClassCleanup(cls.place.close)

    def setUp(self):
        super().setUp()
        self.lines = document_match()
        self.match = self.lines[0].split()[11]
        self.home = self.new_home()
        self.games = os.path.join(self.home, ".local/state/ttt/games")
        os.makedirs(self.games, 0o700)

    def write(self, lines, seat=1, name=None):
        path = os.path.join(self.games, name or f"{self.match}.{seat}")
        text = guarded(f"ttt-journal 1 {self.match} {seat}")
        with open(path, "w", encoding="ascii", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(text + "".join(line + "\n" for line in lines))
        return path

    def verify(self, *paths):
        code, out, err, _ = self.run_ttt("verify", *paths, "--json", home=self.home)
        return code, json.loads(out), err

    def test_a_finished_record_names_players_moves_and_end(self):
        path = self.write(self.lines)
        code, said, _ = self.verify(path)
        self.assertEqual((code, said["verdict"], said["finished"]), (0, "authentic", True))
        self.assertEqual([player["name"] for player in said["players"]], ["Ann", "Bob"])
        moves = [line.split()[8] for line in self.lines if line.split()[5] == "move"]
        self.assertEqual([str(move["square"]) for move in said["games"][0]["moves"]], moves)
        code, out, _, _ = self.run_ttt("verify", path, home=self.home)
        self.assertEqual(code, 0)
        self.assertIn("The record is finished.", out)
        self.assertIn("Ann won (line); both have signed the end", out)

    def test_a_cut_record_is_unfinished(self):
        path = self.write(self.lines[:-1])
        self.assertEqual(self.verify(path)[1]["finished"], False)
        os.truncate(path, os.path.getsize(path) - 40)
        code, said, _ = self.verify(path)
        self.assertEqual((code, said["verdict"], said["finished"], said["cut"]),
                         (0, "authentic", False, True))

    def test_a_changed_record_is_refused(self):
        lines = list(self.lines)
        lines[2] = lines[2].replace(" move 1 1 ", " move 1 1 9", 1)
        code, said, err = self.verify(self.write(lines))
        self.assertEqual((code, said["verdict"], said["line"]), (77, "refused", 4))
        self.assertIn("line 4", err)

    def test_another_version_is_refused_with_both_named(self):
        path = self.write([])
        with open(path, "w", encoding="ascii") as file:
            file.write(guarded(f"ttt-journal 9 {self.match} 1 more"))
        code, said, _ = self.verify(path)
        self.assertEqual(code, 77)
        self.assertRegex(said["message"], "version 9.*version 1")

    def test_games_are_shown_as_boards_and_as_sgf(self):
        path = self.write(self.lines)
        code, out, _, _ = self.run_ttt("show", path, home=self.home)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?m)^[XO.] [XO.] [XO.]$")
        code, out, _, _ = self.run_ttt("show", "--sgf", path, home=self.home)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^\(;FF\[4\]GM\[4\]CA\[UTF-8\]AP\[ttt\]SZ\[3\].*RE\[B\+\]\n;B\[")

    def test_a_name_brings_nothing_to_a_terminal_that_is_not_shown(self):
        unsafe = "\u202e\u200b\u061c\u2066\ufeff\x1b\x9b\x07"
        name = "A" + "".join(f"%{byte:02X}" for byte in unsafe.encode()) + "n]n"
        joiner = signed(self.lines[0], 0, _19=name)
        digest = hashlib.sha256(b"ttt-hash-v1\n" + joiner.encode()).hexdigest()
        host = signed(self.lines[1], 32, _2="1", _3=digest)
        path = self.write([joiner, host])
        for words in (["show", "--sgf"], ["show"], ["verify"], ["verify", "--json"], ["games"]):
            paths = [] if words == ["games"] else [path]
            code, out, _, _ = self.run_ttt(*words, *paths, home=self.home)
            self.assertEqual(code, 0, out)
            self.assertFalse(set(unsafe) & set(out), words)
        out = self.run_ttt("show", "--sgf", path, home=self.home)[1]
        self.assertIn("[An\\]n]", out)

    def test_a_file_of_line_ends_takes_little_more_memory_than_itself(self):
        first = guarded(f"ttt-journal 1 {self.match} 1")
        for begin, line in (("ttt-journal 1\n", 1), (first, 2), (first + self.lines[0] + "\n", 3)):
            path = os.path.join(self.games, f"{self.match}.1")
            with open(path, "w", encoding="ascii", opener=lambda p, f: os.open(p, f, 0o600)) as file:
                file.write(begin + "\n" * (16 << 20))
            for words in (["verify", path], ["games"]):
                done = subprocess.run(
                    ["prlimit", f"--data={256 << 20}", harness.TTT, *words], capture_output=True,
                    text=True, timeout=30, env={"HOME": self.home, "LANG": "C.UTF-8"}, check=False)
                self.assertEqual(done.returncode, 77 if words[0] == "verify" else 0, done.stderr)
                self.assertRegex(done.stdout + done.stderr, f"[Ll]ine {line}:")

    def test_matches_on_disk_are_listed(self):
        self.write(self.lines[:4], seat=1)
        self.write(self.lines, seat=2)
        self.write(["1 nonsense"], name="0" * 32 + ".1")
        code, out, _, _ = self.run_ttt("games", "--json", home=self.home)
        games = {(game["match"], game["seat"]): game
                 for game in map(json.loads, out.splitlines())}
        self.assertEqual((code, len(games)), (0, 3))
        self.assertEqual(games[self.match, 1]["opponent"], "Bob")
        self.assertEqual(games[self.match, 2]["you"], "Bob")
        self.assertEqual(games[self.match, 1]["state"], "their-turn")
        self.assertEqual(games[self.match, 2]["state"], "lost")
        self.assertEqual(games[self.match, 2]["score"], {"you": 0, "opponent": 1, "draws": 0})
        self.assertIn("Line 2", games["0" * 32, 1]["problem"])
        code, out, _, _ = self.run_ttt("games", home=self.home)
        self.assertIn("you lost (line)", out)
        # Both seats of one match are here, so only the whole name tells them apart.
        self.assertIn(f"{self.match}.2  ", out)

    def test_who_drew_which_mark_is_said_and_locks_are_no_records(self):
        path = self.write(self.lines)
        open(path + ".lock", "w").close()
        for command in ("verify", "show"):
            code, out, _, _ = self.run_ttt(command, path, path + ".lock", home=self.home)
            self.assertEqual(code, 0)
            self.assertRegex(out, r"(?m)^ +X (Ann, O Bob|Bob, O Ann)$")

    def test_the_list_of_matches_fits_a_terminal(self):
        self.write(self.lines[:4], seat=1)
        line, = self.run_ttt("games", home=self.home)[1].splitlines()
        self.assertTrue(line.startswith(self.match[:8] + "  "), line)
        self.assertTrue(line.endswith("  their turn"), line)
        self.assertLess(len(line), 73)
        self.assertEqual(self.verify(line.split()[0])[0], 0)

    def test_a_match_is_named_as_the_list_names_it(self):
        self.write(self.lines, seat=1)
        for word in (f"{self.match}.1", self.match, self.match[:6].upper()):
            self.assertEqual(self.verify(word)[:1], (0,))
            self.assertEqual(self.run_ttt("show", word, home=self.home)[0], 0)
        self.write(self.lines, seat=2)
        self.assertEqual(self.verify(f"{self.match}.1", f"{self.match}.2")[0], 0)
        code, out, err, _ = self.run_ttt("verify", self.match, home=self.home)
        self.assertEqual((code, out), (64, ""))
        self.assertIn("2 matches begin", err)
        code, out, err, _ = self.run_ttt("verify", "nothing", home=self.home)
        self.assertEqual((code, out), (64, ""))
        self.assertIn(self.games, err)
        self.one_sentence(err)

    def test_what_is_no_record_is_said_to_be_none(self):
        for path in ("/etc/passwd", "/dev/null"):
            code, _, err, _ = self.run_ttt("verify", path, home=self.home)
            self.assertEqual(code, 77)
            self.assertIn(f"{path} is no record of a match.", err)
        damaged = self.write(self.lines)
        with open(damaged, "r+") as file:
            file.write("ttt-journal 2")
        self.assertIn("line 1:", self.verify(damaged)[2])

    def test_without_a_file_it_says_what_is_missing(self):
        for command in ("verify", "show"):
            self.assertEqual(self.run_ttt(command)[0], 64)
            self.assertEqual(self.run_ttt(command, "/nowhere")[0], 64)
        code, out, err, _ = self.run_ttt("games")
        self.assertEqual((code, out), (0, ""))
        self.assertIn("no matches", err)


if __name__ == "__main__":
    unittest.main()
