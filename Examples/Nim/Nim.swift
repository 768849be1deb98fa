// SPDX-License-Identifier: MIT

import MatchProtocol

/// Two players take one to three of the stones in turn; who takes the last one wins.
struct Nim: BoardGame {
    struct Take: GameAction {
        let stones: Int

        init?(stones: Int) {
            guard (1...3).contains(stones) else { return nil }
            self.stones = stones
        }

        // Exactly one spelling: "1", "2" or "3".
        init?(bytes: [UInt8]) {
            guard bytes.count == 1 else { return nil }
            self.init(stones: Int(bytes[0]) - 48)
        }

        var bytes: [UInt8] { Array("\(stones)".utf8) }
    }

    static let rules = RulesID(name: "nim", version: 1)

    private var stones = 21
    private var next = Seat.first

    init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {
        guard options.count < 2, options != [0] else { throw InvalidOptions(reason: "One number.") }
        if let number = options.first { stones = Int(number) }
    }

    var turn: Turn { stones == 0 ? .over(.win(next.other)) : .one(next) }

    mutating func apply(_ take: Take, by seat: Seat) throws(IllegalAction) {
        guard turn == .one(seat) else { throw IllegalAction(reason: "It is not your turn.") }
        guard take.stones <= stones else { throw IllegalAction(reason: "There are \(stones).") }
        stones -= take.stones
        next = next.other
    }

    var termination: String { "empty" }
    var board: String { String(repeating: "o", count: stones) }
    static func mark(of seat: Seat) -> String { seat == .first ? "first" : "second" }
    static func action(square number: Int) -> Take? { Take(stones: number) }
    static func square(of take: Take) -> Int { take.stones }
}
