// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol

/// How a match gets its connection back.
extension Table {
    /// Takes up a match that was kept.
    func resume(_ name: JournalName) {
        guard let stateDirectory = configuration.stateDirectory else {
            return fail(.disk, code: "disk", "There is no directory with matches.")
        }
        do throws(JournalError) {
            let store = try JournalError.wrap { () throws(StoreError) in
                try GameDirectory(path: stateDirectory)
            }
            let opened = try Journal.open(
                name, in: store, rules: [G.self], publicKey: configuration.identity.publicKey,
                cryptography: cryptography)
            journal = opened.journal
            if let damage = opened.damage {
                let text =
                    "Line \(damage.line) of the journal is damaged: \(damage.reason) The file is kept "
                    + "as \(damage.file); what is missing comes back from the other player."
                tell(.failed(code: "damaged", message: text))
            }
            takeUp(opened.match)
        } catch {
            if case .inUse = error { return fail(.inUse, code: "inuse", error.description) }
            var text = error.description
            if case .key = error {
                text += " If your identity was moved to another machine, it goes on there."
            }
            fail(.disk, code: "disk", text)
        }
    }

    private func takeUp(_ match: StoredMatch) {
        let local = Player(
            name: configuration.name, publicKey: configuration.identity.publicKey)
        guard
            let engine = MatchEngine<G>(
                resuming: match, local: local, cryptography: cryptography),
            let fingerprint = Fingerprint(publicKey: match.opponentKey)
        else { return fail(.disk, code: "disk", "The match was begun under another key of yours.") }
        translator = Translator(
            opponent: knownPeers?[fingerprint]?.petname
                ?? match.name(of: match.seat.other) ?? "",
            key: fingerprint.description,
            isKnown: true, isApart: true)
        linkNotes = LinkNotes(written: match.link)
        whereabouts = match.link?.addresses.compactMap { Endpoint(parsing: $0) } ?? []
        lastPort = match.link?.port ?? 0
        guard openPort() else { return }
        listenForReturn()
        seat = MatchSeat(
            engine, instance: instance, run: match.run, random: .random(in: 0 ... .max))
        seat?.port = listener?.port ?? 0
        watchAddresses()
        perform(seat?.resume(now: loop.now()) ?? [])
        setAlarm()
    }

    /// Answers somebody who goes on with the match.
    func accept(_ guest: Reunion.Guest, _ greeting: MatchSeat<G>.Greeting) {
        sessions[.guest(guest)]?.accept(
            have: greeting.have, hash: greeting.hash, log: greeting.log,
            detail: greeting.detail.bytes)
    }

    /// Dials every address where the other side may be.
    func redial(_ dial: Reunion.Dial, _ greeting: MatchSeat<G>.Greeting) {
        // Not a child of run(): each can be cancelled alone.
        matchDials[dial] = Task(executorPreference: loop) {
            await self.reach(dial, greeting)
        }
    }

    /// Gives a dial up.
    func abandon(_ dial: Reunion.Dial) {
        matchDials.removeValue(forKey: dial)?.cancel()
        sessions.removeValue(forKey: .dial(dial))?.post(goodbye: .superseded, text: "")
    }

    private func reach(_ dial: Reunion.Dial, _ greeting: MatchSeat<G>.Greeting) async {
        var settings = settings
        settings.hello.token = greeting.token
        settings.hello.have = greeting.have
        settings.hello.hash = greeting.hash
        settings.hello.detail = greeting.detail.bytes
        settings.log = greeting.log
        let connection = Connection.dial(dial)
        var isReady = false
        var refusal: Refusal?
        var key: [UInt8]?
        if let session = await dialled(settings) {
            guard matchDials[dial] != nil, end == nil else {
                return session.post(goodbye: .superseded, text: "")
            }
            sessions[connection] = session
            while let event = await session.nextEvent() {
                if case .ready(let welcome) = event {
                    isReady = true
                    welcomed(dial, welcome, session)
                } else if isReady {
                    received(event, over: connection, session)
                }
                if case .ended(let end) = event {
                    if case .refused(let why) = end { refusal = why }
                    key = session.peerKeyAtEnd
                    break
                }
            }
            if sessions[connection] === session { sessions[connection] = nil }
        }
        guard matchDials.removeValue(forKey: dial) != nil, !isReady, end == nil else { return }
        let effects = seat?.failed(dial, refusal: refusal, publicKey: key, now: loop.now())
        perform(effects ?? [])
        setAlarm()
    }

    private func dialled(_ settings: SessionSettings) async -> OnlineSession? {
        do throws(OnlineError) {
            return try await OnlineSession.dial(
                to: endpointsOfMatch, settings: settings, loop: loop)
        } catch {
            return nil
        }
    }

    private func welcomed(_ dial: Reunion.Dial, _ welcome: Hello, _ session: OnlineSession) {
        guard end == nil else { return }
        let key = session.peer?.publicKey
        if let effects = seat?.welcomed(dial, welcome, publicKey: key, now: loop.now()) {
            perform(effects)
        }
        setAlarm()
    }

    // MARK: Where the other side is

    /// Where it was, and where an advert that its key fits says that it is.
    private var endpointsOfMatch: [Endpoint] {
        var found = whereabouts
        for service in services.values where isOpponent(service) {
            found += service.endpoints.filter { !found.contains($0) }
        }
        return found
    }

    /// Whether the advert is the other player's.
    func isOpponent(_ service: Service) -> Bool {
        guard let key = seat?.engine.opponentKey, let fingerprint = Fingerprint(publicKey: key),
            let text = AdvertText(service)
        else { return false }
        return fingerprint.advertTag(salt: text.salt) == text.tag
    }

    /// Remembers where the peer of a connection can be dialled: where it was reached, which may be
    /// a port that is forwarded to it, and where it says it listens.
    func noteWhereabouts(of peer: Peer, over connection: Connection) {
        guard let address = peer.address else { return }
        var found: [Endpoint] = []
        if case .dial = connection { found.append(address) }
        let port = MatchDetail(peer.detail)?.port ?? 0
        let told = Endpoint(address: address.address, scope: address.scope, port: port)
        if let told, port != 0, !found.contains(told) { found.append(told) }
        whereabouts.removeAll { found.contains($0) }
        whereabouts = Array((found + whereabouts).prefix(LinkHint.most))
    }

    /// Keeps the own port and the other side's addresses for a later process.
    func noteLink(isLast: Bool = false) {
        guard var open = journal, linkNotes.take(link, isLast: isLast) else { return }
        defer { journal = open }
        // A hint that is lost costs a second when the match is taken up again, nothing else.
        try? open.note(link: link)
    }

    /// Where the two sides are.
    var link: LinkHint {
        LinkHint(port: listener?.port ?? 0, addresses: whereabouts.map(\.description))
    }

    /// Opens a port, without a word, so that the other side can come back.
    func listenForReturn() {
        guard listener == nil else { return }
        // The port of the last time, so that the other side finds it without a word; else any.
        listener = try? OnlineListener(port: lastPort, settings: settings, loop: loop)
        if listener == nil { listener = try? OnlineListener(settings: settings, loop: loop) }
        seat?.port = listener?.port ?? 0
        serveListener()
    }

    /// Looks for the other side and can be found by it; or stops both.
    func look(_ isLooking: Bool) {
        if isLooking {
            startDiscovery()
            discovery?.browse(true)
            advertise(.resume)
        } else {
            if configuration.seeking == .guests || hosting != nil {
                advertise(.busy)
            } else {
                advertise(nil)
            }
            discovery?.browse(false)
        }
    }
}
