// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol

/// How the table dials for the lobby.
extension Table {
    func start(_ dial: Lobby.Dial, to destination: Lobby.Destination) {
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

    func abandonLobby(_ dial: Lobby.Dial) {
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
        if case .given(let passcode) = configuration.code {
            settings.passcode = passcode
            settings.mayAnswer = { [weak self] fingerprint in
                guard let self else { return false }
                return self.assumeIsolated {
                    $0.mayAnswer(fingerprint, over: dial, to: destination)
                }
            }
        }
        do throws(OnlineError) {
            session = try await OnlineSession.meet(
                at: try await endpoints(of: destination, by: deadline), settings: settings,
                by: deadline, loop: loop)
        } catch {
            return lobbyDials[dial]?.mismatch ?? Lobby.DialFailure(error)
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

    /// Whether a host that asks for the code may have the answer: not if it is known already not to
    /// be the one that is wanted, nor if another one has it.
    private func mayAnswer(
        _ fingerprint: Fingerprint, over dial: Lobby.Dial, to destination: Lobby.Destination
    ) -> Bool {
        guard end == nil, lobbyDials[dial] != nil else { return false }
        if let mismatch = mismatch(of: fingerprint, with: destination) {
            lobbyDials[dial]?.mismatch = mismatch
            return false
        }
        guard let effects = lobby.asked(over: dial) else { return false }
        perform(effects)
        setAlarm()
        return true
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
    var detail: MatchDetail {
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
        if case .advert(let id) = destination, peer.instance != id { return .stale }
        return mismatch(of: fingerprint, with: destination)
    }

    /// The same of its key alone.
    private func mismatch(
        of fingerprint: Fingerprint, with destination: Lobby.Destination
    ) -> Lobby.DialFailure? {
        if standing(of: fingerprint) == .blocked {
            return .refused(Refusal(.notKnown, text: "You have blocked this player."))
        }
        switch destination {
        case .advert(let id):
            guard let service = services[hex(id)] else { return .stale }
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
