// SPDX-License-Identifier: MIT

public import SessionProtocol

/// One match between two players, as a machine that decides everything and does nothing.
///
/// Inputs go into ``handle(_:at:)``; what is to be done comes back as effects, to be carried out
/// in their order. ``deadline`` says when the next ``Input/tick`` is due. Own entries are checked,
/// stored and sent; those of the other side checked, stored, acknowledged and told.
///
/// The first ``Effect/close(_:text:)``, and the input that says that the other side is gone, are
/// the end: whatever comes later has no effect.
public struct MatchEngine<G: Game>: Sendable {
    private enum Phase: Sendable {
        case joining(JoinerStart)
        case hosting(HostStart)
        case playing(MatchPlay<G>, openUntil: Instant)
        /// Keeps how the match stood.
        case ended(MatchPlay<G>?)
    }

    private let role: Role
    private let local: Player
    private let remote: Player
    private let exporter: [UInt8]
    private let options: [UInt8]
    private let cryptography: any Cryptography
    private var phase: Phase

    /// Makes the engine of a new match.
    ///
    /// - Parameters:
    ///   - role: The initiator of the connection is the joiner, the responder the host.
    ///   - local: The player here.
    ///   - remote: The player there, as the connection authenticated it.
    ///   - exporter: 32 bytes that both ends of the connection know, and nobody else.
    ///   - options: The game's options, at most 256 bytes; both sides must have the same.
    ///   - asks: Whether a host tells ``MatchEvent/challenged`` and waits, or accepts at once.
    ///   - random: 32 bytes from a secure source; the two sides' must differ.
    ///   - cryptography: The local player's signatures, and hashes.
    ///   - now: The time.
    public init(
        role: Role, local: Player, remote: Player, exporter: [UInt8], options: [UInt8],
        asks: Bool, random: [UInt8], cryptography: any Cryptography, now: Instant
    ) {
        self.role = role
        self.local = local
        self.remote = remote
        self.exporter = exporter
        self.options = options
        self.cryptography = cryptography
        switch role {
        case .initiator:
            let commitment = FairStart.commitment(
                exporter: exporter, joinerRandom: random, cryptography: cryptography)
            let challenge = Challenge(rules: G.rules, options: options, commitment: commitment)
            phase = .joining(JoinerStart(challenge: challenge, random: random))
        case .responder:
            phase = .hosting(
                HostStart(
                    rules: G.rules, options: options, asks: asks, exporter: exporter,
                    random: random, cryptography: cryptography))
        }
    }

    /// When ``Input/tick`` is due, or `nil` if nothing is awaited.
    public var deadline: Instant? {
        switch phase {
        case .joining(let start): start.deadline
        case .hosting(let start): start.deadline
        case .playing(let play, let openUntil): play.here.game == nil ? openUntil : nil
        case .ended: nil
        }
    }

    /// Takes one input and says what to do, in this order.
    public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        if case .ended = phase { return [] }
        switch input {
        case .peerLeft(let code):
            return finish(.left(code))
        case .linkLost:
            return finish(.lost)
        case .storeFailed:
            return finish(.failed("An entry could not be stored."), saying: .disk)
        case .tick where deadline.map { $0 > now } ?? true:
            return []
        case .begin:
            do throws(InvalidOptions) {
                // Better now than as the other side's fault when the game is set up.
                _ = try G(options: options, seed: [UInt8](repeating: 0, count: 32))
                return step(input, at: now)
            } catch {
                return finish(.failed(error.reason), saying: .shuttingDown)
            }
        case .note, .packet, .had, .command, .tick:
            return step(input, at: now)
        }
    }

    /// The position of the running game or the last, and the score, once both have opened.
    package var standing: (position: G, score: MatchScore)? {
        guard let play, let game = play.here.game else { return nil }
        return (game.position, play.here.score())
    }

    /// The own log and the other's, as far as they are known here.
    package var logs: (own: LogHead, theirs: LogHead) {
        (play?.own ?? .start, play?.theirs ?? .start)
    }

    private var play: MatchPlay<G>? {
        switch phase {
        case .playing(let play, _), .ended(let play?): play
        case .joining, .hosting, .ended(nil): nil
        }
    }
}

extension MatchEngine {
    private mutating func step(_ input: Input, at now: Instant) -> [Effect] {
        do throws(Malformed) {
            switch phase {
            case .joining(var start):
                let action = try start.handle(input, at: now)
                phase = .joining(start)
                return carryOut(action, at: now)
            case .hosting(var start):
                let action = try start.handle(input, at: now)
                phase = .hosting(start)
                return carryOut(action, at: now)
            case .playing(var play, let openUntil):
                let effects = try play.handle(input)
                phase = .playing(play, openUntil: openUntil)
                return closing(effects)
            case .ended:
                return []
            }
        } catch {
            return finish(.protocolError(error.reason), saying: .protocolError)
        }
    }

    private mutating func carryOut(_ action: StartAction, at now: Instant) -> [Effect] {
        switch action {
        case .none: []
        case .send(let note): [.sendNote(note.bytes)]
        case .ask: [.tell(.challenged)]
        case .reject(let code, let message): [.tell(.rejected(code, message: message))]
        case .fail(let reason): finish(.protocolError(reason), saying: .protocolError)
        case .giveUp: finish(.tookTooLong, saying: .tookTooLong)
        case .decline(let reason, let note):
            closing(
                (note.map { [.sendNote($0.bytes)] } ?? [])
                    + [.tell(.declined(reason)), .close(.left, text: "")])
        case .play(let start, let note):
            (note.map { [.sendNote($0.bytes)] } ?? []) + open(start, at: now)
        }
    }

    private mutating func open(_ start: FinishedStart, at now: Instant) -> [Effect] {
        let terms = MatchTerms(
            role: role, local: local, remote: remote, exporter: exporter,
            challenge: start.challenge, joinerRandom: start.joinerRandom,
            hostRandom: start.hostRandom, cryptography: cryptography)
        var play = MatchPlay<G>(terms: terms)
        let effects = play.attempt(.open(terms.opening))
        phase = .playing(play, openUntil: now.advanced(milliseconds: StartTime.step))
        return closing(effects)
    }

    /// Ends the match: tells the player, and says goodbye if the other side is still there.
    private mutating func finish(_ end: MatchEnd, saying code: GoodbyeCode? = nil) -> [Effect] {
        var effects = play?.abandoned() ?? []
        phase = .ended(play)
        effects.append(.tell(.ended(end)))
        if let code { effects.append(.close(code, text: end.text)) }
        return effects
    }

    private mutating func closing(_ effects: [Effect]) -> [Effect] {
        if case .close? = effects.last { phase = .ended(play) }
        return effects
    }
}

extension MatchEnd {
    /// For the goodbye: at most 200 bytes.
    fileprivate var text: String {
        switch self {
        case .protocolError(let text), .failed(let text):
            // A cut character becomes a replacement of three bytes.
            String(decoding: text.utf8.prefix(197), as: UTF8.self)
        case .left, .lost, .tookTooLong: ""
        }
    }
}
