// SPDX-License-Identifier: MIT

public import MatchEvents
public import OnlinePlay
import ServiceDiscovery
import SessionProtocol

/// The open games on this network.
public enum OpenGames {
    /// Looks around for a while.
    ///
    /// - Parameters:
    ///   - service: The DNS-SD service type.
    ///   - directory: The directory of the file of known peers; `nil`: everybody is new.
    ///   - responder: The path of `ttt-mdns`, or `nil` to do without it.
    ///   - milliseconds: How long to look.
    ///   - loop: Where to wait.
    /// - Returns: Each open game once, by name.
    /// - Throws: `OnlineError` with code `secrets` if the known peers cannot be read.
    public static func find(
        service: String, directory: String?, responder: String?, milliseconds: UInt64,
        loop: EventLoop
    ) async throws(OnlineError) -> [FoundGame] {
        var knownPeers: KnownPeers?
        if let directory { knownPeers = try KnownPeers(directory: directory) }
        let discovery = ServiceDiscovery(
            type: service, fallback: responder, knownAs: AdvertText.knownAs(knownPeers))
        discovery.browse(true)
        async let pause: Void = {
            await loop.sleep(until: loop.now().advanced(milliseconds: milliseconds))
            discovery.close()
        }()
        var found: [String: FoundGame] = [:]
        for await event in discovery.events {
            switch event {
            case .found(let service): found[service.id] = service.game(knownPeers)
            case .gone(let id): found[id] = nil
            case .means, .advertised: break
            }
        }
        await pause
        return found.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }
}

extension AdvertText {
    /// Which of these players an advert seems to be of.
    static func knownAs(
        _ peers: KnownPeers?
    ) -> @Sendable ([String: [UInt8]]) -> String? {
        { record in
            guard let text = AdvertText(record: record) else { return nil }
            return peers?.fingerprint(salt: text.salt, tag: text.tag)?.description
        }
    }
}

extension Service {
    /// The game that this advertises if it can be joined, else `nil`.
    func game(_ knownPeers: KnownPeers?) -> FoundGame? {
        guard let text = AdvertText(self), text.state == .open, !isStale, !addresses.isEmpty else {
            return nil
        }
        return FoundGame(
            id: id, name: name,
            key: knownPeers?.fingerprint(salt: text.salt, tag: text.tag)?.description,
            addresses: endpoints.map(\.description))
    }

    /// Where to try.
    var endpoints: [Endpoint] {
        addresses.compactMap { Endpoint(address: $0.bytes, scope: $0.scope, port: $0.port) }
    }
}
