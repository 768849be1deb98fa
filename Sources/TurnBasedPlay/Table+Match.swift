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
        var generator = SystemRandomNumberGenerator()
        let engine = MatchEngine<G>(
            role: role,
            local: Player(
                name: configuration.name, publicKey: configuration.identity.publicKey),
            remote: Player(name: peer.name, publicKey: publicKey),
            exporter: session.exporter, options: [], clock: clock(with: peer),
            asks: role == .responder && configuration.accept == .ask,
            random: generator.bytes(32), cryptography: cryptography, now: loop.now())
        sessions[connection] = session
        noteWhereabouts(of: peer, over: connection)
        let isKnown = standing(of: peer) == .known
        translator = Translator(
            opponent: knownPeers?[fingerprint]?.petname ?? peer.name,
            key: fingerprint.description, isKnown: isKnown)
        warn(of: peer, fingerprint)
        seat = MatchSeat(engine, instance: instance, random: generator.next())
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
        case .accept: feed(.accept)
        case .decline: feed(.decline)
        case .claim: feed(.claim)
        case .say(let text): feed(.say(text))
        case .choose, .quit: break
        }
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
                fail(.inUse, code: "elsewhere", "The match goes on in another process of yours.")
            case .brokenPeer(let text):
                fail(.brokenPeer, code: "protocol", "The other side broke the protocol: \(text).")
            }
        }
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
        case .started:
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

    // MARK: Ends

    private func declined(_ reason: DeclineReason) {
        let text =
            switch reason {
            case .declined: "The other player does not want to play now."
            case .rules: "The other side plays another game, or another version of its rules."
            case .clock: clockSentence
            case .late: "Nobody answered within a minute."
            case .cancelled: "The other player took the challenge back."
            }
        // The lobby tells what ends a search; of the clock the player hears in any case.
        if reason == .clock, configuration.seeking == .guests || configuration.seeking == .anyOpen {
            tell(.refused(code: "declined", message: text))
        }
        unseat(.declined(text), peer: peerInstance)
    }

    /// Why two clocks do not fit; only the one who joined can do something about it.
    private var clockSentence: String {
        let connection = seat?.current
        let detail = connection.flatMap { sessions[$0]?.peer }.flatMap { MatchDetail($0.detail) }
        var isHost = false
        if case .guest? = connection { isHost = true }
        return ClockMismatch(
            own: configuration.clock, other: detail?.clock, isKnown: detail != nil, isHost: isHost
        ).sentence
    }

    private func ended(_ reason: MatchEnd) {
        let hasStarted = seat?.hasStarted ?? false
        switch reason {
        case .left where hasStarted: finish(.left, reason: .left)
        case .lost where isResumed:
            let text = "The other side has no such match; no game had begun, and it is removed."
            fail(.unavailable, code: "gone", text)
        case .left, .lost:
            unseat(.lost("The connection ended before a game began."), peer: peerInstance)
        case .tookTooLong where isResumed:
            fail(.unavailable, code: "gone", "The other side does not go on with this match.")
        case .tookTooLong:
            unseat(
                .lost("The other side took too long."), peer: peerInstance, saying: .tookTooLong)
        case .protocolError(let text) where hasStarted:
            fail(.brokenPeer, code: "protocol", "The other side broke the protocol: \(text)")
        case .protocolError(let text):
            unseat(.brokenPeer(text), peer: peerInstance, saying: .protocolError)
        case .forked:
            fail(
                .refused, code: "forked",
                "Your journal of this match and the other player's differ; it cannot go on.")
        case .failed(let text): fail(.disk, code: "disk", text)
        }
    }

    private var isResumed: Bool {
        if case .match = configuration.seeking { true } else { false }
    }

    private var peerInstance: InstanceID? {
        seat?.current.flatMap { sessions[$0]?.peer?.instance }
    }

    /// Nothing came of this session, which ends with this goodbye; look on.
    func unseat(
        _ reason: Lobby.Unseating, peer: InstanceID?, saying code: GoodbyeCode = .left
    ) {
        if let connection = seat?.current {
            sessions.removeValue(forKey: connection)?.post(goodbye: code, text: "")
        }
        for dial in Array(matchDials.keys) { abandon(dial) }
        seat = nil
        translator = nil
        // What was stored is of a match that has not begun; another has its own journal.
        journal = nil
        whereabouts = []
        discovery?.browse(needsBrowsing)
        perform(lobby.unseated(reason, peer: peer, now: loop.now()))
        setAlarm()
    }

    // MARK: Disk

    /// Stores something in the match's journal, or begins the journal with its first entry; on
    /// failure the match ends in this process.
    private func keep(
        _ store: (inout Journal<GameDirectory>) throws(JournalError) -> Void,
        orCreateWith entry: [UInt8]? = nil
    ) -> Bool {
        // Without a directory nothing is kept.
        guard let directory = configuration.stateDirectory else { return true }
        do throws(JournalError) {
            if var open = journal {
                defer { journal = open }
                try store(&open)
            } else if let entry, let own = seat?.engine.identity?.seat {
                let games = try JournalError.wrap { () throws(StoreError) in
                    try GameDirectory(path: directory)
                }
                journal = try Journal(
                    creating: entry, by: own, link: link, in: games, cryptography: cryptography)
            }
            return true
        } catch {
            let text = error.description
            perform(seat?.storeFailed(now: loop.now()) ?? [])
            fail(.disk, code: "disk", text)
            return false
        }
    }

    /// Removes the journal of a match that never began. One that stays does no harm: it is removed
    /// when the other side is asked again.
    private func forget() {
        let unborn = journal
        journal = nil
        try? unborn?.remove()
    }

    private func remember() {
        guard let connection = seat?.current, let peer = sessions[connection]?.peer,
            let fingerprint = peer.fingerprint
        else { return }
        do throws(OnlineError) {
            try knownPeers?.remember(fingerprint, name: peer.name)
        } catch {
            tell(.failed(code: "disk", message: error.description))
        }
    }
}

extension Score {
    init(_ score: MatchScore) {
        self.init(
            you: Int(score.you), opponent: Int(score.opponent), draws: Int(score.draws))
    }
}
