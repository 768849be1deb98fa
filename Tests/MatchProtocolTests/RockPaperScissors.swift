// SPDX-License-Identifier: MIT

import MatchProtocol
import TestSupport

/// Rock, paper, scissors to three wins: both commit to a shape, then both open it.
///
/// A second game, with simultaneous turns and secrets, for which the engine knows nothing special.
struct RockPaperScissors: Game {
    enum Shape: UInt8, CaseIterable {
        case rock = 0x72
        case paper = 0x70
        case scissors = 0x73

        var beats: Shape {
            switch self {
            case .rock: .scissors
            case .paper: .rock
            case .scissors: .paper
            }
        }
    }

    enum Action: GameAction {
        case commit([UInt8])
        case open(Shape, nonce: [UInt8])

        /// The commitment to a shape.
        static func commit(to shape: Shape, nonce: [UInt8]) -> Action {
            .commit(sha256([shape.rawValue] + nonce))
        }

        var bytes: [UInt8] {
            switch self {
            case .commit(let hash): [0x63] + Hex.encoded(hash)
            case .open(let shape, let nonce): [shape.rawValue] + Hex.encoded(nonce)
            }
        }

        init?(bytes: [UInt8]) {
            guard let kind = bytes.first, let rest = Hex.decoded(Array(bytes.dropFirst())) else {
                return nil
            }
            if kind == 0x63, rest.count == 32 {
                self = .commit(rest)
            } else if let shape = Shape(rawValue: kind), rest.count == 16 {
                self = .open(shape, nonce: rest)
            } else {
                return nil
            }
        }
    }

    static let rules = RulesID(name: "rock-paper-scissors", version: 1)

    private(set) var wins = PerSeat(both: 0)
    private var commitments = PerSeat<[UInt8]?>(both: nil)
    private var shapes = PerSeat<Shape?>(both: nil)

    init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {}

    var turn: Turn {
        for seat in Seat.allCases where wins[seat] == 3 { return .over(.win(seat)) }
        return .both
    }

    var termination: String { "three" }

    mutating func apply(_ action: Action, by seat: Seat) throws(IllegalAction) {
        switch (action, commitments[seat], commitments[seat.other]) {
        case (.commit(let hash), nil, _):
            commitments[seat] = hash
        case (.open(let shape, let nonce), let hash?, .some)
        where shapes[seat] == nil && sha256([shape.rawValue] + nonce) == hash:
            shapes[seat] = shape
            score()
        default:
            throw IllegalAction(reason: "That cannot be chosen now.")
        }
    }

    private mutating func score() {
        guard let first = shapes[.first], let second = shapes[.second] else { return }
        if first.beats == second { wins[.first] += 1 }
        if second.beats == first { wins[.second] += 1 }
        commitments = PerSeat(both: nil)
        shapes = PerSeat(both: nil)
    }
}

/// Each side names a digit once; the higher wins, equal ones draw.
struct HigherDigit: Game {
    struct Action: GameAction {
        var digit: UInt8

        init(_ digit: UInt8) { self.digit = digit }

        var bytes: [UInt8] { [0x30 + digit] }

        init?(bytes: [UInt8]) {
            guard bytes.count == 1, (0x30...0x39).contains(bytes[0]) else { return nil }
            digit = bytes[0] - 0x30
        }
    }

    static let rules = RulesID(name: "higher-digit", version: 1)

    private var digits = PerSeat<UInt8?>(both: nil)

    init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {}

    var turn: Turn {
        guard let first = digits[.first], let second = digits[.second] else { return .both }
        return .over(first == second ? .draw : .win(first > second ? .first : .second))
    }

    var termination: String { "digits" }

    mutating func apply(_ action: Action, by seat: Seat) throws(IllegalAction) {
        guard digits[seat] == nil else { throw IllegalAction(reason: "Only once.") }
        digits[seat] = action.digit
    }
}
