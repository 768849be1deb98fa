// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// What a process shows that takes up a match alone: what is on its disk, whether or not the other
/// side is known to have it.
@Suite struct ResumedViewTests {
    /// A match whose first game the mover of the last ply has won; and who is asked for another.
    private func finished() throws -> (KeptMatch<Position>, asked: Role) {
        var match = KeptMatch<Position>.begun()
        for number in [1, 4, 2, 5, 3] {
            let mover = try #require(match.mover)
            match.input(.command(.play(try #require(Square(number: number)))), to: mover)
            match.settle()
        }
        // The loser moves first in the second game: it is asked.
        let asked = try #require(
            Role.allCases.first { match[$0].engine.standing?.score.you == 0 })
        match.input(.command(.offer(.rematch)), to: asked.other)
        match.settle()
        return (match, asked)
    }

    @Test func `a rematch that was accepted is shown before the other side has heard of it`()
        throws
    {
        var (match, asked) = try finished()
        match.input(.command(.accept), to: asked)
        match.cut()
        match.restart(asked)
        let told = match[asked].told
        guard case .started(_, 2, let seat, _, let position, .some(let soFar))? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(position.board == ".........")
        #expect(soFar.actions.isEmpty && soFar.score.opponent == 1)
        #expect(told.dropFirst() == [.turn(you: seat == .first, ply: 1)])
        // It is told once, and both come to the same.
        match.complete(match.dial(by: asked))
        match.settle()
        #expect(match[asked].told.dropFirst(told.count) == [.together])
        #expect(match.mover != nil)
    }

    @Test func `a move in it is shown as under way, on its board`() throws {
        var (match, asked) = try finished()
        match.input(.command(.accept), to: asked)
        let first = match[asked].engine.standing?.position.legalMoves.first
        match.input(.command(.play(try #require(first))), to: asked)
        guard
            match[asked].engine.lines.last.map({ String(decoding: $0, as: UTF8.self) })?
                .contains(" move 2 1 ") == true
        else {
            Issue.record("The asked player does not move first.")
            return
        }
        match.cut()
        match.restart(asked)
        let told = match[asked].told
        guard told.count == 2, case .started(_, 2, .first, _, _, .some)? = told.first,
            case .sending(1, .first, Square.allCases[0], let position) = told[1]
        else {
            Issue.record("\(told)")
            return
        }
        #expect(position.board == "X........")
        match.complete(match.dial(by: asked.other))
        match.settle()
        guard
            case .moved(1, .first, Square.allCases[0], position)? =
                match[asked].told.dropFirst(told.count + 1).first
        else {
            Issue.record("\(match[asked].told)")
            return
        }
    }
}
