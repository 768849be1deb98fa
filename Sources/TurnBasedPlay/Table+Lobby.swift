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
            case .abandon(let dial): abandon(dial)
            case .accept(let guest): guests[guest]?.accept()
            case .refuse(let guest, let code):
                guests.removeValue(forKey: guest)?.refuse(Refusal(code, text: sentence(code)))
            case .seat(.dial(let dial)):
                dialTasks[dial] = nil
                if let session = dialled.removeValue(forKey: dial) { sit(session, as: .initiator) }
            case .seat(.guest(let guest)):
                if let session = guests.removeValue(forKey: guest) { sit(session, as: .responder) }
            case .advertise(let openness):
                self.openness = openness
                advertise()
            case .markStale(let id): discovery?.mark(id: hex(id), stale: true)
            case .fail(let failure): fail(failure)
            case .report(let failure): tell(event(for: failure))
            }
        }
    }

    // MARK: Guests

    /// Serves a session that somebody opened, from its hello to its end.
    func serve(_ session: OnlineSession) async {
        let guest = nextGuest
        nextGuest += 1
        while let event = await session.nextEvent() {
            if case .hello(let hello) = event {
                guests[guest] = session
                let isKnown = session.peer?.fingerprint.map { knownPeers?.contains($0) ?? false }
                perform(lobby.greeted(by: guest, hello.instance, isKnown: isKnown ?? false))
                setAlarm()
            } else if seating?.session === session {
                received(event)
            }
            if case .ended = event { break }
        }
        guests[guest] = nil
    }

    // MARK: Dials

    private func start(_ dial: Lobby.Dial, to destination: Lobby.Destination) {
        // Not a child of run(): each can be cancelled alone.
        dialTasks[dial] = Task(executorPreference: loop) {
            if let failure = await self.dial(dial, to: destination) {
                await self.failed(dial, failure)
            }
        }
    }

    private func failed(_ dial: Lobby.Dial, _ failure: Lobby.DialFailure) {
        dialTasks[dial] = nil
        guard end == nil else { return }
        perform(lobby.failed(dial, failure, now: loop.now()))
        setAlarm()
    }

    private func abandon(_ dial: Lobby.Dial) {
        dialTasks.removeValue(forKey: dial)?.cancel()
        if let session = dialled.removeValue(forKey: dial) {
            session.post(goodbye: .left, text: "")
        }
    }

    /// Dials, and serves the session to its end; a failure if there was none.
    private func dial(
        _ dial: Lobby.Dial, to destination: Lobby.Destination
    ) async -> Lobby.DialFailure? {
        let session: OnlineSession
        let deadline = loop.now().advanced(milliseconds: OnlineSession.connectTime)
        do throws(OnlineError) {
            session = try await OnlineSession.dial(
                to: try await endpoints(of: destination, by: deadline), settings: settings,
                by: deadline, loop: loop)
            try await session.ready()
        } catch {
            return Lobby.DialFailure(error)
        }
        if Task.isCancelled {
            await session.close(goodbye: .left)
            return nil
        }
        if let mismatch = mismatch(of: session, with: destination) {
            await session.close(goodbye: .left)
            return mismatch
        }
        dialled[dial] = session
        perform(lobby.welcomed(dial))
        setAlarm()
        while let event = await session.nextEvent() {
            if seating?.session === session { received(event) }
            if case .ended = event { break }
        }
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
        settings.acknowledgement = .explicit
        settings.givesEvents = true
        return settings
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
                message: "Nobody has an open game on this network. 'ttt host' opens one.")
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
