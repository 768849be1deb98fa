// SPDX-License-Identifier: MIT

import MatchProtocol
import Testing
import TicTacToe

/// Counts every game there is: whatever is wrong with the rules changes a number.
@Suite struct PerftTests {
    private struct Count {
        var nodes = [Int](repeating: 0, count: 10)
        var won: [Seat: Int] = [:]
        var drawn = 0
        var positions: Set<Position> = []

        mutating func explore(_ position: Position, ply: Int) throws {
            nodes[ply] += 1
            positions.insert(position)
            switch position.turn {
            case .over(.win(let seat)): won[seat, default: 0] += 1
            case .over(.draw): drawn += 1
            case .both: Issue.record("Nobody moves together in this game.")
            case .one(let seat):
                for square in position.legalMoves {
                    var next = position
                    try next.apply(square, by: seat)
                    try explore(next, ply: ply + 1)
                }
            }
        }
    }

    @Test func `the rules lead to the known numbers of moves, games and positions`() throws {
        var count = Count()
        try count.explore(Position(), ply: 0)
        #expect(
            count.nodes == [1, 9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872])
        #expect(count.won[.first] == 131_184)
        #expect(count.won[.second] == 77_904)
        #expect(count.drawn == 46_080)
        #expect(count.positions.count == 5_478)
    }
}
