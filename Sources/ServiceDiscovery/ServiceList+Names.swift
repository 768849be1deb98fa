// SPDX-License-Identifier: MIT

import ResponderProtocol

/// A service that is seen under several names. That happens for a moment when it is renamed; for
/// longer only if somebody else advertises its id, which anybody can copy.
///
/// One name leads, and what is seen under the others counts for nothing. So a copy neither changes
/// what a game is said to be nor leads dials away from it, and if it came first, the first dial
/// finds that out and the next name leads.
extension ServiceList {
    /// The most names that one address gives a service.
    static let namesAtOneAddress = 2

    /// Of the names at which somebody answers, the one that was seen first.
    func leadingName(of entry: Entry) -> String? {
        entry.seen.min {
            let (a, b) = ($0.value, $1.value)
            return a.isSilent == b.isSilent ? a.since < b.since : b.isSilent
        }?.key.name
    }

    /// Makes room for a sighting of a service; `false` if there is none for it.
    mutating func makeRoom(for sighting: Sighting, at address: [UInt8], in id: String) -> Bool {
        guard let seen = entries[id]?.seen else { return true }
        let names = seen.count {
            $0.key.interface == sighting.interface && $0.key.family == sighting.family
                && $0.value.detail.address == address
        }
        guard names < Self.namesAtOneAddress else { return false }
        if seen.count < Self.sightingsPerService { return true }
        guard let useless = seen.filter(\.value.isSilent).max(by: isEarlier)?.key else {
            return false
        }
        entries[id]?.seen[useless] = nil
        ids[useless] = nil
        unlisted.append(useless)
        return true
    }

    private func isEarlier(
        _ a: (key: Sighting, value: Seen), _ b: (key: Sighting, value: Seen)
    ) -> Bool { a.value.since < b.value.since }
}
