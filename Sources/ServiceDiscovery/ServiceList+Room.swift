// SPDX-License-Identifier: MIT

import ResponderProtocol

/// Says which known peer a service with this TXT record seems to be, if any.
package typealias KnownAs = @Sendable ([String: [UInt8]]) -> String?

/// Who is listed when there are more services than the list takes: a flood must not hide games.
///
/// Those seen first stay, but for these: a service of a known peer takes the place of one of
/// nobody's, one that can be reached that of one that cannot, and one at an address with few
/// services that of one at the address with the most.
extension ServiceList {
    /// The known peer that a record seems to be of, unless there are enough of those already.
    func peer(of record: [String: [UInt8]]) -> String? {
        guard let peer = knownAs(record),
            entries.values.count(where: { $0.peer == peer }) < Self.servicesOfOnePeer
        else { return nil }
        return peer
    }

    /// Makes room for a service that is not listed yet; `false` if there is none for it.
    mutating func makeRoom(for detail: Detail, _ record: [String: [UInt8]]) -> Bool {
        let isKnown = peer(of: record) != nil
        var counts: [[UInt8]: Int] = [:]
        for entry in entries.values where entry.peer == nil {
            counts[entry.source, default: 0] += 1
        }
        let atThisAddress = counts[detail.address] ?? 0
        guard isKnown || atThisAddress < Self.servicesAtOneAddress else { return false }
        guard entries.count >= Self.capacity else { return true }
        let others = entries.filter { $0.value.peer == nil }
        if let useless = others.first(where: { addresses($0.value.seen).isEmpty }) {
            forget(useless.key)
            return true
        }
        let most = counts.values.max() ?? 0
        // Of those at the address with the most, the newest.
        let last = others.filter { counts[$0.value.source] == most }
            .max { $0.value.order < $1.value.order }
        guard isKnown || most > atThisAddress + 1, let last else { return false }
        forget(last.key)
        return true
    }

    /// Lists a service no longer.
    private mutating func forget(_ id: String) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        for sighting in entry.seen.keys {
            ids[sighting] = nil
            unlisted.append(sighting)
        }
        if entry.told != nil { forgotten.append(id) }
    }
}
