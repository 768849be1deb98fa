// SPDX-License-Identifier: MIT

import MatchProtocol
import TestSupport
import TicTacToe

/// A player as a process knows it from what it was told, and what the player does then.
struct Bot {
    private(set) var position = Position()
    /// The running game, from 1, and the own seat in it.
    private(set) var game: UInt32 = 0
    private(set) var seat = Seat.first
    /// The ply that is to be played here.
    private(set) var owed: UInt32?
    private(set) var isOver = false
    /// Whether the link is told as lost.
    var isApart = false
    private var offered: OfferKind?
    private(set) var hasOffered = false
    private var whims = 0

    /// Takes what is told; says whether the player may want to act on it.
    mutating func hear(_ event: MatchEvent<Position>) -> Bool {
        switch event {
        case .started(_, let number, let own, _, let board, let resumed):
            self = Bot(position: board, game: number, seat: own, isApart: resumed != nil)
        case .turn(let you, let ply): owed = you ? ply : nil
        case .sending: owed = nil
        case .dropped:
            hasOffered = false
            if case .one(seat) = position.turn, !isOver { owed = UInt32(plies + 1) }
        case .moved(_, _, _, let board):
            position = board
            owed = nil
        case .offered(let kind, let byYou): if byYou { hasOffered = true } else { offered = kind }
        case .answered:
            offered = nil
            hasOffered = false
        case .over:
            isOver = true
            owed = nil
            offered = nil
            hasOffered = false
        case .apart: isApart = true
        case .together: isApart = false
        case .rejected: hasOffered = false
        default: return false
        }
        return true
    }

    /// What the player does now, if anything. Who is `serious` makes legal moves and rematches.
    mutating func act(
        _ random: inout SeededGenerator, liveliness: UInt64, games: Int, serious: Bool,
        text: () -> String
    ) -> MatchEngine<Position>.Command? {
        let mood = random.next() % 100
        if isOver {
            if Int(game) >= games { return nil }
            if offered == .rematch { return .accept }
            if hasOffered { return nil }
            hasOffered = true
            return .offer(.rematch)
        }
        guard game > 0 else { return nil }
        if !serious, mood < liveliness, whims < 25 {
            whims += 1
            return whim(&random, text)
        }
        if offered == .draw, random.next() % 3 > 0 {
            offered = nil
            return !serious && random.next() % 4 == 0 ? .accept : .decline
        }
        guard owed != nil, !position.legalMoves.isEmpty else { return nil }
        let moves = position.legalMoves
        return .play(moves[Int(random.next() % UInt64(moves.count))])
    }

    private mutating func whim(
        _ random: inout SeededGenerator, _ text: () -> String
    ) -> MatchEngine<Position>.Command {
        switch random.next() % 12 {
        case 0...4: return .say(text())
        case 5, 6: return .offer(.draw)
        case 7: return .resign
        case 8: return .accept
        case 9: return .decline
        default: return .play(Square.allCases[Int(random.next() % 9)])
        }
    }

    private var plies: Int { Square.allCases.count - position.squares.empty.count }
}

extension Bot {
    private init(position: Position, game: UInt32, seat: Seat, isApart: Bool) {
        self.position = position
        self.game = game
        self.seat = seat
        self.isApart = isApart
    }
}
