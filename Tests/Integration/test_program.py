# SPDX-License-Identifier: MIT
"""The program on one machine with nothing but loopback: no daemon, no D-Bus."""
import json
import os
import re
import signal
import stat
import subprocess
import time

import harness
from harness import PlayerCase


class OnLoopback(PlayerCase):
    @classmethod
    def setUpClass(cls):
        cls.place = harness.LoopbackOnly()
        cls.addClassCleanup(cls.place.close)

    def host(self, *args, accept="all", **options):
        accepting = ("--accept", accept) if accept else ()
        player = self.start("host", *accepting, *args, **options)
        return player, player.wait("hosting")["port"]

    def pair(self, **options):
        """A host and a guest who have begun: X, O."""
        host, port = self.host("--hidden", **options)
        guest = self.start("join", f"127.0.0.1:{port}", **options)
        return self.begin(host, guest)


class Meeting(OnLoopback):
    def test_two_players_of_one_home_find_each_other(self):
        home = self.new_home()
        one = self.start("play", home=home)
        other = self.start("play", home=home)
        x, o = self.begin(one, other, within=6)
        self.play(x, o, harness.X_WINS)
        self.finish(x, o, "X", "line")
        self.leave(x, o)

    def test_a_guest_finds_the_host_by_itself(self):
        home = self.new_home()
        host, _ = self.host(home=home)
        guest = self.start("join", home=home)
        x, o = self.begin(host, guest, within=6)
        self.play(x, o, harness.DRAW)
        self.finish(x, o, None, "full")

    def test_a_hidden_game_is_not_listed(self):
        self.host("--hidden")
        self.assertEqual(self.run_ttt("list")[0], 69)

    def test_a_host_asks_before_it_plays(self):
        host, port = self.host("--hidden", accept=None)
        guest = self.start("join", f"127.0.0.1:{port}", "--name", "Bob")
        challenged = host.wait("challenged")
        self.assertEqual((challenged["by"], challenged["known"]), ("Bob", False))
        self.assertRegex(challenged["key"], r"^[a-z2-7]{52}$")
        host.tell("decline")
        self.assertEqual(guest.wait("refused")["code"], "declined")
        self.assertEqual(guest.said("closed") or [guest.wait("closed")],
                         [{"event": "closed", "reason": "failed"}])
        self.assertEqual(guest.exit(), 77)
        again = self.start("join", f"127.0.0.1:{port}", home=guest.home)
        self.assertIn("five minutes", again.wait("refused")["message"])
        other = self.start("join", f"127.0.0.1:{port}")
        key = host.wait("challenged")["key"]
        self.assertNotEqual(key, challenged["key"])
        host.tell("accept", key=challenged["key"])
        self.assertEqual(host.wait("error")["code"], "early")
        host.tell("accept", key=key)
        self.begin(host, other)

    def test_an_answer_for_one_who_has_gone_is_not_taken_for_the_next(self):
        host, port = self.host("--hidden", accept=None)
        first = self.start("join", f"127.0.0.1:{port}", "--name", "Bob")
        host.wait("challenged", by="Bob")
        first.tell("decline")
        host.wait("refused", code="left")
        second = self.start("join", f"127.0.0.1:{port}", "--name", "Eve")
        host.wait("challenged", by="Eve")
        host.tell("accept")
        self.assertEqual(host.wait("error")["code"], "early")
        second.tell("decline")
        host.wait("refused", code="left")
        self.assertEqual(host.said("started"), [])


