// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol

extension Table {
    /// Plays with whoever is at the other end of this session.
    func sit(_ session: OnlineSession, as role: Role, over connection: Connection) {
        guard let peer = session.peer, let publicKey = peer.publicKey,
            let fingerprint = peer.fingerprint
        else { return unseat(.lost("the connection ended"), peer: nil) }
        let clock = clock(with: peer)
        if configuration.clock == nil, let text = clock.flatMap(ClockMismatch.refusal) {
            sessions[connection] = nil
            session.post(goodbye: .left, text: "")
            return turnDown(text, peer: peer.instance)
        }
        let engine = MatchEngine<G>(
            role: role,
            local: Player(
                name: configuration.name, publicKey: configuration.identity.publicKey),
            remote: Player(name: peer.name, publicKey: publicKey),
            exporter: session.exporter, options: configuration.options, clock: clock,
            asks: role == .responder && configuration.accept == .ask,
            random: randomBytes(32), cryptography: cryptography, now: loop.now())
        sessions[connection] = session
        noteWhereabouts(of: peer, over: connection)
        let isKnown = standing(of: fingerprint) == .known
        translator = Translator(
            opponent: knownPeers?[fingerprint]?.petname ?? peer.name,
            key: fingerprint.description, isKnown: isKnown)
        isAsking = role == .initiator
        if isAsking, let translator {
            tell(
                .asking(id: hex(peer.instance), name: translator.opponent, key: translator.key))
        }
        warn(of: peer, fingerprint)
        seat = MatchSeat(engine, instance: instance, random: .random(in: 0 ... .max))
        seat?.port = listener?.port ?? 0
        watchAddresses()
        perform(seat?.begin(over: connection, with: peer.instance, now: loop.now()) ?? [])
        setAlarm()
    }

    /// The clock to play with: the own one, or what the other side says unless this side is the
    /// host by the player's wish.
    private func clock(with peer: Peer) -> MoveClock? {
        guard configuration.clock == nil, configuration.seeking != .guests else {
            return configuration.clock
        }
        return MatchDetail(peer.detail)?.clock
    }

    /// Hands a command to the match.
    func play(_ command: PlayerCommand) {
        switch command {
        case .move(let square):
            guard let action = G.action(square: square) else {
                return tell(.failed(code: "illegal", message: "There is no square \(square)."))
            }
            feed(.play(action))
        case .resign: feed(.resign)
        case .offer(let kind):
            guard let kind = OfferKind(rawValue: kind) else {
                return tell(.failed(code: "illegal", message: "\(kind) cannot be offered."))
            }
            feed(.offer(kind))
        case .accept: answer(.accept)
        case .decline: answer(.decline)
        case .answer(let isYes, let key):
            guard seat != nil, key == translator?.key else {
                return tell(.failed(code: "early", message: "That player is not asking now."))
            }
            feed(isYes ? .accept : .decline)
        case .claim: feed(.claim)
        case .say(let text): feed(.say(text))
        case .choose, .quit: break
        }
    }

    /// Answers whoever asks now, if the player can have meant that one.
    private func answer(_ command: MatchEngine<G>.Command) {
        guard !wasAsked || hold.allows(at: loop.now()) else {
            let text = "Another player is asking now: read the question, and answer again."
            return tell(.failed(code: "early", message: text))
        }
        feed(command)
    }

    private func feed(_ command: MatchEngine<G>.Command) {
        guard let effects = seat?.command(command, now: loop.now()) else {
            return tell(.failed(code: "early", message: "There is nobody at the board yet."))
        }
        perform(effects)
    }

