// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Faults of the program that this one descends from, each of which must not come back.
@Suite struct AncestorFaultTests {
    @Test func `ancestor fault 13: whatever was drawn, exactly one side begins`() {
        for seed in 0..<200 {
            let pair = MatchPair<Position>.started(seed: UInt64(seed))
            let toMove = [pair.joiner, pair.host].map { side in
                side.told.contains(.turn(you: true, ply: 1))
            }
            #expect(toMove[0] != toMove[1])
            #expect(pair.joiner.seat != pair.host.seat)
        }
        // Equal draws, which the ancestor took for a tie and never left, do not begin a game.
        let same = [UInt8](repeating: 6, count: 32)
        var tie = MatchPair<Position>(random: (same, same))
        tie.settle()
        #expect(tie.joiner.hasEnded && tie.host.hasEnded)
        #expect(tie.mover == nil)
    }

    @Test func `ancestor fault 14: who reveals last cannot choose what to reveal`() {
        var random = SeededGenerator(seed: 14)
        var pair = MatchPair<Position>(random: (random.bytes(32), random.bytes(32)))
        pair.deliver(to: .responder)
        // The joiner has seen the host's bytes now, and looks for better ones of its own.
        for _ in 0..<100 {
            var host = pair.host.engine
            let better = MatchNote.reveal(random: random.bytes(32)).bytes
            #expect(host.handle(.note(better), at: pair.now).areRefusal)
        }
        pair.settle()
        pair.expectAgreement()
    }

    /// Delivers a signed move that the rules of the sender's program let through.
    private func isRefused(
        _ pair: MatchPair<Position>, from role: Role, game: UInt32 = 1, ply: UInt32,
        _ action: String
    ) throws -> Bool {
        let logs = pair[role].engine.logs
        let entry = try #require(
            Entry(
                after: logs.own, by: pair[role].seat, seen: logs.theirs,
                .move(game: game, ply: ply, action: Array(action.utf8)),
                cryptography: FastCryptography(key: role == .initiator ? 0xa1 : 0xb2)))
        var receiver = pair[role.other].engine
        let before = receiver.standing
        let effects = receiver.handle(.packet(number: entry.number, entry.line), at: pair.now)
        if effects.areRefusal { #expect(before?.position == receiver.standing?.position) }
        return effects.areRefusal
    }

    @Test func `ancestor fault 15: turn, range, occupied square and a finished game are checked`()
        throws
    {
        var pair = MatchPair<Position>.started()
        try pair.play([5])
        let mover = try #require(pair.mover)
        #expect(try !isRefused(pair, from: mover, ply: 2, "1"))
        #expect(try isRefused(pair, from: mover, ply: 2, "5"))
        #expect(try isRefused(pair, from: mover.other, ply: 2, "1"))
        for action in ["0", "10", "1008", "-1", "a"] {
            #expect(try isRefused(pair, from: mover, ply: 2, action))
        }
        try pair.play([1, 2, 3, 8])
        for role in [mover, mover.other] {
            #expect(try isRefused(pair, from: role, ply: 6, "9"))
        }
    }

    @Test(arguments: ["", " ", "0", "roll 0", "\u{0}", "accept", "open"])
    func `ancestor fault 16: what cannot be read is refused and taken for nothing`(
        bytes: String
    ) throws {
        let pair = MatchPair<Position>.started()
        for input: MatchEngine<Position>.Input in [
            .note(Array(bytes.utf8)),
            .packet(number: pair.host.engine.logs.theirs.count + 1, Array(bytes.utf8)),
        ] {
            var engine = pair.host.engine
            #expect(engine.handle(input, at: pair.now).areRefusal)
            #expect(engine.logs.theirs == pair.host.engine.logs.theirs)
        }
    }

    @Test func `ancestor fault 17: what belongs to the game before is not taken for this one`()
        throws
    {
        var pair = MatchPair<Position>.started()
        let first = try #require(pair.mover)
        try pair.play([1, 4, 2, 5, 3])
        // Nothing restarts by itself, however long it takes.
        pair.now = pair.now.advanced(milliseconds: 3_600_000)
        for role in [first, first.other] { pair.input(.tick, to: role) }
        #expect(pair.mover == nil)
        pair.command(.offer(.rematch), from: first)
        pair.settle()
        pair.command(.accept, from: first.other)
        pair.settle()
        #expect(pair.mover == first.other)
        #expect(try isRefused(pair, from: first.other, game: 1, ply: 1, "1"))
        #expect(try isRefused(pair, from: first.other, game: 1, ply: 6, "9"))
        #expect(try !isRefused(pair, from: first.other, game: 2, ply: 1, "1"))
    }
}
