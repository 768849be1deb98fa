// SPDX-License-Identifier: MIT

/// One of the two places at a board.
///
/// In a match the seats are the players and never change; within one game ``first`` is the side
/// that moves first, and which player that is alternates.
public enum Seat: UInt8, Sendable, Hashable, CaseIterable {
    case first = 1
    case second = 2

    /// The opposite seat.
    public var other: Seat { self == .first ? .second : .first }

    /// Where this player sits in game number `game` (from 1), or which player sits here: the
    /// starter alternates, so the relation is its own inverse.
    public func inGame(_ game: UInt32) -> Seat { game.isMultiple(of: 2) ? other : self }
}

/// Who is to act.
public enum Turn: Sendable, Hashable {
    /// One side moves.
    case one(Seat)
    /// Both choose at once.
    case both
    /// The rules have ended the game.
    case over(Outcome)
}

/// How a game stands at its end.
public enum Outcome: Sendable, Hashable {
    case win(Seat)
    case draw
}

/// The name and version of a set of rules: what two players must agree on, and what a record pins.
public struct RulesID: Sendable, Hashable {
    /// For example `tictactoe`: 1 to 32 bytes of `a`–`z`, `0`–`9` and `-`.
    public var name: String
    /// The version of the rules, not of the program.
    public var version: UInt16

    /// Makes an id.
    public init(name: String, version: UInt16) {
        self.name = name
        self.version = version
    }
}

/// The options of a game are not ones these rules know.
public struct InvalidOptions: Error, Sendable, Hashable {
    /// A sentence that says what is wrong.
    public var reason: String

    /// Makes the error.
    public init(reason: String) { self.reason = reason }
}

/// An action that the rules do not allow now.
public struct IllegalAction: Error, Sendable, Hashable {
    /// A sentence that says what is wrong.
    public var reason: String

    /// Makes the error.
    public init(reason: String) { self.reason = reason }
}

/// An action as it is signed, sent and stored: there is exactly one spelling of each.
public protocol GameAction: Sendable, Equatable {
    /// 1 to 256 bytes, printable where possible.
    var bytes: [UInt8] { get }
    /// Reads an action, or `nil` if these bytes are no action's only spelling. Not yet: whether it
    /// is legal.
    init?(bytes: [UInt8])
}

/// The rules of a game for two, as a value that holds only what both players know.
///
/// Everything is pure, total and deterministic. A secret is a commitment played as one action and
/// opened by a later one. Where both choose at once (``Turn/both``) the engine collects both
/// actions and applies the first seat's, then the second's; each must be legal by itself.
public protocol Game: Sendable, Equatable {
    associatedtype Action: GameAction
    /// The name and version that both players must agree on.
    static var rules: RulesID { get }
    /// Sets the game up. `seed` is 32 bytes from the fair start, known to both.
    init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions)
    /// Who is to act.
    var turn: Turn { get }
    /// Plays an action; on a throw nothing has changed.
    mutating func apply(_ action: Action, by seat: Seat) throws(IllegalAction)
    /// Whether the side to act may play this now.
    func isLegal(_ action: Action, by seat: Seat) -> Bool
    /// Why the rules ended it: a stable word of 1 to 32 bytes such as `line` or `full`.
    /// Meaningless before the end.
    var termination: String { get }
}

extension Game {
    /// Plays the action on a copy.
    public func isLegal(_ action: Action, by seat: Seat) -> Bool {
        var copy = self
        do throws(IllegalAction) {
            try copy.apply(action, by: seat)
            return true
        } catch {
            return false
        }
    }
}

/// A game whose actions are numbered squares: what a `Table` of TurnBasedPlay plays.
///
/// Each action has one number, from 1, and the numbers mean the same in every position: squares, or
/// columns, or how many stones are taken.
public protocol BoardGame: Game {
    /// The position as a front end is shown it, with every move. For the front ends of `ttt`: one
    /// character a square, row by row; `.` is empty.
    var board: String { get }
    /// The mark of a side, for example `X`.
    static func mark(of seat: Seat) -> String
    /// The action that plays square `number` (from 1), or `nil` if there is no such square.
    static func action(square number: Int) -> Action?
    /// The square of an action, from 1.
    static func square(of action: Action) -> Int
}
