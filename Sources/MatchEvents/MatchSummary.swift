// SPDX-License-Identifier: MIT

/// A match on disk, as a list of matches shows it.
public struct MatchSummary: Sendable, Equatable {
    /// How the last game stands; the raw value is a stable word.
    public enum State: String, Sendable, CaseIterable {
        /// No game has begun.
        case beginning
        /// It is this player's turn.
        case yourTurn = "your-turn"
        /// It is the other player's turn.
        case theirTurn = "their-turn"
        /// The game is decided, and a signature under its end is missing.
        case ending
        /// This player won.
        case won
        /// The other player won.
        case lost
        /// Nobody won.
        case drawn
    }

    /// The match id: 32 hex digits.
    public var match: String
    /// The own seat: 1 or 2.
    public var seat: Int
    /// When the match was last touched, in seconds since 1970.
    public var touched: Int64
    /// What this player is called in it, if that is known.
    public var you: String?
    /// What the other player calls itself, if it is known.
    public var opponent: String?
    /// The other player's fingerprint, if it is known.
    public var key: String?
    /// The finished games.
    public var score = Score(you: 0, opponent: 0, draws: 0)
    /// The number of the last game, from 1; 0 before the first.
    public var game = 0
    /// How the last game stands.
    public var state = State.beginning
    /// How the last game ended, for example `line`, if it did.
    public var termination: String?
    /// Why the file cannot be used, in a sentence, if it cannot.
    public var problem: String?

    /// Makes a summary of a match of which nothing else is known.
    public init(match: String, seat: Int, touched: Int64) {
        self.match = match
        self.seat = seat
        self.touched = touched
    }

    /// The summary as one JSON object in one line.
    public var jsonLine: String {
        var object = JSONObject()
        object.set("match", match)
        object.set("seat", seat)
        object.set("you", you)
        object.set("opponent", opponent)
        object.set("key", key)
        var counted = JSONObject()
        counted.set("you", score.you)
        counted.set("opponent", score.opponent)
        counted.set("draws", score.draws)
        object.set("score", counted)
        object.set("game", game)
        object.set("state", state.rawValue)
        object.set("termination", termination)
        object.set("touched", Int(touched))
        object.set("problem", problem)
        return object.line
    }
}