class Play(OnLoopback):
    def test_wrong_moves_change_nothing(self):
        x, o = self.pair()
        x.next(), o.next()
        o.tell("move", square=1)
        self.assertEqual(o.wait("error")["code"], "early")
        x.tell("move", square=5)
        self.assertEqual(x.next(), o.next())
        x.next(), o.next()
        o.tell("move", square=5)
        self.assertEqual(o.wait("error")["code"], "illegal")
        for square in (0, 10, -1, 10 ** 30, "5", None, 1.5, [5]):
            count = len(o.said("error"))
            o.tell("move", square=square)
            harness.until(lambda: len(o.said("error")) > count, 2, f"an answer to {square!r}")
        o.tell("move", square=1)
        seen = x.next()
        self.assertEqual(seen, o.next())
        self.assertEqual(seen["board"], "O...X....")

    def test_what_is_no_command_is_an_error_and_no_end(self):
        x, o = self.pair()
        for line in ("", "nonsense", "[]", "{}", '{"do":"fly"}', '{"do":"move"}', "null", "5",
                     '{"do":"say","text":5}', "{" * 5000, "x" * 200_000,
                     '{"do":"say","text":"\\ud800"}'):
            count = len(x.said("error"))
            x.write(line + "\n")
            if line:
                harness.until(lambda: len(x.said("error")) > count, 2, f"an answer to {line[:20]}")
        self.play(x, o, harness.X_WINS)
        self.finish(x, o, "X", "line")

    def test_chat_reaches_the_other_side_as_it_was(self):
        x, o = self.pair()
        text = "Grüße, \u202eabc\u001b[2J\t\u4f60\u597d \U0001f600"
        x.tell("say", text=text)
        self.assertEqual(x.wait("said"), {"event": "said", "by": "you", "text": text})
        x.cursor = o.cursor = 0
        self.assertEqual(o.wait("said"), {"event": "said", "by": "opponent", "text": text})

    def test_a_rematch_can_be_declined(self):
        x, o = self.pair()
        self.play(x, o, harness.O_WINS)
        self.finish(x, o, "O", "line")
        x.tell("offer", kind="rematch")
        x.next(), o.next()
        o.tell("decline")
        for player in (x, o):
            self.assertEqual(
                player.next(), {"event": "answered", "kind": "rematch", "accepted": False})
        self.leave(o, x)

    def test_an_offer_that_crosses_an_offer_is_accepted(self):
        x, o = self.pair()
        self.play(x, o, harness.DRAW)
        self.finish(x, o, None, "full")
        x.tell("offer", kind="rematch"), o.tell("offer", kind="rematch")
        self.assertEqual(x.wait("started")["game"], 2)
        self.assertEqual(o.wait("started")["game"], 2)

    def test_a_draw_can_be_agreed(self):
        x, o = self.pair()
        self.play(x, o, harness.DRAW[:3])
        x.next(), o.next()
        o.tell("offer", kind="draw")
        self.assertEqual(x.next(), {"event": "offer", "kind": "draw", "by": "opponent"})
        self.assertEqual(o.next(), {"event": "offer", "kind": "draw", "by": "you"})
        x.tell("accept")
        for player in (x, o):
            self.assertEqual(player.next()["accepted"], True)
        self.finish(x, o, None, "agreed")

    def test_both_resign_at_once(self):
        x, o = self.pair()
        x.next(), o.next()
        x.tell("resign"), o.tell("resign")
        one, other = x.wait("over"), o.wait("over")
        self.assertEqual(
            (one["outcome"], one["winner"], one["termination"]),
            (other["outcome"], other["winner"], other["termination"]))


