# SPDX-License-Identifier: MIT
"""Opponents who have completed the handshake, as guest and as host, and then cheat."""
import struct
import threading
import time

import cheats
import harness
import peer
from stage import Attack, Peak, count_told

SHOWN = ("move", "said", "offer", "answered", "over", "claimed", "started")


class Opponents(Attack):
    """Everything here is done in both roles."""

    roles = ("guest", "host")

    def begin_as(self, role, name="Eve"):
        """A game that has begun with a victim: the victim, the session, the match."""
        if role == "guest":
            player, port = self.host()
            session, match = self.guest(port, name)
            self.assertIsNone(match.challenge())
        else:
            player, session, match = self.opponent(name)
            session.welcome()
            match.accept()
        player.wait("started")
        return player, session, match

    def play(self, player, match, plies, squares=harness.X_WINS):
        """Plays to the end of so many plies, until the victim is told who is next."""
        for ply, square in enumerate(squares[:plies], 1):
            player.wait("turn", ply=ply)
            if match.board.turn == match.seat:
                match.move(square)
            else:
                player.tell("move", square=square)
                match.expect("move")
        if match.board.result:
            match.finish()
            player.wait("over")
        else:
            player.wait("turn", ply=plies + 1)

    def turn(self, player, match, own, plies=2):
        """Plays until it is the cheat's own turn, or not."""
        first = match.seat == match.board.first
        self.play(player, match, plies + ((first == (plies % 2 == 0)) != own))

    def run_cheats(self, table, prepare, send=None, roles=roles, codes=(76, 77)):
        """Each cheat in a match of its own; a refused one ends the match, shows nothing, and
        the victim's program ends by itself with a sentence."""
        send = send or (lambda session, match, cheat: match.send_line(cheat(match)))
        refused = shown = total = 0
        missed = []
        for role in roles:
            for name, cheat in table.items():
                total += 1
                player, session, match = self.begin_as(role)
                prepare(player, match)
                events = len(player.events)
                send(session, match, cheat)
                try:
                    player.wait("error", within=5)
                    code = player.exit()
                except AssertionError:
                    code = None
                shown += count_told(player, events, *SHOWN)
                if code in codes:
                    refused += 1
                else:
                    missed.append(f"{name} as {role}: {code}")
                player.close()
                session.connection.close()
        self.figure("refused", f"{refused} of {total}", exactly=f"{total} of {total}")
        self.figure("wrong things shown", shown, exactly=0)
        if missed:
            self.fail("not refused: " + "; ".join(missed) + "\n" + self.transcript())

    def test_a_wrong_turn(self):
        """moves out of turn"""
        self.run_cheats(cheats.OTHER_TURN, lambda p, m: self.turn(p, m, own=False))

    def test_b_wrong_moves(self):
        """moves that the rules forbid"""
        self.run_cheats(cheats.OWN_TURN, lambda p, m: self.turn(p, m, own=True))

    def test_c_wrong_ends(self):
        """ends, answers and words that are none"""
        self.run_cheats(cheats.ENDS, lambda p, m: self.turn(p, m, own=True))

    def test_d_afterwards(self):
        """entries after the end of the game"""
        self.run_cheats(cheats.AFTERWARDS, lambda p, m: self.play(p, m, 5))

    def test_e_signatures(self):
        """bad signatures"""
        self.run_cheats(cheats.SIGNATURES, lambda p, m: self.turn(p, m, own=True))

    def test_f_replays(self):
        """replayed entries"""
        self.run_cheats(cheats.REPLAYS, lambda p, m: self.turn(p, m, own=True))

    def test_g_foreign(self):
        """entries of another seat, game or match"""
        self.run_cheats(cheats.FOREIGN, lambda p, m: self.turn(p, m, own=True))

    def test_h_forks(self):
        """entries of another log"""
        self.run_cheats(cheats.FORKS, lambda p, m: self.turn(p, m, own=True))

    def test_i_frames(self):
        """frames at the wrong time"""
        def send(session, match, cheat):
            session.write_frame(*cheat(session))
        self.run_cheats(cheats.FRAMES, lambda p, m: self.turn(p, m, own=True), send)

    def test_j_repetitions(self):
        """packets that come twice"""
        moves = 0
        for role in self.roles:
            player, session, match = self.begin_as(role)
            send = session.send_packet

            def twice(data):
                send(data)
                session.write_frame(peer.PACKET, struct.pack(">Q", session.sent) + data)
            session.send_packet = twice
            self.play(player, match, 5)
            moves += len(player.said("move"))
        self.figure("moves shown of two games of 5", moves, exactly=10)

    def test_k_another_match(self):
        """a whole match of earlier, played back"""
        shown = refused = 0
        for role in self.roles:
            identity = peer.Identity()
            recorded = None
            for _ in range(2):
                if role == "guest":
                    player, port = self.host()
                    session, match = self.guest(port, identity=identity)
                    match.challenge()
                else:
                    player, session, match = self.opponent("Eve", identity)
                    session.welcome()
                    match.accept()
                player.wait("started")
                if recorded is None:
                    self.play(player, match, 5)
                    recorded = match.logs[match.seat][1:]
                    continue
                events = len(player.events)
                player.wait("turn")
                events = len(player.events)
                for line in recorded:
                    try:
                        match.send_line(line)
                    except OSError:
                        break
                refused += player.exit() in (76, 77)
                shown += count_told(player, events, *SHOWN)
        self.figure("refused", f"{refused} of 2", exactly="2 of 2")
        self.figure("wrong things shown", shown, exactly=0)

    def flood(self, session, frames, player, within=20):
        """Writes all of it while the victim's player asks something; the longest answer in ms."""
        def write():
            try:
                for frame in frames:
                    session.connection.write(frame)
            except (OSError, peer.SSL.Error):
                pass
        writer = threading.Thread(target=write)
        writer.start()
        longest = 0
        while writer.is_alive() and player.process.poll() is None:
            count = len(player.said("error"))
            began = time.monotonic()
            try:
                player.process.stdin.write(b"nonsense\n")
                player.process.stdin.flush()
            except BrokenPipeError:
                break
            while len(player.said("error")) == count and player.process.poll() is None:
                if time.monotonic() - began > within:
                    break
                time.sleep(0.001)
            longest = max(longest, time.monotonic() - began)
        writer.join()
        return longest * 1000

    def test_l_flood_of_packets(self):
        """100,000 packets that repeat one"""
        worst = grown = 0
        for role in self.roles:
            player, session, match = self.begin_as(role)
            player.wait("turn")
            body = match.logs[match.seat][0].encode()
            frame = struct.pack(">IBQ", 9 + len(body), peer.PACKET, 1) + body
            peak = Peak(player)
            worst = max(worst, self.flood(session, [frame * 100] * 1000, player))
            grown = max(grown, peak.grown())
            self.figure("it runs on", player.process.poll() is None, exactly=True)
        self.figure("memory", grown, at_most=512, unit="KiB more")
        self.figure("slowest answer to its player", worst, at_most=250, unit="ms")

    def test_m_flood_of_unknown_frames(self):
        """a million frames of unknown kinds"""
        worst = grown = 0
        for role in self.roles:
            player, session, match = self.begin_as(role)
            player.wait("turn")
            peak, frame = Peak(player), struct.pack(">IB", 1, 0xF7)
            worst = max(worst, self.flood(session, [frame * 5000] * 200, player))
            grown = max(grown, peak.grown())
        self.figure("memory", grown, at_most=512, unit="KiB more")
        self.figure("slowest answer to its player", worst, at_most=250, unit="ms")

    @staticmethod
    def chat(session, match, count):
        """Frames of so many texts, as fast as the window lets them go."""
        for number in range(count):
            line = cheats.forge(match, "say", f"{number:0500}")
            match.logs[match.seat].append(line)
            session.sent += 1
            body = line.encode()
            yield struct.pack(">IBQ", 9 + len(body), peer.PACKET, session.sent) + body

    def test_n_flood_of_chat(self):
        """5,000 signed texts in a row"""
        worst = grown = 0
        texts = []
        for role in self.roles:
            player, session, match = self.begin_as(role)
            player.wait("turn")
            peak = Peak(player)
            worst = max(worst, self.flood(session, self.chat(session, match, 50), player))
            player.wait("said", text=f"{49:0500}")
            grown = max(grown, peak.grown())
            self.flood(session, self.chat(session, match, 4950), player)
            self.figure(f"the program ends as {role}", player.exit(), exactly=76)
            texts.append(len(player.said("said")))
        self.figure("texts taken", texts, exactly=[50, 50])
        self.figure("memory", grown, at_most=512, unit="KiB more")
        self.figure("slowest answer to its player", worst, at_most=250, unit="ms")
