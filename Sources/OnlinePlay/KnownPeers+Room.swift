// SPDX-License-Identifier: MIT

extension KnownPeers {
    /// Without those whom there is no room for beside this player: the user has not named or blocked
    /// them, and they were met longest ago.
    static func withRoom(_ entries: [Entry], for spared: Fingerprint) -> [Entry] {
        func size(_ entry: Entry) -> Int { lines(entry).reduce(0) { $0 + $1.utf8.count } }
        var (count, bytes) = (entries.count, entries.reduce(0) { $0 + size($1) })
        guard count > most || bytes > longest else { return entries }
        var forgotten: Set<Fingerprint> = []
        let strangers = entries.filter {
            $0.petname == nil && !$0.isBlocked && $0.fingerprint != spared
        }
        for stranger in strangers.sorted(by: { $0.lastSeen < $1.lastSeen }) {
            guard count > most || bytes > longest else { break }
            forgotten.insert(stranger.fingerprint)
            (count, bytes) = (count - 1, bytes - size(stranger))
        }
        return entries.filter { !forgotten.contains($0.fingerprint) }
    }
}
