// SPDX-License-Identifier: MIT

/// A match as its signed entries prove it: who played what, and how each game ended.
///
/// Signatures prove keys, not persons, and names are what the players called themselves.
public struct Record: Sendable, Equatable {
    /// One of the two.
    public struct Player: Sendable, Equatable {
        /// What the player called itself; `nil` if its first entry is not in the record.
        public var name: String?
        /// The raw Ed25519 public key: 32 bytes.
        public var publicKey: [UInt8]
    }

    /// The match id: 16 bytes.
    public var match: [UInt8]
    /// The rules.
    public var rules: RulesID
    /// The options of the rules.
    public var options: [UInt8]
    /// Whose journal the (first) file is.
    public var seat: Seat
    /// The player of the first seat of the match.
    public var firstPlayer: Player
    /// The player of the second seat of the match.
    public var secondPlayer: Player
    /// The games in order.
    public var games: [RecordedGame]
    /// Whether the file ends in the middle of a line.
    public var isCut: Bool

    /// Whether the last game is finished, and nothing is cut off.
    public var isFinished: Bool { games.last?.isFinished == true && !isCut }

    /// A player by its seat in the match.
    public func player(_ seat: Seat) -> Player { seat == .first ? firstPlayer : secondPlayer }

    /// The finished games won by the player in this seat of the match.
    public func wins(of seat: Seat) -> Int {
        games.count { $0.isFinished && $0.result?.outcome == .win(seat) }
    }

    /// The finished games that nobody won.
    public var draws: Int { games.count { $0.isFinished && $0.result?.outcome == .draw } }
}
