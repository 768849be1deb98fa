// SPDX-License-Identifier: MIT

public import SessionProtocol

/// One match between two players, as a machine that decides everything and does nothing.
///
/// Inputs go into ``handle(_:at:)``; what is to be done comes back as effects, to be carried out
/// in their order. ``deadline`` says when the next ``Input/tick`` is due. Own entries are checked,
/// stored and sent; those of the other side checked, stored, acknowledged and told.
///
/// A `Table` of TurnBasedPlay carries the effects of a ``BoardGame`` out. For any other ``Game``
/// whoever uses the engine does that: packets and notes need a connection that both sides have
/// proven, in order and none twice, and what is stored a disk.
///
/// Once a match has begun, that is once the own `open` entry is stored, it outlives connections and
/// processes: ``Input/parted`` and ``Input/met(have:hash:sent:)`` come in turns, and
/// ``init(resuming:local:cryptography:)`` takes it up from what was stored. While apart, wishes
/// are stored as drafts. ``MatchEvent/declined(_:)`` and ``MatchEvent/ended(_:)`` are the end:
/// whatever comes later has no effect.
public struct MatchEngine<G: Game>: Sendable {
    enum Phase: Sendable {
        case joining(JoinerStart)
        case hosting(HostStart)
        case playing(Standing<G>, openUntil: Instant)
        /// Keeps how the match stood.
        case ended(Standing<G>?)
    }

    private let role: Role
    private let local: Player
    let remote: Player
    private let exporter: [UInt8]
    private let options: [UInt8]
    private let cryptography: any Cryptography
    var phase: Phase

    /// Makes the engine of a new match.
    ///
    /// - Parameters:
    ///   - role: The initiator of the connection is the joiner, the responder the host.
    ///   - local: The player here.
    ///   - remote: The player there, as the connection authenticated it.
    ///   - exporter: 32 bytes that both ends of the connection know, and nobody else.
    ///   - options: The game's options, at most 256 bytes; both sides must have the same.
    ///   - clock: How much time each player has; both sides must want the same.
    ///   - asks: Whether a host tells ``MatchEvent/challenged`` and waits, or accepts at once.
    ///   - random: 32 bytes from a secure source; the two sides' must differ.
    ///   - cryptography: The local player's signatures, and hashes.
    ///   - now: The time.
    public init(
        role: Role, local: Player, remote: Player, exporter: [UInt8], options: [UInt8],
        clock: MoveClock? = nil, asks: Bool, random: [UInt8], cryptography: any Cryptography,
        now: Instant
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
            let challenge = Challenge(
                rules: G.rules, options: options, clock: clock, commitment: commitment)
            phase = .joining(JoinerStart(challenge: challenge, random: random))
        case .responder:
            phase = .hosting(
                HostStart(
                    rules: G.rules, options: options, clock: clock, asks: asks, exporter: exporter,
                    random: random, cryptography: cryptography))
        }
    }

    /// Takes a match up again from what was stored of it, apart from the other side. The first
    /// input is ``Input/begin``, which tells how the match stands.
    ///
    /// - Returns: `nil` if this is no match of this game and this player, or its entries are not
    ///   what the protocol allows.
    package init?(
        resuming stored: StoredMatch, local: Player, cryptography: any Cryptography
    ) {
        guard let play = MatchPlay<G>(stored, local: local, cryptography: cryptography) else {
            return nil
        }
        self.init(resuming: play, local: local, cryptography: cryptography)
    }

    private init(resuming play: MatchPlay<G>, local: Player, cryptography: any Cryptography) {
        let opening = play.terms.opening
        role = opening.joiner == play.you ? .initiator : .responder
        self.local = local
        remote = Player(name: "", publicKey: opening.keys[play.you.other])
        exporter = opening.exporter
        options = opening.options
        self.cryptography = cryptography
        phase = .playing(Standing(play), openUntil: Instant(nanoseconds: .max))
    }

    /// When ``Input/tick`` is due, or `nil` if nothing is awaited.
    public var deadline: Instant? {
        switch phase {
        case .joining(let start): start.deadline
        case .hosting(let start): start.deadline
        case .playing(let standing, let openUntil):
            switch standing.play.link {
            case .apart: nil
            case .refilling(let refill): refill.deadline
            case .company:
                standing.play.here.game == nil ? openUntil : standing.play.face?.deadline
            }
        case .ended: nil
        }
    }

    /// Takes one input and says what to do, in this order.
    public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        if case .ended = phase { return [] }
        switch input {
        case .peerLeft(let code):
            if let end = end(by: code) { return finish(end) }
        case .parted:
            if identity == nil { return finish(.lost) }
        case .refused(let code):
            return refused(code)
        case .storeFailed:
            return finish(.failed("An entry could not be stored."), saying: .disk)
        case .met where identity == nil, .replaced where identity == nil:
            return []
        case .tick where deadline.map { $0 > now } ?? true:
            return []
        case .begin where kept == nil:
            do throws(InvalidOptions) {
                // Better now than as the other side's fault when the game is set up.
                _ = try G(options: options, seed: [UInt8](repeating: 0, count: 32))
            } catch {
                return finish(.failed(error.reason), saying: .shuttingDown)
            }
        case .begin, .met, .note, .packet, .had, .command, .replaced, .tick:
            break
        }
        return step(input, at: now)
    }

    /// The position of the running game or the last, and the score, once both have opened.
    package var standing: (position: G, score: MatchScore)? {
        guard let play = kept?.play, let game = play.here.game else { return nil }
        return (game.position, play.here.score())
    }

    /// The own log and the other's, as far as they are known here.
    package var logs: (own: LogHead, theirs: LogHead) {
        (kept?.play.own ?? .start, kept?.play.theirs ?? .start)
    }

    /// What has begun, however it stands.
    var kept: Standing<G>? {
        switch phase {
        case .playing(let standing, _), .ended(let standing?): standing
        case .joining, .hosting, .ended(nil): nil
        }
    }
}