class Endings(OnLoopback):
    def test_the_last_line_is_always_closed(self):
        for number, code in harness.SIGNAL_CODES.items():
            with self.subTest(signal=number.name):
                host, _ = self.host("--hidden")
                host.signal(number)
                self.assertEqual(host.exit(), code)
                self.assertEqual(
                    host.events[-1][1], {"event": "closed", "reason": "interrupted"})

    def test_a_signal_in_a_game_keeps_it(self):
        x, o = self.pair()
        self.play(x, o, harness.X_WINS[:2])
        x.signal(signal.SIGTERM)
        self.assertEqual(x.exit(), 143)
        self.assertEqual(x.events[-1][1], {"event": "closed", "reason": "interrupted"})
        self.assertEqual(o.wait("link", state="lost")["reason"], "left")
        self.assertFalse(o.said("over") + o.said("closed"), o.events)
        again = self.start("resume", home=x.home)
        started = again.wait("started")
        self.assertEqual(
            (started["board"], started["moves"]), ("X..O.....", list(harness.X_WINS[:2])))
        self.assertEqual(started["score"], {"you": 0, "opponent": 0, "draws": 0})
        o.wait("link", state="restored", within=10)
        again.cursor = 0
        again.wait("started")
        again.tell("move", square=harness.X_WINS[2])
        self.assertEqual(again.next()["event"], "turn")
        self.assertEqual(again.next(), o.next())

    def test_what_is_wanted_while_the_other_is_away_is_told_as_kept_and_done_later(self):
        x, o = self.pair()
        self.play(x, o, harness.X_WINS[:2])
        o.signal(signal.SIGTERM)
        o.exit()
        x.wait("link", state="lost")
        for do, arguments in (("say", {"text": "bye"}), ("offer", {"kind": "draw"}), ("resign", {})):
            x.tell(do, **arguments)
            self.assertEqual(x.wait("kept", "error"), {"event": "kept", "what": do})
        again = self.start("resume", home=o.home)
        self.assertEqual(again.wait("said")["text"], "bye")
        for player in (x, again):
            self.assertEqual(player.wait("over", within=10)["termination"], "resign")

    def test_the_end_of_the_input_is_quit(self):
        host, _ = self.host("--hidden")
        host.end_input()
        self.assertEqual(host.exit(), 0)
        self.assertEqual(host.events[-1][1], {"event": "closed", "reason": "input"})
        code, out, _, _ = self.run_ttt("host", "--plain", "--hidden")
        self.assertEqual((code, out.splitlines()[-1]), (0, "The input has ended. Goodbye."))

    def test_a_closed_output_ends_the_program(self):
        """As in `ttt host --json | head -1`."""
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [*self.place.prefix, harness.TTT, "host", "--hidden", "--accept", "all", "--json"],
            stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.DEVNULL, cwd="/",
            env={"HOME": self.new_home(), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(writing)
        hosting = json.loads(os.read(reading, 65536).splitlines()[0])
        os.close(reading)
        self.start("join", f"127.0.0.1:{hosting['port']}")
        process.wait(5)

    def test_nobody_listens(self):
        for operand in ("127.0.0.1:4", "[::1]:4", "localhost:4"):
            with self.subTest(operand=operand):
                guest = self.start("join", operand)
                self.assertEqual(guest.exit(), 69)
                self.one_sentence(guest.said("error")[0]["message"])
                self.assertEqual(guest.events[-1][1], {"event": "closed", "reason": "failed"})

    def test_nobody_to_join(self):
        guest = self.start("join")
        self.assertEqual(guest.exit(within=15), 69)
        self.one_sentence(guest.said("error")[0]["message"])


class Arguments(OnLoopback):
    def test_help_and_version_go_to_standard_output(self):
        for args in (["--help"], ["help"], ["help", "join"], ["join", "--help"]):
            code, output, errors, _ = self.run_ttt(*args)
            self.assertEqual((code, errors), (0, ""), args)
            self.assertIn("ttt", output)
            self.assertLess(max(map(len, output.splitlines())), 81)
        code, output, errors, _ = self.run_ttt("--version")
        self.assertEqual((code, errors), (0, ""))
        self.assertRegex(output, r"^ttt \d+\.\d+\.\d+\S*\n$")

    def test_mistakes_are_64(self):
        for args in (["dance"], ["--bogus"], ["host", "--bogus"], ["host", "--port"],
                     ["host", "--port", "x"], ["host", "--port", "65536"],
                     ["host", "--port", "-1"], ["host", "extra"], ["host", "--bind", "foo"],
                     ["resume", "zzzz"], ["verify", "zzzz"], ["peers", "forget", "zzzz"],
                     ["host", "--accept", "maybe"], ["join", "a", "b"],
                     ["host", "--name", "n" * 300], ["join", "127.0.0.1:99999"],
                     ["join", "[fe80::1"], ["host", "--json=yes"],
                     *(["join", "--clock", clock] for clock in (
                         "", "5x", "+3", "5m+", "0", "-1", "25h", "5m+3+1",
                         "99999999999999999999"))):
            with self.subTest(args=args):
                code, output, errors, took = self.run_ttt(*args)
                self.assertEqual((code, output), (64, ""))
                self.assertTrue(errors.startswith("ttt: "), errors)
                self.assertLess(took, 5)

    def test_help_says_what_words_mean(self):
        for command, words in (
                ("verify", ("FILE is", "MATCH the", "ttt/games", "77")), ("show", ("MATCH the",)),
                ("resume", ("MATCH is", "75")), ("games", ("ttt/games",)),
                ("join", ("TTT_CODE", "in seconds", "69")), ("play", ("TTT_CODE",)),
                ("id", ("known_peers", "forgets", "Only"))):
            code, output, _, _ = self.run_ttt("help", command)
            self.assertEqual(code, 0)
            for word in words:
                self.assertIn(word, output)
            self.assertLess(max(map(len, output.splitlines())), 81, output)

    def test_a_name_that_cannot_be_seen_is_refused(self):
        for name in (" ", "\u200b", "a\nb", "a\r", "\x1b[2J", "a\u2028b", "\x85b"):
            for args in (("host", "--hidden"), ("id",), ("peers", "name", "a" * 52, name)):
                option = () if name in args else ("--name", name)
                with self.subTest(name=name, args=args):
                    code, output, errors, _ = self.run_ttt(*args, *option)
                    self.assertEqual((code, output), (64, ""))
                    self.one_sentence(errors)

    def test_a_name_is_kept_and_forgotten(self):
        home = self.new_home()
        self.assertIn("Ann", self.run_ttt("id", "--name", "Ann", home=home)[1])
        self.assertIn("Ann", self.run_ttt("id", home=home)[1])
        for _ in range(2):
            code, output, errors, _ = self.run_ttt("id", "--name", "", home=home)
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("a new one each time", output)
        self.assertIn("a new one each time", self.run_ttt("id", home=home)[1])

    def test_the_identity_stays_and_is_private(self):
        home = self.new_home()
        host, _ = self.host("--hidden", home=home)
        host.tell("quit")
        host.exit()
        code, output, _, _ = self.run_ttt("id", home=home)
        self.assertEqual(code, 0)
        fingerprint = re.search(r"\b[a-z2-7]{52}\b", output)
        self.assertTrue(fingerprint, output)
        self.assertIn(fingerprint.group(), self.run_ttt("id", home=home)[1])
        for directory, names, files in os.walk(home):
            for entry in names:
                path = os.path.join(directory, entry)
                if entry == "ttt":
                    self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o700, path)
            for entry in files:
                path = os.path.join(directory, entry)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600, path)

    def test_without_json_it_speaks_plain_lines(self):
        host = self.start("host", "--hidden", "--accept", "all", "--plain", json=False)
        text = harness.until(lambda: [e["line"] for _, e in host.events if "line" in e], 3, "text")
        self.assertNotIn("\x1b", "".join(text))
        host.signal(signal.SIGTERM)
        self.assertEqual(host.exit(), 143)


