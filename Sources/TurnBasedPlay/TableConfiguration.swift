// SPDX-License-Identifier: MIT

public import MatchEvents
public import MatchProtocol
public import OnlinePlay

/// Whom a host plays.
public enum AcceptPolicy: String, Sendable, CaseIterable {
    /// The player is asked each time.
    case ask
    /// Players met before, without asking.
    case known
    /// Whoever comes.
    case all
}

/// How a player's table is set up.
public struct TableConfiguration: Sendable {
    /// What to look for.
    public enum Seeking: Sendable, Equatable {
        /// Nobody: wait for guests.
        case guests
        /// One host or one advertised game.
        case target(JoinTarget)
        /// The first open game that completes a handshake.
        case anyOpen
        /// An open game that the person picks from those told as found.
        case chosen
        /// A match that was kept: its id, 16 bytes, and the own seat in it.
        case match([UInt8], Seat)

        /// A match that was kept, as ``StoredMatches`` lists it; `nil` if there can be none of that
        /// id and seat.
        public init?(_ match: MatchSummary) {
            guard let name = JournalName(match) else { return nil }
            self = .match(name.match, name.seat)
        }
    }

    /// What part a code that is read out has in the meeting.
    public enum Code: Sendable, Equatable {
        /// None.
        case none
        /// Guests must know a code, which is made up here and told as part of hosting.
        case madeUp
        /// Hosts must know this code, and are shown that it is known here.
        case given(Passcode)
    }

    /// Where to wait for guests.
    public struct Listening: Sendable, Equatable {
        /// The port; `nil`: ``TableConfiguration/usualPort``, or a free one if that is taken.
        public var port: UInt16?
        /// The only address to listen on; `nil`: all, IPv4 and IPv6.
        public var bind: String?

        /// Makes the value.
        public init(port: UInt16? = nil, bind: String? = nil) {
            self.port = port
            self.bind = bind
        }
    }

    /// What the program around the table has to say where only it knows how something is done. Each
    /// is shown as it stands: whole sentences, but for ``resume``.
    public struct Hints: Sendable {
        /// What helps who has found no open game; may be empty.
        public var nobody = ""
        /// How two players are told apart from now on, of whom one has a name like somebody else's;
        /// given whose name that is; may be empty.
        public var namesake: @Sendable (Fingerprint) -> String = { _ in "" }
        /// What is to be done to join a game that is played with a code.
        public var code = "This game is played with a code, which the host's screen shows."

        /// What goes on with a match that was kept, in the middle of a sentence: a command.
        public var resume = "the program"

        /// Makes hints that name no program.
        public init() {}
    }

    /// What the player wants to be called: 1 to 63 bytes of UTF-8.
    public var name: String
    /// The player's key.
    public var identity: Identity
    /// The directory of the file of known peers; `nil`: everybody is new. It may be the identity's.
    public var directory: String?
    /// The DNS-SD service type, for example `_tictactoe._tcp`.
    public var service: String
    /// What to look for.
    public var seeking: Seeking
    /// Where to wait for guests; `nil`: nowhere.
    public var listening: Listening?
    /// Whether the network is told of games that can be joined or taken up again.
    public var isAdvertised = true
    /// The directory where matches are kept, which is made if need be and must be private to the
    /// user; `nil`: nowhere, and they end with the process.
    public var stateDirectory: String?
    /// Whom to play when they come.
    public var accept: AcceptPolicy
    /// The code.
    public var code = Code.none
    /// The options of a new match's games, at most 256 bytes; both sides must have the same. A
    /// table whose game does not take them ends at once. A match that was kept has its own.
    public var options: [UInt8] = []
    /// The port to listen on where none is asked for, so that people need not name it; a free one is
    /// taken if another program has it. 0: a free one.
    public var usualPort: UInt16 = 0
    /// What the program has to say in the table's sentences.
    public var hints = Hints()
    /// What the player is told before anything else, of matches that were kept: whole sentences, told
    /// as a warning with the code `kept`.
    public var notice: String?
    /// How much time each player has for a game; `nil`: whoever waits for guests with
    /// ``Seeking/guests`` plays without a clock, everybody else takes the other side's, unless that
    /// has less than 10 seconds for a game. A match that was kept has its own.
    public var clock: MoveClock?
    /// How long to look before giving up, in milliseconds; `nil`: for ever.
    public var patience: UInt64?
    /// The path of `ttt-mdns`, or `nil` to do without it.
    public var responder: String?

    /// Makes a configuration; each of these is described with the property.
    public init(
        name: String, identity: Identity, directory: String?, stateDirectory: String?,
        service: String, seeking: Seeking, listening: Listening?, accept: AcceptPolicy,
        patience: UInt64?, responder: String?
    ) {
        self.name = name
        self.identity = identity
        self.directory = directory
        self.stateDirectory = stateDirectory
        self.service = service
        self.seeking = seeking
        self.listening = listening
        self.accept = accept
        self.patience = patience
        self.responder = responder
    }
}

/// Why a table closed: what the program's exit code says.
public enum TableEnd: Sendable, Equatable {
    /// The player left.
    case quit
    /// The other player left after or during the match.
    case left
    /// The match goes on in another process.
    case inUse
    /// Nobody to play with, an address that does not answer, a port that is taken, options that
    /// the game does not take.
    case unavailable
    /// The other side would not play, or is not who it should be.
    case refused
    /// The other side broke the protocol.
    case brokenPeer
    /// An own file could not be read or written.
    case disk
}
