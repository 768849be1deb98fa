// SPDX-License-Identifier: MIT

/// The two logs of a match, judged entry by entry without taking either side.
///
/// Entries come in any order in which each stands after what its author had seen. Every entry is
/// judged by what its author knew, with the rules that also the engine uses, and nothing has to
/// be signed: so a journal is opened and a record is verified.
struct MatchReplay<G: Game>: Sendable {
    /// An entry in its log.
    struct Written: Sendable {
        var head: LogHead
        var body: EntryBody
        /// The game of which its author knew that it is over.
        var knew: UInt32?
    }

    /// What the match is played on; its events speak to the player `terms.you`.
    let terms: MatchTerms
    /// What somebody knows who has seen all entries.
    private(set) var joint: MatchView<G>
    /// What each player knew when it wrote its last entry.
    private(set) var authors: PerSeat<MatchView<G>>
    /// Each player's log.
    private(set) var logs = PerSeat<[Written]>(both: [])
    /// How many entries of the other log each player had seen with its last entry.
    private(set) var seen = PerSeat(both: 0)

    /// Begins with two empty logs.
    init(terms: MatchTerms) {
        self.terms = terms
        joint = MatchView(terms: terms)
        authors = PerSeat(both: joint)
    }

    /// Where a player's log ends.
    func head(of player: Seat) -> LogHead { logs[player].last?.head ?? .start }

    /// Adds an entry, or throws and changes nothing; says what it is to be told of it.
    mutating func add(_ entry: Entry) throws(Malformed) -> [MatchEvent<G>] {
        let author = entry.seat
        let end = head(of: author)
        guard end.count < .max, entry.number == end.count + 1, entry.previous == end.hash else {
            throw Malformed("The entry is not the next of its log.")
        }
        guard let count = place(of: entry.seen, in: author.other), count >= seen[author] else {
            throw Malformed("The entry refers to what is not in the other log.")
        }
        guard entry.isSigned(by: terms.opening.keys[author], cryptography: terms.cryptography)
        else { throw Malformed("The signature is wrong.") }
        return try resolve(entry, saw: count)
    }

    private mutating func resolve(
        _ entry: Entry, saw count: Int
    ) throws(Malformed) -> [MatchEvent<G>] {
        let author = entry.seat
        var view = authors[author]
        var joint = joint
        do throws(Refused) {
            for written in logs[author.other][seen[author]..<count] {
                _ = try view.apply(
                    written.body, number: written.head.count, by: author.other,
                    knew: written.knew)
            }
            try view.check(entry.body, by: author)
            _ = try view.applyOwn(entry.body, number: entry.number, by: author)
            let events = try joint.apply(
                entry.body, number: entry.number, by: author, knew: view.gameOver)
            self.joint = joint
            authors[author] = view
            seen[author] = count
            let head = LogHead(count: entry.number, hash: entry.hash(terms.cryptography))
            logs[author].append(Written(head: head, body: entry.body, knew: view.gameOver))
            return events
        } catch {
            throw Malformed(error.reason)
        }
    }

    /// How many entries of a log lie up to a place; `nil` if there is no such place.
    private func place(of head: LogHead, in player: Seat) -> Int? {
        if head == .start { return 0 }
        guard let index = Int(exactly: head.count), (1...).contains(index),
            index <= logs[player].count, logs[player][index - 1].head == head
        else { return nil }
        return index
    }
}
