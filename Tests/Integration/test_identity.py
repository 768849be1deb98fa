# SPDX-License-Identifier: MIT
"""An identity moves to another machine, and is at every moment in one place at least."""
import base64
import fcntl
import os
import pty
import select
import shutil
import signal
import subprocess
import termios
import time

import harness
from harness import PlayerCase

PASSPHRASE = "correct horse battery"


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Move(PlayerCase):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.new_home(), self.new_home()
        self.file = os.path.join(self.directory, "key.pem")
        self.key = self.key_of(self.old)

    def key_of(self, home):
        if not self.has_key(home):
            self.make_key(home)
        return self.run_ttt("id", home=home)[1].split("fingerprint")[1].split()[0]

    def has_key(self, home):
        return os.path.exists(os.path.join(home, ".config/ttt/identity"))

    def move(self, *args, home=None, text=PASSPHRASE + "\n"):
        return self.run_ttt("id", "move", *args, home=home or self.old, text=text)

    def test_it_moves(self):
        code, out, err, _ = self.move(self.file)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("no longer here", out)
        self.assertFalse(self.has_key(self.old))
        code, out, err, _ = self.move("--from", self.file, home=self.new)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(self.key, out)
        self.assertEqual(self.key_of(self.new), self.key)
        self.assertFalse(os.path.exists(self.file))
        self.assertNotEqual(self.key_of(self.old), self.key)

    def test_who_asks_gets_no_key(self):
        self.move(self.file)
        for home in (self.old, self.new):
            code, out, err, _ = self.run_ttt("id", home=home)
            self.assertEqual((code, err), (0, ""))
            self.assertRegex(out, "fingerprint +none yet; the first game makes one")
            self.assertIn("Ann", self.run_ttt("id", "--name", "Ann", home=home)[1])
            self.assertFalse(self.has_key(home))

    def test_a_file_without_a_key_is_said_before_a_passphrase_is_asked_for(self):
        code, _, err, _ = self.move("--from", "/etc/passwd", home=self.new, text="")
        self.assertEqual(code, 74)
        self.assertIn("/etc/passwd has no player's key in it.", err)

    def test_a_place_that_cannot_be_written_is_said_before_a_passphrase_is_asked_for(self):
        file = os.path.join(self.directory, "none", "key")
        code, _, err, _ = self.move(file, text="")
        self.assertEqual(code, 74)
        self.assertIn(f"{file} cannot be made", err)

    def test_it_says_what_does_not_move(self):
        directory = os.path.join(self.old, ".config/ttt")
        self.assertNotIn("known_peers", self.move(self.file)[1])
        self.move("--from", self.file, home=self.old)
        self.run_ttt("peers", "block", "a" * 52, home=self.old)
        self.run_ttt("id", "--name", "Ann", home=self.old)
        out = self.move(self.file)[1]
        for name in ("known_peers", "name"):
            self.assertIn(os.path.join(directory, name) + ":", out)
        self.assertIn("somebody new", out)
        out = self.move("--from", self.file, home=self.new)[1]
        target = os.path.join(self.new, ".config/ttt/known_peers")
        self.assertIn(target, out)
        # What is said to help does.
        shutil.copy(os.path.join(directory, "known_peers"), target)
        self.assertIn("blocked", self.run_ttt("peers", home=self.new)[1])
        self.move(self.file, home=self.new)
        self.assertNotIn(target, self.move("--from", self.file, home=self.new)[1])

    def test_any_openssl_reads_the_file(self):
        self.move(self.file)
        done = subprocess.run(
            ["openssl", "pkey", "-in", self.file, "-passin", "stdin", "-pubout", "-text"],
            input=PASSPHRASE, capture_output=True, text=True)
        self.assertIn("ED25519", done.stdout, done.stderr)
        with open(self.file) as file:
            body = file.read().split("KEY-----\n")[1].split("-----")[0]
        shown = subprocess.run(["openssl", "asn1parse", "-inform", "DER"], text=False,
                               input=base64.b64decode(body), capture_output=True).stdout.decode()
        self.assertIn("scrypt", shown)
        self.assertIn("aes-256-cbc", shown)

    def test_who_plays_stays(self):
        host = self.start("host", "--hidden", "--bind", "127.0.0.1", home=self.old)
        host.wait("hosting")
        code, _, err, _ = self.move(self.file)
        self.assertEqual(code, 75)
        self.assertIn("is running", err)
        self.assertFalse(os.path.exists(self.file))
        host.tell("quit")
        host.exit()
        self.assertEqual(self.move(self.file)[0], 0)

    def test_a_wrong_passphrase_changes_nothing(self):
        self.move(self.file)
        code, out, err, _ = self.move("--from", self.file, home=self.new, text="something else\n")
        self.assertEqual((code, out), (77, ""))
        self.assertIn("not the passphrase", err)
        self.assertFalse(self.has_key(self.new))
        self.assertEqual(self.move("--from", self.file, home=self.new)[0], 0)

    def test_nothing_is_overwritten(self):
        other = self.key_of(self.new)
        with open(self.file, "w") as file:
            file.write("mine")
        self.assertEqual(self.move(self.file)[0], 64)
        os.remove(self.file)
        self.move(self.file)
        code, _, err, _ = self.move("--from", self.file, home=self.new)
        self.assertEqual(code, 74)
        self.assertIn("somebody else", err)
        self.assertEqual(self.key_of(self.new), other)
        self.assertTrue(os.path.exists(self.file))

    def test_a_short_passphrase_or_none_is_refused(self):
        for text in ("", "\n", "secret\n"):
            code, _, err, _ = self.move(self.file, text=text)
            self.assertEqual(code, 64, err)
            self.assertFalse(os.path.exists(self.file))
        self.assertEqual(self.key_of(self.old), self.key)

    def test_what_is_no_command_line(self):
        for args in ((), ("a", "b"), ("--from",), (self.file, "--from", self.file)):
            self.assertEqual(self.move(*args)[0], 64, args)
        self.assertEqual(self.run_ttt("id", "go", home=self.old)[0], 64)

    def test_wherever_it_is_killed_the_key_is_somewhere(self):
        """Killed at each of its system calls that change a file."""
        for number in range(1, 40):
            home = self.new_home()
            key, file = self.key_of(home), os.path.join(self.directory, f"key{number}.pem")
            calls = "fsync,unlink,unlinkat,write,openat"
            done = subprocess.run(
                ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}",
                 "-e", f"inject=fsync,unlinkat,unlink:signal=SIGKILL:when={number}",
                 harness.TTT, "id", "move", file],
                input=PASSPHRASE + "\n", capture_output=True, text=True, cwd="/",
                env={"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
            if not self.has_key(home):
                self.assertEqual(self.move("--from", file, home=self.new_home())[0], 0)
            else:
                self.assertEqual(self.key_of(home), key)
            if done.returncode == 0:
                return
        self.fail("it was killed each time")

    def terminal(self, *args, home):
        self.main, other = pty.openpty()
        self.addCleanup(os.close, self.main)
        self.addCleanup(os.close, other)
        before = termios.tcgetattr(other)

        def own_terminal():
            os.setsid()
            # Whoever started the tests may ignore some.
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        process = subprocess.Popen(
            [harness.TTT, "id", "move", *args], stdin=other, stdout=other, stderr=other,
            preexec_fn=own_terminal, cwd="/",
            env={"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb",
                 # Else SIGQUIT asks a person what to do next.
                 "SWIFT_BACKTRACE": "enable=no"})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.output = b""
        return process, before, other

    def read_until(self, text, within=5):
        deadline = time.monotonic() + within
        while text not in self.output:
            if time.monotonic() > deadline:
                self.fail(f"no {text!r} in {self.output!r}")
            if select.select([self.main], [], [], 0.05)[0]:
                self.output += os.read(self.main, 65536)

    def test_a_person_types_it_twice_and_nobody_sees_it(self):
        process, before, other = self.terminal(self.file, home=self.old)
        for prompt in (b"New passphrase (", b"The same again: "):
            self.read_until(prompt)
            os.write(self.main, PASSPHRASE.encode() + b"\n")
        self.read_until(b"no longer here")
        self.assertEqual(process.wait(5), 0)
        self.assertNotIn(b"horse", self.output)
        self.assertEqual(termios.tcgetattr(other), before)

    def test_a_person_who_types_a_poor_passphrase_is_asked_again(self):
        process, _, _ = self.terminal(self.file, home=self.old)
        for prompt, answer in ((b"12 bytes or more): ", b"short"),
                               (b"some words do", b""),
                               (b"12 bytes or more): ", PASSPHRASE.encode()),
                               (b"The same again: ", PASSPHRASE.encode() + b"x"),
                               (b"differ", b""),
                               (b"12 bytes or more): ", PASSPHRASE.encode()),
                               (b"The same again: ", PASSPHRASE.encode())):
            self.read_until(prompt)
            self.output = self.output.split(prompt, 1)[1]
            if answer:
                os.write(self.main, answer + b"\n")
        self.read_until(b"no longer here")
        self.assertEqual(process.wait(5), 0)

    def test_a_file_that_is_not_there_is_said_before_a_passphrase_is_asked_for(self):
        code, _, err, _ = self.move("--from", "/nope", home=self.new, text="")
        self.assertEqual(code, 64)
        self.assertIn("/nope cannot be read: No such file", err)

    def test_a_signal_leaves_the_terminal_as_it_was(self):
        for number in SIGNALS:
            with self.subTest(signal=number.name):
                process, before, other = self.terminal(self.file, home=self.old)
                self.read_until(b"New passphrase (")
                process.send_signal(number)
                self.assertEqual(process.wait(5), -number)
                self.assertEqual(termios.tcgetattr(other), before)
                self.assertEqual(self.key_of(self.old), self.key)
