// SPDX-License-Identifier: MIT

public import MatchProtocol

/// One of the two players, seen from here.
public enum Side: String, Sendable, Equatable {
    case you
    case opponent
}

/// Where and how a game is offered.
public struct Hosting: Sendable, Equatable {
    /// The name in the advert, as discovery settled it.
    public var name: String
    /// The TCP port.
    public var port: UInt16
    /// Addresses in the form `join` takes.
    public var addresses: [String]
    /// The own fingerprint.
    public var key: String
    /// `avahi`, `own` or `none`.
    public var discovery: String
    /// The six digits that a guest must know; `nil` if none are needed.
    public var code: String?

    /// Makes the value.
    public init(
        name: String, port: UInt16, addresses: [String], key: String, discovery: String,
        code: String?
    ) {
        self.name = name
        self.port = port
        self.addresses = addresses
        self.key = key
        self.discovery = discovery
        self.code = code
    }
}

/// An open game on this network.
public struct FoundGame: Sendable, Equatable {
    /// The advert's instance id in 16 hex digits.
    public var id: String
    /// The advertised name, or what the user calls the known peer that it seems to be; proves
    /// nothing.
    public var name: String
    /// The known peer it seems to be.
    public var key: String?
    /// Addresses in the form `join` takes.
    public var addresses: [String]
    /// A name that is known, or the own, for which this one's name is easily taken, although it
    /// seems to be somebody else; `nil` if there is none.
    public var resembles: String?

    /// Makes the value.
    public init(
        id: String, name: String, key: String?, addresses: [String], resembles: String? = nil
    ) {
        self.id = id
        self.name = name
        self.key = key
        self.addresses = addresses
        self.resembles = resembles
    }
}

/// The beginning of a game.
public struct GameStart: Sendable, Equatable {
    /// What has happened in a game that goes on, and in the match.
    public struct Earlier: Sendable, Equatable {
        /// The squares that were played, 1 to 9, in their order.
        public var moves: [Int]
        /// The games that are over.
        public var score: Score

        /// Makes the value.
        public init(moves: [Int], score: Score) {
            self.moves = moves
            self.score = score
        }
    }

    /// The match id in 32 hex digits.
    public var match: String
    /// The number of the game in the match, from 1.
    public var game: Int
    /// The own mark.
    public var you: String
    /// The other player's name.
    public var opponent: String
    /// The other player's fingerprint.
    public var key: String
    /// Whether that key had been met before.
    public var known: Bool
    /// Seven digits that are the same on both sides if, and only if, nobody sits between them.
    public var compare: String
    /// The board as it stands.
    public var board: String
    /// What was told of it before, if an earlier process began it.
    public var resumed: Earlier?
    /// How much time each player has, if there is a clock.
    public var clock: MoveClock?

    /// Makes the value.
    public init(
        match: String, game: Int, you: String, opponent: String, key: String, known: Bool,
        compare: String, board: String, resumed: Earlier?, clock: MoveClock? = nil
    ) {
        self.match = match
        self.game = game
        self.you = you
        self.opponent = opponent
        self.key = key
        self.known = known
        self.compare = compare
        self.board = board
        self.resumed = resumed
        self.clock = clock
    }
}

/// What is left of both players' time, in milliseconds; 0 once it is up.
public struct TimeLeft: Sendable, Equatable {
    /// Left to the player here.
    public var you: UInt64
    /// Left to the other player.
    public var opponent: UInt64

    /// Makes the value.
    public init(you: UInt64, opponent: UInt64) {
        self.you = you
        self.opponent = opponent
    }
}

/// How the connection fares.
public enum LinkState: String, Sendable, Equatable {
    /// It stands, and yet nothing is heard, also no answer to the question whether anybody is there.
    case silent
    /// Something is heard again.
    case heard
    case lost
    /// The other side is being dialled, or is still, for a reason that is new.
    case trying
    case restored
}

/// The end of a game.
public struct GameEnd: Sendable, Equatable {
    /// The winning mark, or `nil`.
    public var winner: String?
    /// Whether the game counts as drawn; with no winner and no draw nothing was decided.
    public var isDraw: Bool
    /// `line`, `full`, `resign`, `agreed`, `timeout` or `abort`.
    public var termination: String
    /// The match's score so far.
    public var score: Score

    /// Makes the value.
    public init(winner: String?, isDraw: Bool, termination: String, score: Score) {
        self.winner = winner
        self.isDraw = isDraw
        self.termination = termination
        self.score = score
    }
}

/// Games won and drawn in a match, seen from here.
public struct Score: Sendable, Equatable {
    /// Games won here.
    public var you: Int
    /// Games won by the other player.
    public var opponent: Int
    /// Games drawn.
    public var draws: Int

    /// Makes a score.
    public init(you: Int = 0, opponent: Int = 0, draws: Int = 0) {
        self.you = you
        self.opponent = opponent
        self.draws = draws
    }
}

/// Why the program closed.
public enum CloseReason: String, Sendable, Equatable {
    case quit
    /// The input ended, which is taken for the wish to leave.
    case input
    case left
    case lost
    case interrupted
    case failed
}
