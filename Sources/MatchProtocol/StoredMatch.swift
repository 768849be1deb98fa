// SPDX-License-Identifier: MIT

/// What a journal holds of a match: all that an engine needs to go on with it.
///
/// Every entry has been checked as if it had just arrived: signature, numbers, hashes and rules.
package struct StoredMatch: Sendable, Equatable {
    /// The own seat in the match.
    package let seat: Seat
    /// What both players pinned: match id, keys, rules, options, and the fair start. The name is
    /// that of the author of the first entry in the journal.
    package let opening: Opening
    /// The entries of both logs, in the order in which they were stored. An entry comes after
    /// everything its author had seen; an own one may have seen less than stands before it, if the
    /// own log was lost and given back by the other side. A log may be empty, even both, if the
    /// file was damaged: the other side gives back what is missing.
    package var entries: [Entry]
    /// Own entries that were wished for and are not signed yet, in order; at most ``mostDrafts``.
    package var drafts: [EntryBody]
    /// The last hint for finding the other side.
    package var link: LinkHint?
    /// How often the journal was opened to go on; going round.
    package var run: UInt16 = 0
    /// Set once the file was damaged: how many own entries the other side has had by what it signed,
    /// also in entries that are lost. The own log is not whole as long as it has fewer.
    package var floor: UInt64?

    /// How many drafts may wait: fifty texts, and whatever moves a game lets one player make in a
    /// row.
    package static let mostDrafts = 256

    /// Makes the value.
    package init(
        seat: Seat, opening: Opening, entries: [Entry], drafts: [EntryBody] = [],
        link: LinkHint? = nil, floor: UInt64? = nil
    ) {
        self.seat = seat
        self.opening = opening
        self.entries = entries
        self.drafts = drafts
        self.link = link
        self.floor = floor
    }

    /// The match id: 16 bytes.
    package var match: [UInt8] { opening.match }
    /// The raw public key of the other player.
    package var opponentKey: [UInt8] { opening.keys[seat.other] }
    /// The rules of the match.
    package var rules: RulesID { opening.rules }

    /// The name that a player used, if its `open` is stored.
    package func name(of player: Seat) -> String? {
        for entry in entries where entry.seat == player {
            if case .open(let opening) = entry.body { return opening.name }
        }
        return nil
    }

    /// A log by its author.
    package func log(of player: Seat) -> [Entry] { entries.filter { $0.seat == player } }
}

/// Where the two sides of a match were last: helps to meet again, proves nothing.
package struct LinkHint: Sendable, Equatable {
    /// The port on which this side listened.
    package var port: UInt16
    /// Where the other side was reached or heard from, the best first: at most ``most``, each of
    /// 1 to ``longest`` bytes.
    package var addresses: [String]

    /// The most addresses that are kept.
    package static let most = 16
    /// The longest address, in bytes.
    package static let longest = 128

    /// Makes a hint; addresses beyond the limits are left out.
    package init(port: UInt16, addresses: [String]) {
        self.port = port
        self.addresses = Array(
            addresses.filter { (1...Self.longest).contains($0.utf8.count) }.prefix(Self.most))
    }
}