class Waiting(OnLoopback):
    def test_a_waiting_host_uses_no_processor(self):
        host, _ = self.host("--name", "Idle")
        responder = harness.until(lambda: host.children().get("ttt-mdns"), 3, "ttt-mdns")
        # Announcements and the last timers of the start come first.
        until = time.monotonic() + 5
        harness.until(lambda: time.monotonic() > until, 6, "quiet")
        pids = (host.process.pid, responder)
        before = [harness.processor_ticks(pid) for pid in pids]
        until = time.monotonic() + 60
        harness.until(lambda: time.monotonic() > until, 61, "a minute", step=1)
        after = [harness.processor_ticks(pid) for pid in pids]
        (ticks, woken), (mdns_ticks, _) = [
            tuple(a - b for a, b in zip(*pair)) for pair in zip(after, before)]
        self.assertLessEqual(ticks, 1, "more than 10 ms in a minute")
        self.assertLessEqual(mdns_ticks, 1)
        # The worker threads that Swift's concurrency starts look around once a second.
        self.assertLessEqual(woken, 150, "something spins")

    def test_an_event_is_one_line_of_json(self):
        host, port = self.host("--hidden", "--name", 'A "quoted" \\ name')
        guest = self.start("join", f"127.0.0.1:{port}")
        started = guest.wait("started")
        self.assertEqual(started["opponent"], 'A "quoted" \\ name')
        self.assertEqual(set(started), {
            "event", "match", "game", "you", "opponent", "key", "known", "compare",
            "board", "resumed"})
        self.assertRegex(started["match"], r"^[0-9a-f]{32}$")
        hosting = host.said("hosting")[0]
        self.assertEqual(
            set(hosting), {"event", "name", "port", "addresses", "key", "discovery", "code"})
        self.assertEqual(hosting["key"], started["key"])
        self.assertFalse([e for _, e in host.events if e["event"] == "no JSON"], json.dumps(
            [e for _, e in host.events]))


