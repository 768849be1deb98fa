// SPDX-License-Identifier: MIT

public import MatchProtocol

/// A board and who is to move: the whole state of a game of tic-tac-toe.
///
/// X moves first, the sides alternate, and the game ends with a line or a full board.
public struct Position: Sendable, Hashable {
    /// The squares.
    public private(set) var squares = Board()
    /// The mark that the next move draws, also after the end.
    public private(set) var next = Mark.x

    /// Makes the start of a game.
    public init() {}

    /// Where a mark may be drawn now: nowhere after the end.
    public var legalMoves: [Square] {
        if case .over = turn { return [] }
        return squares.empty
    }
}

/// Who may play what, and when it ends.
extension Position: BoardGame {
    /// Version 1: the board of three by three.
    public static var rules: RulesID { RulesID(name: "tictactoe", version: 1) }

    /// The start of a game; there are no options, and nothing depends on chance.
    public init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {
        guard options.isEmpty else {
            throw InvalidOptions(reason: "Tic-tac-toe has no options.")
        }
    }

    /// Who is to move, or how it ended.
    public var turn: Turn {
        // Only the mark drawn last can have made a line.
        if squares.hasLine(of: next.other) { return .over(.win(Self.seat(of: next.other))) }
        if squares.isFull { return .over(.draw) }
        return .one(Self.seat(of: next))
    }

    /// Draws the mark of the side to move.
    public mutating func apply(_ action: Square, by seat: Seat) throws(IllegalAction) {
        switch turn {
        case .over:
            throw IllegalAction(reason: "The game is over.")
        case .one(seat) where squares[action] == nil:
            squares[action] = next
            next = next.other
        case .one(seat):
            throw IllegalAction(reason: "Square \(action.number) is taken.")
        case .one, .both:
            throw IllegalAction(reason: "It is the other side's turn.")
        }
    }

    /// `line` or `full`.
    public var termination: String {
        squares.hasLine(of: next.other) ? "line" : "full"
    }

    /// Nine characters of `X`, `O` and `.`.
    public var board: String { squares.description }

    /// X moves first.
    public static func mark(of seat: Seat) -> String { seat == .first ? "X" : "O" }

    /// The square that people call `number`.
    public static func action(square number: Int) -> Square? { Square(number: number) }

    /// What people call the square.
    public static func square(of action: Square) -> Int { action.number }

    private static func seat(of mark: Mark) -> Seat { mark == .x ? .first : .second }
}
