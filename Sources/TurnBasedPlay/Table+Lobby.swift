// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol

extension Table {
    /// Carries out what the lobby wants, in order.
    func perform(_ effects: [Lobby.Effect]) {
        for effect in effects {
            guard end == nil else { return }
            switch effect {
            case .dial(let dial, let destination): start(dial, to: destination)
            case .abandon(let dial): abandonLobby(dial)
            case .accept(let guest):
                let proof = code?.tries.removeValue(forKey: guest)?.proof
                sessions[.guest(guest)]?.accept(detail: detail.bytes, proof: proof)
            case .ask(let guest): ask(guest)
            case .refuse(let guest, let code):
                sessions.removeValue(forKey: .guest(guest))?
                    .refuse(Refusal(code, text: sentence(code)))
            case .seat(.dial(let dial)):
                guard let session = lobbyDials[dial]?.session else { continue }
                lobbyDials[dial]?.session = nil
                sit(session, as: .initiator, over: .dial(0))
            case .seat(.guest(let guest)):
                guard let session = sessions[.guest(guest)] else { continue }
                sit(session, as: .responder, over: .guest(guest))
            case .advertise(let openness): advertise(openness == .open ? .open : .busy)
            case .markStale(let id): discovery?.mark(id: hex(id), stale: true)
            case .fail(let failure): fail(failure)
            case .report(let failure): tell(event(for: failure))
            }
        }
    }

    /// Serves a session that somebody opened, from its hello to its end.
    func serve(_ session: OnlineSession) async {
        let guest = nextGuest
        nextGuest += 1
        let connection = Connection.guest(guest)
        while let event = await session.nextEvent() {
            switch event {
            case .hello(let hello) where end == nil:
                sessions[connection] = session
                greeted(by: guest, hello, session)
            case .hello: session.refuse(Refusal(.declined))
            case .answered(let answer): answered(by: guest, answer, session)
            default: received(event, over: connection, session)
            }
            if case .ended = event { break }
        }
        code?.tries[guest] = nil
        if sessions[connection] === session { sessions[connection] = nil }
    }

    private func greeted(by guest: Lobby.Guest, _ hello: Hello, _ session: OnlineSession) {
        if hello.token == nil {
            perform(seat?.visited(now: loop.now()) ?? [])
            perform(lobby.greeted(by: guest, hello.instance, standing(of: session.peer)))
        } else {
            let key = session.peer?.publicKey
            let refused = [MatchSeat<G>.Effect.refuse(guest, Refusal(.noSuchSession))]
            perform(seat?.greeted(by: guest, hello, publicKey: key, now: loop.now()) ?? refused)
        }
        setAlarm()
    }

    /// Hands what happened to a session to the match that is played over it.
    func received(_ event: SessionEvent, over connection: Connection, _ session: OnlineSession) {
        guard sessions[connection] === session else { return }
        if let effects = seat?.received(event, over: connection, now: loop.now()) {
            perform(effects)
        }
        setAlarm()
    }

    // MARK: Dials

    private func start(_ dial: Lobby.Dial, to destination: Lobby.Destination) {
        // Not a child of run(): each can be cancelled alone.
        let task = Task(executorPreference: loop) {
            if let failure = await self.dial(dial, to: destination) {
                await self.failed(dial, failure)
            }
        }
        lobbyDials[dial] = Dialling(task: task)
    }

    private func failed(_ dial: Lobby.Dial, _ failure: Lobby.DialFailure) {
        lobbyDials[dial] = nil
        guard end == nil else { return }
        perform(lobby.failed(dial, failure, now: loop.now()))
        setAlarm()
    }

    private func abandonLobby(_ dial: Lobby.Dial) {
        guard let dialling = lobbyDials.removeValue(forKey: dial) else { return }
        dialling.task.cancel()
        dialling.session?.post(goodbye: .left, text: "")
    }

    /// Dials, and serves the session to its end; a failure if there was none.
    private func dial(
        _ dial: Lobby.Dial, to destination: Lobby.Destination
    ) async -> Lobby.DialFailure? {
        let session: OnlineSession
        let deadline = loop.now().advanced(milliseconds: OnlineLimits().connect)
        var settings = settings
        if case .given(let passcode) = configuration.code { settings.passcode = passcode }
        do throws(OnlineError) {
            session = try await OnlineSession.dial(
                to: try await endpoints(of: destination, by: deadline), settings: settings,
                by: deadline, loop: loop)
            try await session.ready()
        } catch {
            return Lobby.DialFailure(error)
        }
        guard !Task.isCancelled, lobbyDials[dial] != nil else {
            session.post(goodbye: .left, text: "")
            return nil
        }
        if let mismatch = mismatch(of: session, with: destination) {
            session.post(goodbye: .left, text: "")
            return mismatch
        }
        lobbyDials[dial]?.session = session
        perform(lobby.welcomed(dial))
        setAlarm()
        while let event = await session.nextEvent() {
            received(event, over: .dial(0), session)
            if case .ended = event { break }
        }
        lobbyDials[dial] = nil
        if sessions[.dial(0)] === session { sessions[.dial(0)] = nil }
        return nil
    }

