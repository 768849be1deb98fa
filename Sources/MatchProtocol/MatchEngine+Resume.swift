// SPDX-License-Identifier: MIT

public import SessionProtocol

/// What a connection needs to know of a match that has begun.
extension MatchEngine {
    /// The match id, 16 bytes, and the own seat in the match, once it has begun: the name of its
    /// journal and the token of its sessions.
    public var identity: (match: [UInt8], seat: Seat)? {
        kept.flatMap { $0.play.isKept ? ($0.play.terms.start.match, $0.play.you) : nil }
    }

    /// The raw public key of the other player.
    public var opponentKey: [UInt8] { remote.publicKey }

    /// The clock that was agreed, if one was.
    public var clock: MoveClock? { kept?.play.terms.opening.clock }

    /// What is stored here of the other side's log, for the hello or welcome of a connection: how
    /// many entries, and the hash of the last, if there is one.
    public var stored: (have: UInt64, hash: [UInt8]?) {
        let head = kept?.play.theirs ?? .start
        return (head.count, head.count == 0 ? nil : head.hash)
    }

    /// The own log, all of it, for a session that goes on with the match.
    package var outgoing: OutgoingLog { OutgoingLog(packets: lines) }

    /// The own log, line by line.
    package var lines: [[UInt8]] { kept.map { $0.play.replay.logs[$0.play.you].map(\.line) } ?? [] }

    /// Whether a hello may be answered with a welcome, by what it says that the other side has of
    /// the own log; if not, refuse it with `RefuseCode.forked` and hand in
    /// ``Input/refused(_:)`` with that.
    public func mayMeet(have: UInt64, hash: [UInt8]?) -> Bool {
        kept?.play.mayMeet(have: have, hash: hash) ?? false
    }

    /// Whether own entries are signed at once. Otherwise there is no connection, or what was lost of
    /// the own log is still coming back.
    public var isInCompany: Bool {
        if case .company? = kept?.play.link { true } else { false }
    }

    /// How many own entries the other side is known to have stored, how many events wait for more
    /// of that, and how many entries of the other side for own ones to be given back.
    package var awaited: (confirmed: UInt64, untold: Int, arrived: Int)? {
        kept.map { ($0.play.confirmed, $0.play.untold.count, $0.play.arrived.count) }
    }

    /// Whether a game has begun and not ended: leaving now keeps the match.
    public var isRunning: Bool {
        guard case .playing(let standing, _) = phase, let game = standing.play.here.game else {
            return false
        }
        return !game.isClosed
    }

    /// Whether the last game that began is over, whoever has signed that.
    package var isGameOver: Bool { kept?.play.here.gameOver != nil }

    /// Whether the match has ended, or cannot go on in this process.
    public var isOver: Bool {
        if case .ended = phase { true } else { false }
    }

    /// What both players pinned, once the match has begun.
    package var opening: Opening? { kept?.play.terms.opening }

    /// How much time each player has for the running game, in milliseconds, by the clock that was
    /// agreed; `nil` without one. The time of whoever is to move runs in company only.
    public func remaining(at now: Instant) -> (you: UInt64, opponent: UInt64)? {
        guard let play = kept?.play, let face = play.face else { return nil }
        return (face.left(of: play.you, at: now), face.left(of: play.you.other, at: now))
    }
}
