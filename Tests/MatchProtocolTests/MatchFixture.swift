// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// A player's wish, turned into a command by what its engine shows.
enum Wish: CaseIterable, Sendable {
    case playFirstLegal, resign, offerDraw, offerRematch, accept, decline, say
}

extension MatchPair where G == Position {
    /// Two players with their first game set up.
    static func started(seed: UInt64 = 1) -> Self {
        var random = SeededGenerator(seed: seed)
        var pair = MatchPair(random: (random.bytes(32), random.bytes(32)))
        pair.settle()
        return pair
    }

    /// Whose turn it is by what both have been told; `nil` if no game runs.
    var mover: Role? {
        for role in [Role.initiator, .responder] {
            for event in self[role].told.reversed() {
                if case .over = event { return nil }
                if case .turn(let you, _) = event {
                    return you ? role : role.other
                }
            }
        }
        return nil
    }

    /// Plays squares as people number them, whoever's turn it is, everything delivered.
    mutating func play(_ numbers: [Int]) throws {
        for number in numbers {
            let role = try #require(mover)
            command(.play(try #require(Square(number: number))), from: role)
            settle()
        }
    }

    /// Wishes something; what is not allowed is rejected by the engine.
    mutating func wish(_ wish: Wish, from role: Role) {
        switch wish {
        case .playFirstLegal:
            let legal = self[role].engine.standing?.position.legalMoves.first
            command(.play(legal ?? Square.allCases[0]), from: role)
        case .resign: command(.resign, from: role)
        case .offerDraw: command(.offer(.draw), from: role)
        case .offerRematch: command(.offer(.rematch), from: role)
        case .accept: command(.accept, from: role)
        case .decline: command(.decline, from: role)
        case .say: command(.say("hello"), from: role)
        }
    }
}


extension MatchPair {
    /// Fails unless both sides have come to the same: the same moves, results, scores and logs.
    func expectAgreement(_ context: @autoclosure () -> String = "") {
        // One plain comparison, since millions are made.
        let (a, b) = (joiner.engine, host.engine)
        guard
            joiner.told.compactMap(Shared.init) == host.told.compactMap(Shared.init),
            a.standing?.position == b.standing?.position,
            a.standing?.score == b.standing?.score.mirrored,
            a.logs.own == b.logs.theirs, a.logs.theirs == b.logs.own,
            !joiner.hasEnded, !host.hasEnded
        else {
            Issue.record("No agreement: \(context())\n\(joiner.told)\n\(host.told)")
            return
        }
    }
}

extension MatchPair.Side {
    /// Whether the engine gave up.
    var hasEnded: Bool {
        told.contains { if case .ended = $0 { true } else { false } }
    }

    /// The results told so far.
    var results: [GameResult] {
        told.compactMap { if case .over(let result, _, _) = $0 { result } else { nil } }
    }
}

/// What both sides must be told alike.
private enum Shared<G: Game>: Equatable {
    case started(UInt32, G)
    case moved(UInt32, Seat, G.Action, G)
    case over(GameResult, G)

    init?(_ event: MatchEvent<G>) {
        switch event {
        case .started(_, let game, _, _, let position, _): self = .started(game, position)
        case .moved(let ply, let by, let action, let position):
            self = .moved(ply, by, action, position)
        case .over(let result, _, let position): self = .over(result, position)
        default: return nil
        }
    }
}

extension MatchScore {
    /// The score as the other player sees it.
    var mirrored: MatchScore { MatchScore(you: opponent, opponent: you, draws: draws) }
}