    /// What every session of this table starts with.
    var settings: SessionSettings {
        var settings = SessionSettings(
            security: .identity(configuration.identity),
            hello: Hello(
                application: G.rules.name,
                applicationVersions: VersionRange(G.rules.version, G.rules.version),
                name: configuration.name, instance: instance, largestFrame: 65_536))
        settings.hello.detail = detail.bytes
        settings.acknowledgement = .explicit
        settings.givesEvents = true
        return settings
    }

    /// What a hello or welcome says of a table without a match.
    private var detail: MatchDetail {
        MatchDetail(port: listener?.port ?? 0, clock: configuration.clock)
    }

    private func endpoints(
        of destination: Lobby.Destination, by deadline: Instant
    ) async throws(OnlineError) -> [Endpoint] {
        switch destination {
        case .advert(let id):
            return services[hex(id)]?.endpoints ?? []
        case .address:
            guard case .target(.address(let host, let port, _)) = configuration.seeking else {
                return []
            }
            if let endpoint = Endpoint(host: host, port: port) { return [endpoint] }
            if host.lowercased().hasSuffix(".local"), let discovery {
                let found = await discovery.resolve(host: host, milliseconds: 3_000)
                if !found.isEmpty {
                    return found.compactMap {
                        Endpoint(address: $0.bytes, scope: $0.scope, port: port)
                    }
                }
            }
            return try await Endpoint.lookUp(host: host, port: port, by: deadline, loop: loop)
        }
    }

    /// An advert whose host turns out to be somebody else, or an address that is not who the
    /// player named.
    private func mismatch(
        of session: OnlineSession, with destination: Lobby.Destination
    ) -> Lobby.DialFailure? {
        guard let peer = session.peer, let fingerprint = peer.fingerprint else { return .stale }
        if standing(of: peer) == .blocked {
            return .refused(Refusal(.notKnown, text: "You have blocked this player."))
        }
        switch destination {
        case .advert(let id):
            guard peer.instance == id, let service = services[hex(id)] else { return .stale }
            let matches = AdvertText(service).map {
                fingerprint.advertTag(salt: $0.salt) == $0.tag
            }
            return matches ?? false ? nil : .stale
        case .address:
            guard case .target(.address(_, _, let key?)) = configuration.seeking,
                fingerprint.description != key.lowercased()
            else { return nil }
            let text = "The host has another key than the address names; do not trust it."
            return .refused(Refusal(.notKnown, text: text))
        }
    }

    // MARK: Words

    private func sentence(_ code: RefuseCode) -> String {
        switch code {
        case .busy: "Somebody else is being played with."
        case .notKnown: "Only players who were met before are let in."
        default: ""
        }
    }

    private func fail(_ failure: Lobby.Failure) {
        tell(event(for: failure))
        switch failure {
        case .nobody, .noSuchName, .unreachable: finish(.unavailable, reason: .failed)
        case .refused: finish(.refused, reason: .failed)
        case .brokenPeer: finish(.brokenPeer, reason: .failed)
        }
    }

    private func event(for failure: Lobby.Failure) -> PlayerEvent {
        switch failure {
        case .nobody:
            return .failed(
                code: "nobody",
                message: """
                    No open game was found on this network. 'ttt host' opens one; where \
                    multicast is blocked, 'ttt join ADDRESS' needs none.
                    """)
        case .noSuchName(let name):
            return .failed(
                code: "nobody",
                message: "There is no open game called \(name) on this network.")
        case .unreachable(let text): return .failed(code: "unreachable", message: text)
        case .brokenPeer(let text):
            return .failed(
                code: "protocol", message: "The other side does not speak this protocol: \(text).")
        case .refused(let refusal):
            return .refused(code: refusal.code.word, message: refusal.sentence)
        }
    }
}

extension Lobby.DialFailure {
    init(_ error: OnlineError) {
        switch error.end {
        case .refused(let refusal): self = .refused(refusal)
        case .protocolError(let text): self = .brokenPeer(text)
        default: self = .unreachable(error.description)
        }
    }
}

extension RefuseCode {
    /// A stable word for programs.
    var word: String {
        switch self {
        case .version: "version"
        case .application: "application"
        case .busy: "busy"
        case .declined: "declined"
        case .crossing: "crossing"
        case .dialledSelf: "self"
        case .notKnown: "unknown"
        case .noSuchSession: "gone"
        case .full: "full"
        case .codeNeeded: "code"
        case .wrongCode: "wrong-code"
        default: "refused"
        }
    }
}

extension Refusal {
    /// A sentence for people: the other side's, or one that says what its code means.
    var sentence: String {
        guard text.isEmpty else { return text }
        return switch code {
        case .version: "The other side speaks another version of the protocol."
        case .application: "The other side plays something else."
        case .busy: "The other side plays with somebody else."
        case .declined: "The other player does not want to play now."
        case .crossing: "The other side is dialling this one."
        case .dialledSelf: "That is this very program."
        case .notKnown: "The other side lets in only players it knows."
        case .noSuchSession: "The other side has no such match."
        case .codeNeeded:
            "This game is played with a code: join with --code, and type what the host's screen shows."
        case .wrongCode:
            "That is not the code, or not any more: ask for the one that the host's screen shows now."
        case .full: "The other side has too many visitors; try again."
        default: "The other side will not play (code \(code.value))."
        }
    }
}

/// The instance as adverts write it.
func hex(_ id: InstanceID) -> String {
    let digits = String(id.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