class Clocks(OnLoopback):
    def clocked(self, host_clock, guest_clock):
        """A host and a guest who want these clocks; `None`: none."""
        def option(clock):
            return ("--clock", clock) if clock else ()
        host, port = self.host("--hidden", *option(host_clock))
        return host, self.start("join", f"127.0.0.1:{port}", *option(guest_clock))

    def full(self, turn, most):
        """The first turn: whose it is has most of its time, the other one all of it."""
        mover, waiter = ("you", "opponent") if turn["you"] else ("opponent", "you")
        self.assertTrue(most - 1_000 < turn["left"][mover] <= most, turn)
        self.assertEqual(turn["left"][waiter], most)

    def test_time_runs_out_and_a_claim_wins(self):
        x, o = self.begin(*self.clocked("2s+0", "2s+0"))
        for player in (x, o):
            self.assertEqual(
                player.said("started")[0]["clock"], {"seconds": 2, "increment": 0})
        self.full(x.next(), 2_000)
        self.full(o.next(), 2_000)
        # Too early, whoever asks.
        for player in (x, o):
            player.tell("claim")
            self.assertEqual(player.wait("error")["code"], "early")
        self.assertEqual(x.wait("timeUp"), {"event": "timeUp", "of": "you"})
        self.assertEqual(o.wait("timeUp"), {"event": "timeUp", "of": "opponent"})
        # Two seconds for a game, and two in which the clock of the other side may be behind.
        passed = o.events[-1][0] - o.moment(o.said("turn")[0])
        self.assertTrue(3.9 < passed < 6, passed)
        # Nothing ends by itself, and whose time is up cannot claim.
        x.tell("claim")
        self.assertEqual(x.wait("error")["code"], "early")
        self.assertFalse(x.said("over") + o.said("over"))
        o.tell("claim")
        self.assertEqual(o.next(), {"event": "claimed", "by": "you"})
        self.assertEqual(x.next(), {"event": "claimed", "by": "opponent"})
        self.finish(x, o, "O", "timeout")
        self.rematch(x, o)
        for player in (x, o):
            player.wait("started", game=2)
            self.full(player.next(), 2_000)

    def test_a_move_adds_its_increment(self):
        x, o = self.begin(*self.clocked("1m+5", "60+5s"))
        x.next(), o.next()
        x.tell("move", square=5)
        x.next(), o.next()
        left, seen = x.next()["left"], o.next()["left"]
        self.assertTrue(63_000 < left["you"] <= 65_000, left)
        self.assertTrue(59_000 < seen["you"] <= 60_000, seen)
        self.assertLess(abs(seen["opponent"] - left["you"]), 1_000)

    def test_a_guest_without_a_clock_takes_the_hosts(self):
        for player in self.begin(*self.clocked("5m+3", None)):
            self.assertEqual(
                player.said("started")[0]["clock"], {"seconds": 300, "increment": 3})

    def test_a_guest_does_not_take_a_clock_of_seconds_unasked(self):
        host, guest = self.clocked("9s", None)
        refused = guest.wait("refused")["message"]
        self.assertIn("--clock 9s", refused)
        self.one_sentence(refused)
        self.assertEqual(guest.exit(), 77)
        self.assertFalse(guest.said("started") + host.said("started"))
        asking = self.start("join", f"127.0.0.1:{host.said('hosting')[0]['port']}", "--clock", "9s")
        self.begin(host, asking)

    def test_two_clocks_that_differ_are_declined_with_both_named(self):
        for host_clock, guest_clock, named in (
                ("5m+3", "10m", "5m+3"), (None, "10m", "without a clock")):
            with self.subTest(host=host_clock):
                host, guest = self.clocked(host_clock, guest_clock)
                refused = guest.wait("refused")
                self.assertIn(named, refused["message"])
                self.assertIn("10m", refused["message"])
                self.assertIn("--clock", refused["message"])
                self.one_sentence(refused["message"])
                self.assertEqual(guest.exit(), 77)
                told = host.wait("refused")["message"]
                self.assertIn(named, told)
                self.assertIn("10m", told)

    def test_the_clock_stands_while_the_link_is_down_and_is_kept(self):
        x, o = self.begin(*self.clocked("1m", None))
        self.play_one(x, o, 5)
        o.signal(signal.SIGTERM)
        lost = x.wait("link", state="lost")["left"]
        # Time that passes and must not count is what is tested.
        time.sleep(1.5)
        again = self.start("resume", home=o.home)
        self.assertEqual(again.wait("started")["clock"], {"seconds": 60, "increment": 0})
        restored = x.wait("link", state="restored", within=10)["left"]
        self.assertEqual(restored["you"], lost["you"])
        self.assertLess(lost["opponent"] - restored["opponent"], 200)
        # What has passed of a turn is forgotten by a new process.
        self.assertEqual(again.wait("turn")["left"]["you"], 60_000)
        # Then it runs again; the time that passes is what is tested.
        again.wait("link", state="restored")
        time.sleep(0.1)
        again.tell("move", square=1)
        self.assertLess(again.wait("turn")["left"]["you"], 60_000)

    def play_one(self, x, o, square):
        x.next(), o.next()
        x.tell("move", square=square)
        x.next(), o.next()
        self.assertEqual((x.next()["you"], o.next()["you"]), (False, True))


