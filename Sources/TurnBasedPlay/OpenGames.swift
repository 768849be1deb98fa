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
    ///   - ownName: What the player is called, if that is kept.
    ///   - milliseconds: How long to look.
    ///   - loop: Where to wait.
    /// - Returns: Each open game once, by name.
    /// - Throws: `OnlineError` with code `secrets` if the known peers cannot be read.
    public static func find(
        service: String, directory: String?, responder: String?, ownName: String? = nil,
        milliseconds: UInt64, loop: EventLoop
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
            case .found(let service):
                let known = AdvertText(service).flatMap {
                    knownPeers?.fingerprint(salt: $0.salt, tag: $0.tag)
                }
                found[service.id] = service.game(of: known, knownPeers, ownName)
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
    /// The game that this advertises.
    ///
    /// - Parameters:
    ///   - key: Which of the known players it seems to be of.
    ///   - knownPeers: The players that are known.
    ///   - ownName: What the player is called, if that is kept.
    ///   - ownKey: The player's own key.
    /// - Returns: The game if it can be joined, else `nil`.
    func game(
        of key: Fingerprint?, _ knownPeers: KnownPeers?, _ ownName: String?,
        _ ownKey: Fingerprint? = nil
    ) -> FoundGame? {
        guard let text = AdvertText(self), text.state == .open, !isStale, !addresses.isEmpty else {
            return nil
        }
        let isOwn = ownKey?.advertTag(salt: text.salt) == text.tag
        var resembled = isOwn ? nil : knownPeers?.namesake(of: key, called: name)?.name
        let petname = key.flatMap { knownPeers?[$0]?.petname }
        if let ownName, resembled == nil, !isOwn, petname == nil, areAlike(name, ownName) {
            resembled = ownName
        }
        return FoundGame(
            id: id, name: petname ?? name,
            key: key?.description, addresses: endpoints.map(\.description), resembles: resembled)
    }

    /// Where to try.
    var endpoints: [Endpoint] {
        addresses.compactMap { Endpoint(address: $0.bytes, scope: $0.scope, port: $0.port) }
    }
}
