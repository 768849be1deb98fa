// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@Suite struct WholeMatchTests {
    private typealias Event = MatchEvent<Position>

    /// Short names of events, to compare whole stories.
    private func story(_ side: MatchPair<Position>.Side) -> [String] {
        side.told.compactMap { event in
            switch event {
            case .sending: nil
            case .challenged: "challenged"
            case .declined(let reason): "declined \(reason)"
            case .started(_, let game, let seat, _, let position, _):
                "started \(game) \(Position.mark(of: seat)) \(position.board)"
            case .turn(let you, let ply): "turn \(ply) \(you ? "mine" : "other")"
            case .moved(let ply, let by, let action, let position):
                "moved \(ply) \(Position.mark(of: by)) \(action.number) \(position.board)"
            case .offered(let kind, let byYou): "offered \(kind) \(byYou ? "mine" : "other")"
            case .answered(let kind, let accepted): "answered \(kind) \(accepted)"
            case .said(let byYou, let text): "said \(byYou ? "mine" : "other") \(text)"
            case .over(let result, let score, _):
                "over \(result.outcome.map { "\($0)" } ?? "none") \(result.termination)"
                    + " \(score.you):\(score.opponent):\(score.draws)"
            case .rejected(let code, _): "rejected \(code)"
            case .ended(let end): "ended \(end)"
            case .dropped, .apart, .together, .timeUp, .claimed, .claimDeclined:
                "\(event)"
            }
        }
    }

    @Test func `a whole game is told in order and alike on both sides`() throws {
        var pair = MatchPair<Position>.started()
        let first = try #require(pair.mover)
        try pair.play([1, 4, 2, 5, 3])
        pair.expectAgreement()
        let moves = [
            "moved 1 X 1 X........", "moved 2 O 4 X..O.....", "moved 3 X 2 XX.O.....",
            "moved 4 O 5 XX.OO....", "moved 5 X 3 XXXOO....",
        ]
        func expected(mine: Bool) -> [String] {
            var lines = ["started 1 \(mine ? "X" : "O") ........."]
            for (index, move) in moves.enumerated() {
                lines.append(
                    "turn \(index + 1) \(index.isMultiple(of: 2) == mine ? "mine" : "other")")
                lines.append(move)
            }
            return lines + ["over win(\(Seat.self).first) line \(mine ? "1:0:0" : "0:1:0")"]
        }
        let clean = { (lines: [String]) in lines.map { $0.replacing("MatchProtocol.", with: "") } }
        #expect(clean(story(pair[first])) == clean(expected(mine: true)))
        #expect(clean(story(pair[first.other])) == clean(expected(mine: false)))
    }

    @Test func `a rematch is asked and answered, the other side starts, the score is kept`() throws
    {
        var pair = MatchPair<Position>.started()
        let first = try #require(pair.mover)
        try pair.play([1, 4, 2, 5, 3])
        pair.command(.offer(.rematch), from: first)
        pair.settle()
        #expect(pair.mover == nil)
        pair.command(.accept, from: first.other)
        pair.settle()
        #expect(pair.mover == first.other)
        try pair.play([1, 4, 2, 5, 3])
        pair.expectAgreement()
        #expect(pair[first].engine.standing?.score == MatchScore(you: 1, opponent: 1))
        #expect(
            story(pair[first]).suffix(from: 12).prefix(4)
                == [
                    "offered rematch mine", "answered rematch true", "started 2 O .........",
                    "turn 1 other",
                ])
    }

    @Test func `a declined rematch starts nothing, and may be offered again`() throws {
        var pair = MatchPair<Position>.started()
        try pair.play([1, 4, 2, 5, 3])
        pair.command(.offer(.rematch), from: .initiator)
        pair.settle()
        pair.command(.decline, from: .responder)
        pair.settle()
        #expect(pair.joiner.told.last == .answered(.rematch, accepted: false))
        #expect(pair.host.told.last == .answered(.rematch, accepted: false))
        pair.command(.offer(.rematch), from: .responder)
        pair.settle()
        #expect(pair.joiner.told.last == .offered(.rematch, byYou: false))
    }

    @Test func `a second wish for a rematch accepts the first`() throws {
        var pair = MatchPair<Position>.started()
        try pair.play([1, 4, 2, 5, 3])
        pair.command(.offer(.rematch), from: .initiator)
        pair.settle()
        pair.command(.offer(.rematch), from: .responder)
        pair.settle()
        #expect(pair.mover != nil)
        pair.expectAgreement()
    }

    @Test(arguments: [Role.initiator, .responder])
    func `resigning loses`(role: Role) throws {
        var pair = MatchPair<Position>.started()
        try pair.play([5])
        pair.command(.resign, from: role)
        pair.settle()
        pair.expectAgreement()
        #expect(pair[role].results.map(\.termination) == ["resign"])
        #expect(pair[role].engine.standing?.score == MatchScore(opponent: 1))
    }

    @Test func `an accepted draw ends the game, a declined one does not`() throws {
        var pair = MatchPair<Position>.started()
        pair.command(.offer(.draw), from: .initiator)
        pair.settle()
        pair.command(.decline, from: .responder)
        pair.settle()
        try pair.play([5])
        pair.command(.offer(.draw), from: .responder)
        pair.settle()
        pair.command(.accept, from: .initiator)
        pair.settle()
        pair.expectAgreement()
        #expect(pair.host.results == [GameResult(.draw, termination: "agreed")])
        #expect(pair.host.engine.standing?.score == MatchScore(draws: 1))
    }

    @Test func `what is said reaches both, at any time`() throws {
        var pair = MatchPair<Position>.started()
        pair.command(.say("hällo, 100 %"), from: .initiator)
        pair.settle()
        try pair.play([1, 4, 2, 5, 3])
        pair.command(.say("-"), from: .responder)
        pair.settle()
        #expect(pair.host.told.contains(.said(byYou: false, text: "hällo, 100 %")))
        #expect(pair.joiner.told.contains(.said(byYou: true, text: "hällo, 100 %")))
        #expect(pair.joiner.told.last == .said(byYou: false, text: "-"))
        pair.expectAgreement()
    }

    @Test func `both are shown the same number to compare`() throws {
        let pair = MatchPair<Position>.started()
        let shown = [pair.joiner, pair.host].map { side -> UInt32? in
            guard case .started(_, _, _, let compare, _, _)? = side.told.first else { return nil }
            return compare
        }
        #expect(shown[0] != nil && shown[0] == shown[1])
        #expect(try #require(shown[0]) < 1 << 20)
    }

    @Test func `a move is told to its author only when the other side has it`() throws {
        var pair = MatchPair<Position>.started()
        let first = try #require(pair.mover)
        let before = pair[first].told.count
        let square = try #require(Square(number: 5))
        pair.command(.play(square), from: first)
        guard case .sending(1, .first, square, _)? = pair[first].told.last else {
            Issue.record("\(pair[first].told)")
            return
        }
        pair.deliver(to: first.other)
        #expect(pair[first].told.count == before + 1)
        pair.deliver(to: first)
        #expect(pair[first].told.count == before + 3)
    }

    @Test func `own entries are stored before they are sent, others' before they are acknowledged`()
        throws
    {
        var pair = MatchPair<Position>.started()
        let first = try #require(pair.mover)
        let own = pair[first].engine.handle(
            .command(.play(try #require(Square(number: 5)))), at: pair.now)
        guard case .store(let entry, _, let number) = own[0], own.count == 3,
            case .tell(.sending) = own[2]
        else {
            Issue.record("\(own)")
            return
        }
        #expect(own[1] == .sendPacket(entry))
        let others = pair[first.other].engine.handle(
            .packet(number: number, entry), at: pair.now)
        guard case .store(entry, _, number) = others[0], case .acknowledge(number, _) = others[1],
            case .tell(.moved) = others[2], case .tell(.turn) = others[3], others.count == 4
        else {
            Issue.record("\(others)")
            return
        }
    }
}
