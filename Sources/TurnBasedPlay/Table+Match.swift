// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import SessionProtocol

extension Table {
    /// Plays over this session from now on.
    func sit(_ session: OnlineSession, as role: Role) {
        guard let peer = session.peer, let publicKey = peer.publicKey,
            let fingerprint = peer.fingerprint
        else { return unseat(.lost("the connection ended"), peer: nil) }
        var generator = SystemRandomNumberGenerator()
        let engine = MatchEngine<G>(
            role: role,
            local: Player(
                name: configuration.name, publicKey: configuration.identity.publicKey),
            remote: Player(name: peer.name, publicKey: publicKey),
            exporter: session.exporter, options: [],
            asks: role == .responder && configuration.accept == .ask,
            random: generator.bytes(32), cryptography: cryptography, now: loop.now())
        seating = Seating(
            session: session, peer: peer, engine: engine,
            translator: Translator(
                opponent: peer.name, key: fingerprint.description,
                isKnown: knownPeers?.contains(fingerprint) ?? false))
        feed(.begin)
    }

    /// Hands a command to the match.
    func play(_ command: PlayerCommand) {
        guard seating != nil else {
            return tell(.failed(code: "early", message: "There is nobody at the board yet."))
        }
        switch command {
        case .move(let square):
            guard let action = G.action(square: square) else {
                return tell(.failed(code: "illegal", message: "There is no square \(square)."))
            }
            feed(.command(.play(action)))
        case .resign: feed(.command(.resign))
        case .offer(let kind):
            guard let kind = OfferKind(rawValue: kind) else {
                return tell(.failed(code: "illegal", message: "\(kind) cannot be offered."))
            }
            feed(.command(.offer(kind)))
        case .accept: feed(.command(.accept))
        case .decline: feed(.command(.decline))
        case .say(let text): feed(.command(.say(text)))
        case .choose, .quit: break
        }
    }

    /// Takes what happened to the session that is played over.
    func received(_ event: SessionEvent) {
        switch event {
        case .hello, .ready: break
        case .note(let bytes): feed(.note(bytes))
        case .packet(let number, let bytes): feed(.packet(number: number, bytes))
        case .had(let count, let hash): feed(.had(count: count, hash: hash))
        case .ended(.left(let code, _)): feed(.peerLeft(code))
        case .ended(.protocolError(let text)): brokeOff(text)
        case .ended: feed(.parted)
        }
    }

    /// Gives the engine an input and carries out what it wants, in order.
    func feed(_ input: MatchEngine<G>.Input) {
        guard var effects = seating?.engine.handle(input, at: loop.now()) else { return }
        while !effects.isEmpty {
            let effect = effects.removeFirst()
            guard let seating, end == nil else { return }
            switch effect {
            case .sendNote(let bytes): seating.session.sendNote(bytes)
            case .store, .storeDraft, .dropDraft: break
            case .sendPacket(let bytes): send(bytes, over: seating.session)
            case .acknowledge(let number, let hash):
                seating.session.acknowledge(through: number, hash: hash)
            case .tell(let event): take(event)
            case .close(let code, let text), .hangUp(let code, let text):
                seating.session.post(goodbye: code, text: text)
            }
        }
        setAlarm()
    }

    private func send(_ packet: [UInt8], over session: OnlineSession) {
        switch session.post(packet) {
        case .accepted, .ended, .notReady: break
        case .windowFull, .tooLarge:
            // A peer that takes nothing any more is as good as gone.
            session.post(goodbye: .tookTooLong, text: "nothing is taken")
        }
    }

    private func take(_ event: MatchEvent<G>) {
        switch event {
        case .started:
            seating?.hasStarted = true
            seating?.isPlaying = true
            remember()
        case .over(_, let score, _):
            seating?.isPlaying = false
            seating?.score = Score(score)
        case .declined(let reason): return declined(reason)
        case .ended(let reason): return ended(reason)
        default: break
        }
        if let told = seating?.translator.playerEvent(for: event) { tell(told) }
    }

    private func declined(_ reason: DeclineReason) {
        let text =
            switch reason {
            case .declined: "The other player does not want to play now."
            case .rules: "The other side plays another game, or another version of its rules."
            case .late: "Nobody answered within a minute."
            case .cancelled: "The other player took the challenge back."
            }
        unseat(.declined(text), peer: seating?.peer.instance)
    }

    private func ended(_ reason: MatchEnd) {
        let hasStarted = seating?.hasStarted ?? false
        switch reason {
        case .left where hasStarted: finish(.left, reason: .left)
        case .lost where hasStarted: finish(.lost, reason: .lost)
        case .left, .lost:
            unseat(.lost("The connection ended before a game began."), peer: peerInstance)
        case .forked: finish(.brokenPeer, reason: .failed)
        case .tookTooLong: unseat(.lost("The other side took too long."), peer: peerInstance)
        case .protocolError(let text): brokeOff(text)
        case .failed(let text):
            tell(.failed(code: "disk", message: text))
            finish(.disk, reason: .failed)
        }
    }

    private var peerInstance: InstanceID? { seating?.peer.instance }

    /// The other side broke the protocol: the game is over, or the search goes on.
    private func brokeOff(_ text: String) {
        guard seating?.hasStarted ?? false else {
            return unseat(.brokenPeer(text), peer: peerInstance)
        }
        tell(.failed(code: "protocol", message: "The other side broke the protocol: \(text)."))
        finish(.brokenPeer, reason: .failed)
    }

    /// Nothing came of this session; look on.
    func unseat(_ reason: Lobby.Unseating, peer: InstanceID?) {
        seating?.session.post(goodbye: .left, text: "")
        seating = nil
        perform(lobby.unseated(reason, peer: peer, now: loop.now()))
        setAlarm()
    }

    private func remember() {
        guard let peer = seating?.peer, let fingerprint = peer.fingerprint else { return }
        do throws(OnlineError) {
            try knownPeers?.remember(fingerprint, name: peer.name)
        } catch {
            tell(.failed(code: "disk", message: error.description))
        }
    }
}

extension GameEnd {
    /// A game that ended with nothing decided.
    static func aborted(score: Score) -> GameEnd {
        GameEnd(winner: nil, isDraw: false, termination: "abort", score: score)
    }
}

extension Score {
    init(_ score: MatchScore) {
        self.init(
            you: Int(score.you), opponent: Int(score.opponent), draws: Int(score.draws))
    }
}
