// SPDX-License-Identifier: MIT

/// A move that was played.
public struct RecordedMove: Sendable, Equatable {
    /// The ply, from 1.
    public var ply: UInt32
    /// The player's seat in the match.
    public var by: Seat
    /// The action, as it was signed.
    public var action: [UInt8]
    /// The square, from 1, if the game has squares.
    public var square: Int?
    /// What it draws, for example `X`, if the game has squares.
    public var mark: String?
}

/// One game.
public struct RecordedGame: Sendable, Equatable {
    /// Its number in the match, from 1.
    public var number: UInt32
    /// Who moved first: a seat of the match.
    public var first: Seat
    /// The moves in order.
    public var moves: [RecordedMove] = []
    /// How it ended by what was played and said, or `nil` if it goes on; the winner's seat is
    /// one of the match.
    public var result: GameResult?
    /// Who has signed the end.
    public var endedBy: [Seat] = []
    /// The board at the end, one character a square, if the game has squares.
    public var board: String?
    /// Whose turn it is: seats of the match; empty once the game has a result.
    public var toMove: [Seat] = []

    /// Whether both players have signed the end.
    public var isFinished: Bool { endedBy.count == 2 }
}
