// SPDX-License-Identifier: MIT

import MatchProtocol

/// Which of the hints where the two sides are go into the journal of a match.
///
/// The other side chooses what they say and how often they change, so that without a bound it
/// could fill the disk here all by itself.
struct LinkNotes {
    /// How many one process writes besides the last: more than a player has networks. When the
    /// journal is opened again one of them is left.
    static let most = 64

    private var written: LinkHint?
    private var count = 0

    /// Begins with what is in the journal.
    init(written: LinkHint? = nil) { self.written = written }

    /// Whether the hint is to be written, which is then taken for done: at the end, or if there is
    /// room, and only if it says something new.
    mutating func take(_ hint: LinkHint, isLast: Bool = false) -> Bool {
        guard hint != written, isLast || count < Self.most else { return false }
        written = hint
        count += 1
        return true
    }
}
