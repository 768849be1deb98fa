// SPDX-License-Identifier: MIT

/// Players, to be found by key or by what their names look like.
///
/// What a name looks like is worked out once for each: it is asked at every hello and every advert,
/// of all of them.
struct PeerIndex: Sendable {
    /// A name that a known player goes by.
    private struct Name: Sendable {
        let place: Int
        let name: String
        let look: NameLook
    }

    /// Everybody.
    let entries: [KnownPeers.Entry]
    private let places: [Fingerprint: Int]
    /// What the user calls a player before what it calls itself.
    private let names: [Name]
    /// The first letters of each player's key, as they look behind a name.
    private let tags: [UInt32]

    init(_ entries: [KnownPeers.Entry]) {
        self.entries = entries
        places = Dictionary(
            entries.enumerated().map { ($1.fingerprint, $0) },
            uniquingKeysWith: { first, _ in first })
        tags = entries.map { Self.packed(NameSkeleton($0.fingerprint.tag).text.utf8[...]) }
        names = entries.enumerated().filter(\.element.isKnown).flatMap { place, entry in
            [entry.petname, entry.name].compactMap { $0 }
                .map { Name(place: place, name: $0, look: NameLook($0)) }
        }
    }

    subscript(fingerprint: Fingerprint) -> KnownPeers.Entry? {
        places[fingerprint].map { entries[$0] }
    }

    /// The first player, in order, who goes by a name that is easily taken for this one, and that
    /// name. So is one that is shown with its key within this one.
    func first(
        like name: String, where isMeant: (KnownPeers.Entry) -> Bool
    ) -> (entry: KnownPeers.Entry, name: String)? {
        let look = NameLook(name)
        let parts = Self.parts(of: look.whole)
        let found = names.first { known in
            let isAlike =
                known.look.isLike(look)
                || parts.contains(tags[known.place]) && look.whole.contains(known.look.seen)
            return isAlike && isMeant(entries[known.place])
        }
        return found.map { (entries[$0.place], $0.name) }
    }

    /// Everything of two to four letters in a name: where two of a key look like one there are
    /// fewer than four.
    private static func parts(of name: NameSkeleton) -> Set<UInt32> {
        var parts: Set<UInt32> = []
        var rest = name.text.utf8[...]
        while !rest.isEmpty {
            for count in 2...4 { parts.insert(packed(rest.prefix(count))) }
            rest = rest.dropFirst()
        }
        return parts
    }

    /// Up to four bytes, none of which is 0, in one number.
    private static func packed(_ bytes: Substring.UTF8View) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
