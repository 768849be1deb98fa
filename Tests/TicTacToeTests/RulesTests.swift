// SPDX-License-Identifier: MIT

import MatchProtocol
import Testing
import TicTacToe

@Suite struct RulesTests {
    /// Plays squares as people number them, the sides in turn.
    private func position(after numbers: [Int]) throws -> Position {
        var position = Position()
        for (ply, number) in numbers.enumerated() {
            let square = try #require(Square(number: number))
            try position.apply(square, by: ply.isMultiple(of: 2) ? .first : .second)
        }
        return position
    }

    private func square(_ number: Int) throws -> Square { try #require(Square(number: number)) }

    @Test func `the board is empty and X begins`() throws {
        #expect(Position().board == ".........")
        #expect(Position().turn == .one(.first))
        #expect(Position.mark(of: .first) == "X")
        #expect(Position.mark(of: .second) == "O")
    }

    @Test func `the sides alternate`() throws {
        #expect(try position(after: [5]).turn == .one(.second))
        #expect(try position(after: [5, 1]).turn == .one(.first))
        #expect(try position(after: [5, 1]).board == "O...X....")
    }

    @Test func `a side may not move twice`() throws {
        var position = try position(after: [5])
        #expect(throws: IllegalAction.self) { try position.apply(square(1), by: .first) }
        #expect(position.board == "....X....")
    }

    @Test func `a taken square is refused and nothing changes`() throws {
        var position = try position(after: [5])
        #expect(throws: IllegalAction(reason: "Square 5 is taken.")) {
            try position.apply(square(5), by: .second)
        }
        #expect(try position == self.position(after: [5]))
        #expect(!position.isLegal(try square(5), by: .second))
        #expect(position.isLegal(try square(1), by: .second))
    }

    @Test(arguments: [
        [1, 4, 2, 5, 3], [4, 1, 5, 2, 6], [7, 1, 8, 2, 9],
        [1, 2, 4, 3, 7], [2, 1, 5, 3, 8], [3, 1, 6, 2, 9],
        [1, 2, 5, 3, 9], [3, 1, 5, 2, 7],
    ])
    func `each of the eight lines wins`(numbers: [Int]) throws {
        let position = try position(after: numbers)
        #expect(position.turn == .over(.win(.first)))
        #expect(position.termination == "line")
        #expect(position.legalMoves.isEmpty)
    }

    @Test func `O can win too`() throws {
        #expect(try position(after: [1, 4, 2, 5, 9, 6]).turn == .over(.win(.second)))
    }

    @Test func `a full board without a line is a draw`() throws {
        let position = try position(after: [1, 2, 3, 5, 4, 6, 8, 7, 9])
        #expect(position.turn == .over(.draw))
        #expect(position.termination == "full")
    }

    @Test func `a line on the last square wins`() throws {
        let position = try position(after: [1, 2, 3, 4, 5, 6, 8, 7, 9])
        #expect(position.turn == .over(.win(.first)))
        #expect(position.termination == "line")
    }

    @Test func `nothing can be played after the end`() throws {
        var position = try position(after: [1, 4, 2, 5, 3])
        for seat in Seat.allCases {
            #expect(throws: IllegalAction(reason: "The game is over.")) {
                try position.apply(square(9), by: seat)
            }
        }
    }

    @Test func `an action is one digit and has no other spelling`() {
        let legal = Square.allCases.map(\.bytes)
        #expect(legal == "123456789".utf8.map { [$0] })
        for byte in UInt8.min...UInt8.max {
            #expect(Square(bytes: [byte])?.bytes == (legal.contains([byte]) ? [byte] : nil))
        }
        for bytes in ["", "01", "1 ", "10", "+1"] {
            #expect(Square(bytes: Array(bytes.utf8)) == nil)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 10, Int.max])
    func `there is no such square`(number: Int) {
        #expect(Position.action(square: number) == nil)
        #expect(Square(index: number == 0 ? 9 : number) == nil)
    }

    @Test func `people count squares from 1, row by row`() throws {
        for number in 1...9 {
            let action = try #require(Position.action(square: number))
            #expect(Position.square(of: action) == number)
            #expect(action.index == number - 1)
        }
    }

    @Test func `there are no options`() {
        #expect(throws: InvalidOptions.self) { try Position(options: [0], seed: []) }
        #expect(throws: Never.self) { try Position(options: [], seed: []) }
    }
}