class Output(OnLoopback):
    def run_into(self, output, *args, home=None):
        """Runs `ttt ARGS` with this output: its exit code, and what it said of it."""
        done = subprocess.run(
            [*self.place.prefix, harness.TTT, *args], stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.PIPE, text=True, timeout=10, cwd="/",
            env={"HOME": home or self.new_home(), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
        return done.returncode, done.stderr

    def commands(self):
        """A home where every command has something to say, and those commands."""
        x, o = self.pair()
        self.play(x, o, harness.X_WINS)
        self.finish(x, o, "X", "line")
        self.leave(x, o)
        games = os.path.join(x.home, ".local/state/ttt/games")
        record = next(os.path.join(games, name) for name in os.listdir(games)
                      if name[-2:] in (".1", ".2"))
        return x.home, (
            ["verify", record], ["verify", "--json", record], ["show", record],
            ["show", "--sgf", record], ["games"], ["games", "--json"], ["peers"],
            ["peers", "--json"], ["id"], ["help"], ["help", "id"], ["--help"], ["--version"])

    def test_what_a_full_disk_does_not_take_is_said(self):
        home, commands = self.commands()
        for args in commands:
            with self.subTest(args=args), open("/dev/full", "w") as full:
                code, errors = self.run_into(full, *args, home=home)
                self.assertEqual(code, 74)
                self.one_sentence(errors)
                self.assertIn("No space left on device", errors)

    def test_a_list_on_a_full_disk_is_no_success(self):
        home = self.new_home()
        self.host(home=home)
        deadline = time.monotonic() + 10
        while True:
            with open("/dev/full", "w") as full:
                code, errors = self.run_into(full, "list", home=home)
            if code != 69 or time.monotonic() > deadline:
                break
        self.assertEqual(code, 74)
        self.assertIn("No space left on device", errors)

    def test_a_reader_that_has_gone_is_no_failure(self):
        home, commands = self.commands()
        for args in commands:
            with self.subTest(args=args):
                reading, writing = os.pipe()
                os.close(reading)
                try:
                    self.assertEqual(self.run_into(writing, *args, home=home), (0, ""))
                finally:
                    os.close(writing)

    def test_a_player_who_can_be_told_nothing_leaves(self):
        for front in ("--json", "--plain"):
            with self.subTest(front=front), open("/dev/full", "w") as full:
                process = subprocess.Popen(
                    [*self.place.prefix, harness.TTT, "host", "--hidden", front],
                    stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE, text=True,
                    cwd="/", env={"HOME": self.new_home(), "PATH": os.environ["PATH"],
                                  "LANG": "C.UTF-8"})
                self.addCleanup(process.communicate)
                self.addCleanup(process.kill)
                self.assertEqual(process.wait(5), 74)
                self.one_sentence(process.stderr.readline())


class Reading(OnLoopback):
    """Commands that only look need no directory, and make none."""

    COMMANDS = {("games",): 0, ("games", "--json"): 0, ("peers",): 0, ("peers", "--json"): 0,
                ("peers", "forget", "a"): 64, ("list",): 69,
                ("verify", "/nowhere"): 64, ("show", "/nowhere"): 64, ("id",): 0, ("help",): 0}

    def test_they_make_nothing(self):
        home = os.path.join(self.new_home(), "none")
        for args, expected in self.COMMANDS.items():
            with self.subTest(args=args):
                code, _, errors, _ = self.run_ttt(*args, home=home)
                self.assertEqual(code, expected, errors)
                self.assertFalse(os.path.exists(home))

    def read_only_home(self):
        home = self.new_home()
        subprocess.run(
            [*self.place.prefix, "mount", "-t", "tmpfs", "-o", "ro", "tmpfs", home], check=True)
        return home

    def test_a_home_that_cannot_be_written_is_enough(self):
        home = self.read_only_home()
        for args in (("games",), ("peers",), ("list",)):
            with self.subTest(args=args):
                code, _, errors, _ = self.run_ttt(*args, home=home)
                self.assertEqual(code, self.COMMANDS[args], errors)

    def test_what_needs_a_place_says_why_there_is_none(self):
        home = self.read_only_home()
        for args in (("id", "--name", "Ann"), ("host",), ("peers", "block", "a" * 52)):
            with self.subTest(args=args):
                code, _, errors, _ = self.run_ttt(*args, home=home)
                self.assertEqual(code, 74)
                self.one_sentence(errors)
                self.assertIn("Read-only file system", errors)

    def test_a_relative_home_is_said_to_be_one(self):
        code, _, errors, _ = self.run_ttt("id", home="relative")
        self.assertEqual(code, 74)
        self.assertIn("absolute", errors)