extension MatchEngine {
    private mutating func step(_ input: Input, at now: Instant) -> [Effect] {
        do throws(LinkFailure) {
            switch phase {
            case .joining(var start):
                let action = try LinkFailure.of { () throws(Malformed) in
                    try start.handle(input, at: now)
                }
                phase = .joining(start)
                return carryOut(action, at: now)
            case .hosting(var start):
                let action = try LinkFailure.of { () throws(Malformed) in
                    try start.handle(input, at: now)
                }
                phase = .hosting(start)
                return carryOut(action, at: now)
            case .playing:
                return try play(input, at: now)
            case .ended:
                return []
            }
        } catch {
            switch error {
            case .forked: return finish(.forked, saying: .forked)
            case .malformed(let error):
                return finish(.protocolError(error.reason), saying: .protocolError)
            }
        }
    }

    private mutating func play(_ input: Input, at now: Instant) throws(LinkFailure) -> [Effect] {
        guard case .playing(var standing, var openUntil) = phase else { return [] }
        if case .tick = input, case .company = standing.play.link, standing.play.here.game == nil {
            return finish(.tookTooLong, saying: .tookTooLong)
        }
        if case .met = input { openUntil = now.advanced(milliseconds: StartTime.step) }
        // Whatever is refused has changed nothing; but while a lost log comes back, one input can
        // bring several entries, and the last of them be refused; and a host opens its own log
        // because of an entry that may be.
        let before = standing.play.isRefilling || !standing.play.isKept ? standing : nil
        // Nobody else holds it while it changes, so that it changes in place.
        phase = .ended(nil)
        standing.play.pass(to: now)
        do throws(LinkFailure) {
            let effects = try standing.play.handle(input, at: now)
            let timeUp = standing.play.runClock()
            phase = .playing(standing, openUntil: openUntil)
            if case .close? = effects.last { return closing(effects) }
            return effects + timeUp
        } catch {
            phase = .playing(before ?? standing, openUntil: openUntil)
            throw error
        }
    }

    /// Whether a goodbye ends the match, and how.
    private func end(by code: GoodbyeCode) -> MatchEnd? {
        guard let play = kept?.play, play.isKept else { return .left(code) }
        switch code {
        case .left where play.here.game?.isClosed ?? false: return .left(code)
        case .protocolError: return .left(code)
        case .forked: return .forked
        default: return nil
        }
    }

    private mutating func refused(_ code: RefuseCode) -> [Effect] {
        guard let play = kept?.play, case .apart = play.link else { return [] }
        switch code {
        case .forked: return finish(.forked)
        // The other side had not begun, so nothing is lost; unless its entries were here, and damage
        // has taken them.
        case .noSuchSession where play.theirs.count == 0 && play.floor == nil: return finish(.lost)
        default: return []
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
        let effects = play.open()
        phase = .playing(Standing(play), openUntil: now.advanced(milliseconds: StartTime.step))
        return closing(effects)
    }

    /// Ends the match: tells the player, and says goodbye if the other side is still there.
    private mutating func finish(_ end: MatchEnd, saying code: GoodbyeCode? = nil) -> [Effect] {
        var effects = end.isAbort ? kept?.play.abandoned() ?? [] : []
        phase = .ended(kept)
        effects.append(.tell(.ended(end)))
        if let code { effects.append(.close(code, text: end.text)) }
        return effects
    }

    private mutating func closing(_ effects: [Effect]) -> [Effect] {
        if case .close? = effects.last { phase = .ended(kept) }
        return effects
    }
}
