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
    public static func find(
        service: String, directory: String?, responder: String?, milliseconds: UInt64,
        loop: EventLoop
    ) async throws(OnlineError) -> [FoundGame] {
        var knownPeers: KnownPeers?
        if let directory { knownPeers = try KnownPeers(directory: directory) }
        let discovery = ServiceDiscovery(type: service, fallback: responder)
        discovery.browse(true)
        async let pause: Void = {
            await loop.sleep(until: loop.now().advanced(milliseconds: milliseconds))
            discovery.close()
        }()
        var found: [String: FoundGame] = [:]
        for await event in discovery.events {
            switch event {
            case .found(let service): found[service.id] = FoundGame(service, knownPeers)
            case .gone(let id): found[id] = nil
            case .means, .advertised: break
            }
        }
        await pause
        return found.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }
}

extension FoundGame {
    /// The game of an advert that can be joined, else `nil`.
    init?(_ service: Service, _ knownPeers: KnownPeers?) {
        guard let text = AdvertText(service), text.state == .open, !service.isStale,
            !service.addresses.isEmpty
        else { return nil }
        self.init(
            id: service.id, name: service.name,
            key: knownPeers?.fingerprint(salt: text.salt, tag: text.tag)?.description,
            addresses: service.addresses.compactMap {
                Endpoint(address: $0.bytes, scope: $0.scope, port: $0.port)?.description
            })
    }
}
