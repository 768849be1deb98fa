// SPDX-License-Identifier: MIT

package import ResponderProtocol

/// Milliseconds on a monotonic clock.
package typealias Milliseconds = Int64

/// What was found: one entry a service, made of all sightings with its id.
package struct ServiceList: Sendable {
    /// The most services listed.
    package static let capacity = 256
    /// The most services listed at one address, so that one host cannot fill the list. Not counted
    /// are services of somebody who is known, of which there are ``servicesOfOnePeer`` at most.
    package static let servicesAtOneAddress = 16
    /// The most services listed that seem to be of one known peer: who has seen an advert can copy
    /// its key tag.
    package static let servicesOfOnePeer = 4
    /// The most sightings kept of one service.
    package static let sightingsPerService = 16
    /// How long news of one service is gathered before it is told: it comes in pieces, one for
    /// each address, and one record may come before another that goes with it.
    package static let gathering: Milliseconds = 30
    /// How long a service that is no longer seen stays: goodbyes and news flap.
    package static let patience: Milliseconds = 1500
    /// How long sightings outlive the responder that reported them, to be reported by the next.
    package static let orphanhood: Milliseconds = 6000

    struct Seen: Sendable {
        var detail: Detail
        /// Whether nobody answers there, or another one than it says.
        var isSilent = false
        /// The place in the order of all that was said.
        var order: UInt64
        /// The place at which it was first said, or last found wrong.
        var since: UInt64
        var dropAt: Milliseconds?
    }

    struct Entry: Sendable {
        /// Where it was first said to be.
        var source: [UInt8]
        /// The known peer that it seems to be.
        var peer: String?
        /// The place in the order of first sightings.
        var order: UInt64
        var seen: [Sighting: Seen] = [:]
        var told: Service?
        var tellAt: Milliseconds?
        var goneAt: Milliseconds?
    }

    private let hidden: String?
    let knownAs: KnownAs
    private var networks = LocalNetworks([])
    var entries: [String: Entry] = [:]
    var ids: [Sighting: String] = [:]
    /// Services told and then given up for others; to be told as gone.
    var forgotten: [String] = []
    private var count: UInt64 = 0
    /// Sightings that are not listed, which whoever reported them may let go.
    var unlisted: [Sighting] = []

    /// Makes an empty list that never tells of the service with the id `hidden`; `knownAs` says
    /// whose a service seems to be.
    package init(hidden: String?, knownAs: @escaping KnownAs = { _ in nil }) {
        self.hidden = hidden
        self.knownAs = knownAs
    }

    /// Takes the networks that this machine is in: what is at no address of theirs is not told.
    package mutating func take(_ networks: LocalNetworks, at now: Milliseconds) {
        guard networks != self.networks else { return }
        self.networks = networks
        for id in entries.keys { changed(id, at: now) }
    }

    /// The moment at which ``tick(at:)`` has something to do, or `nil`.
    package var deadline: Milliseconds? {
        if !forgotten.isEmpty { return 0 }
        return entries.values.flatMap { [$0.goneAt, $0.tellAt] + $0.seen.values.map(\.dropAt) }
            .compactMap { $0 }.min()
    }

    /// Takes a sighting, new or changed.
    package mutating func found(_ sighting: Sighting, _ detail: Detail, at now: Milliseconds) {
        // Known data is never overwritten by nonsense.
        guard detail.port > 0, let record = TextRecord.read(detail.text) else {
            if ids[sighting] == nil { unlisted.append(sighting) }
            return
        }
        guard record.id != hidden else { return lost(sighting, at: now) }
        if ids[sighting] != record.id {
            // Another process has taken over the name.
            lost(sighting, at: now)
            guard makeRoom(for: sighting, at: detail.address, in: record.id),
                entries[record.id] != nil || makeRoom(for: detail, record.values)
            else { return unlisted.append(sighting) }
        }
        count += 1
        ids[sighting] = record.id
        if entries[record.id] == nil {
            entries[record.id] = Entry(
                source: detail.address, peer: peer(of: record.values), order: count)
        } else if entries[record.id]?.peer == nil {
            // A copy of its id that says less may have been seen first.
            let peer = peer(of: record.values)
            entries[record.id]?.peer = peer
        }
        let since = entries[record.id]?.seen[sighting]?.since ?? count
        entries[record.id]?.seen[sighting] = Seen(detail: detail, order: count, since: since)
        entries[record.id]?.goneAt = nil
        changed(record.id, at: now)
    }

    /// Takes that a sighted service does not answer.
    package mutating func silent(_ sighting: Sighting, at now: Milliseconds) {
        guard let id = ids[sighting] else { return unlisted.append(sighting) }
        entries[id]?.seen[sighting]?.isSilent = true
        changed(id, at: now)
    }

    /// Says, once, which sightings were not listed, or are not any more.
    package mutating func takeUnlisted() -> [Sighting] {
        defer { unlisted = [] }
        return unlisted
    }

    /// Takes that a service is no longer seen there.
    package mutating func lost(_ sighting: Sighting, at now: Milliseconds) {
        guard let id = ids.removeValue(forKey: sighting), var entry = entries[id] else { return }
        entry.seen[sighting] = nil
        if entry.seen.isEmpty { entry.goneAt = now + Self.patience }
        entries[id] = entry
        changed(id, at: now)
    }

    /// Takes the user's own experience with a service: nobody, or another one, answers there.
    package mutating func mark(id: String, stale: Bool, at now: Milliseconds) {
        guard var entry = entries[id] else { return }
        count += 1
        let name = leadingName(of: entry)
        for (sighting, seen) in entry.seen where sighting.name == name {
            entry.seen[sighting]?.isSilent = stale
            if stale, !seen.isSilent { entry.seen[sighting]?.since = count }
        }
        entries[id] = entry
        changed(id, at: now)
    }

    /// Takes that the responder is gone: what it reported stays for a while.
    package mutating func orphan(at now: Milliseconds) {
        for (sighting, id) in ids {
            entries[id]?.seen[sighting]?.dropAt = now + Self.orphanhood
        }
    }

    /// Tells what is new, and lets go of what has not been seen again in time.
    package mutating func tick(at now: Milliseconds) -> [DiscoveryEvent] {
        for (sighting, id) in ids {
            guard let dropAt = entries[id]?.seen[sighting]?.dropAt, dropAt <= now else { continue }
            // It has been waited for already.
            lost(sighting, at: now - Self.patience)
        }
        defer { forgotten = [] }
        return forgotten.map { .gone(id: $0) }
            + entries.keys.sorted().compactMap { tick($0, at: now) }
    }

    /// Forgets everything.
    package mutating func clear() -> [DiscoveryEvent] {
        let told = entries.filter { $0.value.told != nil }.keys + forgotten
        forgotten = []
        entries = [:]
        ids = [:]
        return told.map { .gone(id: $0) }
    }

    private mutating func changed(_ id: String, at now: Milliseconds) {
        guard let entry = entries[id], entry.tellAt == nil else { return }
        entries[id]?.tellAt = now + Self.gathering
    }

    private mutating func tick(_ id: String, at now: Milliseconds) -> DiscoveryEvent? {
        guard let entry = entries[id] else { return nil }
        if let goneAt = entry.goneAt, goneAt <= now {
            entries[id] = nil
            return entry.told == nil ? nil : .gone(id: id)
        }
        guard let tellAt = entry.tellAt, tellAt <= now else { return nil }
        entries[id]?.tellAt = nil
        guard !entry.seen.isEmpty else { return nil }
        let service = service(id, entry)
        guard service != entry.told else { return nil }
        entries[id]?.told = service
        return service.map { .found($0) } ?? .gone(id: id)
    }

    /// The newest sighting under the leading name says what the service is, all under it where.
    private func service(_ id: String, _ entry: Entry) -> Service? {
        let name = leadingName(of: entry)
        let seen = entry.seen.filter { $0.key.name == name }
        guard let newest = seen.values.max(by: { $0.order < $1.order }),
            let record = TextRecord.read(newest.detail.text)
        else { return nil }
        let addresses = addresses(seen)
        // A service that says no address of this network cannot be reached, and may be a lure.
        guard let name, !addresses.isEmpty else { return nil }
        return Service(
            id: id, name: name, host: newest.detail.host, port: newest.detail.port,
            text: record.values, addresses: addresses.sorted(by: Self.precedes),
            isStale: seen.values.allSatisfy(\.isSilent))
    }

    /// Where a service can be tried.
    func addresses(_ seen: [Sighting: Seen]) -> Set<ServiceAddress> {
        Set(
            seen.compactMap { sighting, seen in
                ServiceAddress(
                    advertised: seen.detail.address, interface: sighting.interface,
                    port: seen.detail.port, in: networks)
            })
    }

    private static func precedes(_ a: ServiceAddress, _ b: ServiceAddress) -> Bool {
        if a.bytes.count != b.bytes.count { return a.bytes.count < b.bytes.count }
        if a.bytes != b.bytes { return a.bytes.lexicographicallyPrecedes(b.bytes) }
        return (a.scope, a.port) < (b.scope, b.port)
    }
}
