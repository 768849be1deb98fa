# SPDX-License-Identifier: MIT
"""The terminal is as it was, however the program ends."""
import fcntl
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import termios
import time

import harness
from harness import PlayerCase

NORMAL_SCREEN, CURSOR_SHOWN = b"\x1b[?1049l", (b"\x1b[?25h", b"\x1b[?12l\x1b[?25h")


class Terminal(PlayerCase):
    def screen(self, *args, term="xterm-256color", size=(24, 80), drawn=(b"28888", b"quit")):
        """Starts a waiting host on a terminal of its own and lets it draw."""
        self.main, self.other = pty.openpty()
        self.addCleanup(os.close, self.main)
        self.addCleanup(os.close, self.other)
        fcntl.ioctl(self.other, termios.TIOCSWINSZ, struct.pack("4H", *size, 0, 0))
        before = termios.tcgetattr(self.other)

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        process = subprocess.Popen(
            [harness.TTT, "host", "--hidden", *args], stdin=self.other, stdout=self.other,
            stderr=self.other, preexec_fn=own_terminal, cwd="/",
            env={"HOME": self.new_home(), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                 "TERM": term,
                 # Else a crash asks a person what to do next.
                 "SWIFT_BACKTRACE": "enable=no"})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.output = b""
        self.read_until(lambda: any(text in self.output for text in drawn), process)
        return process, before

    def read_until(self, condition, process, within=5):
        deadline = time.monotonic() + within
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"not within {within} s: {self.output!r}")
            if select.select([self.main], [], [], 0.05)[0]:
                self.output += os.read(self.main, 65536)
            elif process.poll() is not None:
                return

    def check_restored(self, process, before, code):
        self.read_until(lambda: process.poll() is not None, process)
        while select.select([self.main], [], [], 0.1)[0]:
            self.output += os.read(self.main, 65536)
        status = process.returncode
        self.assertEqual(128 - status if status < 0 else status, code, self.output)
        self.assertEqual(termios.tcgetattr(self.other), before)
        if b"\x1b[?1049h" in self.output:
            self.assertGreater(
                self.output.rfind(NORMAL_SCREEN), self.output.rfind(b"\x1b[?1049h"))
        if b"\x1b[?25l" in self.output:
            self.assertGreater(self.output.rfind(b"\x1b[?25h"), self.output.rfind(b"\x1b[?25l"))

    def test_after_control_c(self):
        process, before = self.screen()
        os.write(self.main, b"\x03")
        self.check_restored(process, before, 130)

    def test_after_signals(self):
        for number, code in harness.SIGNAL_CODES.items():
            with self.subTest(signal=number.name):
                process, before = self.screen()
                process.send_signal(number)
                self.check_restored(process, before, code)

    def test_after_a_crash(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGILL):
            with self.subTest(signal=number.name):
                process, before = self.screen()
                process.send_signal(number)
                self.check_restored(process, before, 128 + number)

    def test_on_a_dumb_terminal(self):
        process, before = self.screen(term="dumb")
        self.assertNotIn(b"\x1b", self.output)
        os.write(self.main, b"quit\n")
        self.check_restored(process, before, 0)

    def test_a_clock_that_runs_is_drawn_once_a_second_and_nothing_else(self):
        for clock, expected in ((("--clock", "1h"), (3, 5)), ((), (0, 0))):
            with self.subTest(clock=clock):
                with socket.create_server(("127.0.0.1", 0)) as free:
                    port = str(free.getsockname()[1])
                process, _ = self.screen(
                    "--bind", "127.0.0.1", "--port", port, "--accept", "all", *clock,
                    drawn=[port.encode()])
                guest = self.start("join", f"127.0.0.1:{port}")
                guest.wait("turn")
                self.read_until(lambda: b"resign" in self.output, process)
                # What belongs to the start of the game comes at once.
                while select.select([self.main], [], [], 0.3)[0] and len(self.output) < 1 << 20:
                    self.output += os.read(self.main, 65536)
                drawn, last, deadline = 0, 0, time.monotonic() + 4
                while (left := deadline - time.monotonic()) > 0:
                    if select.select([self.main], [], [], left)[0]:
                        os.read(self.main, 65536)
                        # One picture may come in several pieces.
                        drawn += time.monotonic() - last > 0.25
                        last = time.monotonic()
                self.assertTrue(expected[0] <= drawn <= expected[1], drawn)
                process.kill()

    def test_the_end_of_a_game_stays_on_the_screen_until_a_key_or_a_signal(self):
        for end, code in ((b" ", 0), (signal.SIGTERM, 143)):
            with self.subTest(end=end):
                with socket.create_server(("127.0.0.1", 0)) as free:
                    port = str(free.getsockname()[1])
                process, before = self.screen(
                    "--bind", "127.0.0.1", "--port", port, "--accept", "all",
                    drawn=[port.encode()])
                guest = self.start("join", f"127.0.0.1:{port}")
                guest.wait("turn")
                guest.tell("resign")
                guest.wait("over")
                guest.tell("quit")
                self.read_until(lambda: b"Press any key." in self.output, process)
                # Longer than the program takes to close everything.
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(1.5)
                self.assertNotIn(NORMAL_SCREEN, self.output)
                if code == 0:
                    os.write(self.main, end)
                else:
                    process.send_signal(end)
                self.check_restored(process, before, code)

    def test_in_a_window_that_is_too_small(self):
        process, before = self.screen(size=(5, 12), drawn=[b"Too small"])
        process.send_signal(signal.SIGTERM)
        self.check_restored(process, before, 143)
