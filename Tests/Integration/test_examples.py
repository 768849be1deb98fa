# SPDX-License-Identifier: MIT
"""The programs of docs/embedding.md, as they stand in Examples, do what the document says."""
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import harness

PATIENCE = 30


class ExampleTests(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)

    def start(self, program, *words):
        """A running example whose lines come as they are printed, and which ends with the test."""
        process = subprocess.Popen(
            ["stdbuf", "-oL", os.path.join(harness.ROOT, ".build", "debug", program), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        # Whatever hangs is ended, so that reading its lines ends too.
        timer = threading.Timer(PATIENCE, process.kill)
        timer.start()
        for cleanup in (process.stdin.close, process.stdout.close, process.wait, process.kill,
                        timer.cancel):
            self.addCleanup(cleanup)
        return process

    def test_a_session_echoes(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.start("echo", f"{self.home}/ann", port)
        self.await_listener(port)
        guest = self.start("echo", f"{self.home}/bob", port, "127.0.0.1")
        self.assertEqual(guest.stdout.read(), "hello\n")

    def await_listener(self, port):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                return socket.create_connection(("127.0.0.1", port), PATIENCE).close()
            except ConnectionRefusedError:
                pass
        self.fail(f"nobody listens on port {port}")

    def test_a_game_is_played_to_its_end_and_kept(self):
        ann = self.start("nim", f"{self.home}/ann")
        waiting = next(line for line in ann.stdout if line.startswith("waiting at "))
        port = waiting.rsplit(":", 1)[1].strip()
        bob = self.start("nim", f"{self.home}/bob", f"127.0.0.1:{port}")
        said = {ann: [], bob: []}

        def play(player):
            for line in player.stdout:
                said[player].append(line.strip())
                if line == "your turn\n":
                    player.stdin.write("3\n")
                elif line.endswith(" wins\n"):
                    player.stdin.write("quit\n")

        players = [threading.Thread(target=play, args=(player,)) for player in (ann, bob)]
        for player in players:
            player.start()
        for player in players:
            player.join()
        # Of 21 stones, three at a time, the first player takes the last ones.
        for lines in said.values():
            self.assertIn("first takes 3:", lines)
            self.assertIn("first wins", lines)
        for name in ("ann", "bob"):
            games = os.listdir(f"{self.home}/{name}/games")
            self.assertEqual(len([game for game in games if not game.endswith(".lock")]), 1)


if __name__ == "__main__":
    unittest.main()