    /// Carries out what the match wants, in order; after a store that fails nothing more.
    func perform(_ effects: [MatchSeat<G>.Effect]) {
        for effect in effects {
            if case .close(let connection, let code, let text) = effect {
                sessions[connection]?.post(goodbye: code, text: text)
            }
            guard end == nil else { continue }
            switch effect {
            case .close: break
            case .store(let entry, _, _):
                guard
                    keep(
                        { (journal) throws(JournalError) in try journal.store(entry: entry) },
                        orCreateWith: entry)
                else { return }
            case .storeDraft(let words):
                guard
                    keep({ (journal) throws(JournalError) in try journal.store(draftWords: words) })
                else { return }
                tellKept(words)
            case .dropDraft:
                guard keep({ (journal) throws(JournalError) in try journal.dropDraft() })
                else { return }
            case .sendNote(let bytes, let connection): sessions[connection]?.sendNote(bytes)
            case .sendPacket(let bytes, let connection): send(bytes, over: connection)
            case .acknowledge(let count, let hash, let connection):
                sessions[connection]?.acknowledge(through: count, hash: hash)
            case .accept(let guest, let greeting): accept(guest, greeting)
            case .refuse(let guest, let refusal): refuse(guest, refusal)
            case .dial(let dial, let greeting): redial(dial, greeting)
            case .abandon(let dial): abandon(dial)
            case .look(let isLooking): look(isLooking)
            case .trying: tellLink(.trying)
            case .missing(let absence): tellLink(.trying, reason: absence.word)
            case .forget: forget()
            case .tell(let event): take(event)
            case .goneElsewhere:
                // It keeps that one from dialling it again; nobody here can tell whether it is so.
                let text =
                    "The other side says that it plays this match with another process of yours."
                fail(.inUse, code: "elsewhere", text)
            case .brokenPeer(let text):
                fail(.brokenPeer, code: "protocol", "The other side broke the protocol: \(text).")
            }
        }
    }

    /// A move that is kept is shown as under way; of other wishes the player is told.
    private func tellKept(_ words: [UInt8]) {
        guard let word = words.split(separator: UInt8(ascii: " ")).first else { return }
        let wish = String(decoding: word, as: UTF8.self)
        if wish != "move" { tell(.kept(wish)) }
    }

    private func refuse(_ guest: Reunion.Guest, _ refusal: Refusal) {
        guard let session = sessions.removeValue(forKey: .guest(guest)) else { return }
        session.refuse(refusal)
        // A fork ends the table, which must not be quicker than the word about it.
        if refusal.code == .forked { leaving.append(session) }
    }

    private func send(_ packet: [UInt8], over connection: Connection) {
        guard let session = sessions[connection] else { return }
        switch session.post(packet) {
        case .accepted, .ended, .notReady: break
        case .windowFull, .tooLarge:
            // A peer that takes nothing any more is as good as gone.
            session.post(goodbye: .tookTooLong, text: "nothing is taken")
        }
    }

    private func take(_ event: MatchEvent<G>) {
        switch event {
        case .challenged:
            wasAsked = true
            hold.asked(of: seat?.engine.opponentKey ?? [], now: loop.now())
        case .started:
            (wasAsked, isAsking) = (false, false)
            hold.answered()
            seat?.current.flatMap { sessions[$0] }?.vouch()
            remember()
            listenForReturn()
            noteLink()
        case .together:
            hear()
            if let connection = seat?.current, let peer = sessions[connection]?.peer {
                noteWhereabouts(of: peer, over: connection)
            }
            noteLink()
        case .apart: hearing.reset()
        case .declined(let reason): return declined(reason)
        case .ended(let reason): return ended(reason)
        default: break
        }
        let clock = seat?.engine.clock
        let told = translator?.playerEvent(for: event, clock: clock, left: timeLeft)
        if case .link(let state, let reason, _, _)? = told {
            tellLink(state, reason: reason)
        } else if let told {
            tell(told)
        }
    }

    /// What is left of both players' time now, if there is a clock.
    var timeLeft: TimeLeft? {
        seat?.engine.remaining(at: loop.now()).map { TimeLeft(you: $0.you, opponent: $0.opponent) }
    }
}

extension Score {
    init(_ score: MatchScore) {
        self.init(
            you: Int(score.you), opponent: Int(score.opponent), draws: Int(score.draws))
    }
}
