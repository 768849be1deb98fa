// SPDX-License-Identifier: MIT

/// The two logs of a match and what they mean: writes, checks, resolves and tells.
///
/// It is a function of the two logs and of which own entries the other side has confirmed. Signing
/// is deterministic, so writing the bodies of a stored log again, each once the other log is
/// received as far as it had been seen, makes the same value and the same bytes.
struct MatchPlay<G: Game>: Sendable {
    typealias Effect = MatchEngine<G>.Effect

    /// An own entry that the other player's entries do not refer to yet.
    private struct Written: Sendable {
        var head: LogHead
        var body: EntryBody
        var knew: UInt32?
    }

    /// An event that waits until the other side has stored own entry number `after`.
    private struct Untold: Sendable {
        var event: MatchEvent<G>
        var after: UInt64
    }

    let terms: MatchTerms
    /// What is known here.
    private(set) var here: MatchView<G>
    /// What the other player knew when it wrote its last entry.
    private(set) var there: MatchView<G>
    /// The own log.
    private(set) var own = LogHead.start
    /// The other log.
    private(set) var theirs = LogHead.start
    private var seen = LogHead.start
    private var unseen: [Written] = []
    private var confirmed: UInt64 = 0
    private var untold: [Untold] = []

    private var you: Seat { terms.you }
    private var cryptography: any Cryptography { terms.cryptography }

    /// Begins with two empty logs.
    init(terms: MatchTerms) {
        self.terms = terms
        here = MatchView(terms: terms)
        there = here
    }

    /// Writes an own entry and whatever the rules make follow from it.
    mutating func write(_ body: EntryBody) throws(WriteFailure) -> [Effect] {
        try append(body) + tell() + settle()
    }

    /// Takes the other side's entry: nothing changes unless all of it is right.
    mutating func receive(_ line: [UInt8], number: UInt64) throws(Malformed) -> [Effect] {
        let entry = try Entry(line: line)
        guard entry.seat == you.other, entry.number == number, number == theirs.count + 1,
            entry.previous == theirs.hash
        else { throw Malformed("The entry is not the next of its log.") }
        // Nothing before what had been seen already is found, so SEEN cannot fall.
        guard let index = index(of: entry.seen) else {
            throw Malformed("The entry refers to what was not sent.")
        }
        guard entry.isSigned(by: terms.opening.keys[you.other], cryptography: cryptography) else {
            throw Malformed("The signature is wrong.")
        }
        let events = try resolve(entry, sawUnseen: index)
        theirs = LogHead(count: number, hash: entry.hash(cryptography))
        seen = entry.seen
        unseen.removeFirst(index)
        confirmed = max(confirmed, seen.count)
        // A move of ours that this one completes must be on the other disk too.
        let ownMove = events.contains { $0.isMove(by: here.game.map { you.inGame($0.number) }) }
        untold += events.map { Untold(event: $0, after: ownMove ? own.count : 0) }
        return [
            .store(entry: line, by: you.other, number: number),
            .acknowledge(through: number, hash: theirs.hash),
        ] + tell() + (try settleReceived())
    }

    /// Takes that the other side has stored so many own entries.
    mutating func had(count: UInt64, hash: [UInt8]?) throws(Malformed) -> [Effect] {
        guard count <= own.count else { throw Malformed("What was not sent cannot be had.") }
        if let hash, count >= seen.count, index(of: LogHead(count: count, hash: hash)) == nil {
            throw Malformed("The other side has another log than was sent.")
        }
        confirmed = max(confirmed, count)
        return tell()
    }

    /// What the player is told of a game that cannot go on.
    func abandoned() -> [Effect] {
        guard let game = here.game, !game.isClosed, !untold.contains(where: \.event.isStart) else {
            return []
        }
        if untold.isEmpty, game.hasEnded(you), let ending = game.ending {
            // Both sides know the result; only the other's signature under it is missing.
            let score = here.score(with: ending)
            return [.tell(.over(game.result(ending), score: score, position: game.position))]
        }
        let aborted = GameResult(nil, termination: "abort")
        return [.tell(.over(aborted, score: here.score(), position: game.position))]
    }
}

extension MatchPlay {
    private mutating func append(_ body: EntryBody) throws(WriteFailure) -> [Effect] {
        var next = here
        let number = own.count + 1
        let events: [MatchEvent<G>]
        do throws(Refused) {
            try next.check(body, by: you)
            events = try next.applyOwn(body, number: number, by: you)
        } catch {
            throw .refused(error)
        }
        guard
            let entry = Entry(
                after: own, by: you, seen: theirs, body, cryptography: cryptography)
        else { throw .unsigned }
        here = next
        own = LogHead(count: number, hash: entry.hash(cryptography))
        unseen.append(Written(head: own, body: body, knew: next.gameOver))
        // The end of a game is agreed once both logs hold it here; all else once it is there too.
        untold += events.map { Untold(event: $0, after: $0.isOver ? 0 : number) }
        return [.store(entry: entry.line, by: you, number: number), .sendPacket(entry.line)]
    }

    /// Writes what the rules make this player write.
    private mutating func settle() throws(WriteFailure) -> [Effect] {
        var effects: [Effect] = []
        while let body = here.owed(by: you) {
            effects += try append(body) + tell()
        }
        return effects
    }

    private mutating func settleReceived() throws(Malformed) -> [Effect] {
        do throws(WriteFailure) {
            return try settle()
        } catch {
            return Self.unsigned
        }
    }

    /// Judges an entry by what its author knew, then joins it to what is known here.
    private mutating func resolve(
        _ entry: Entry, sawUnseen count: Int
    ) throws(Malformed) -> [MatchEvent<G>] {
        var there = there
        var here = here
        do throws(Refused) {
            for written in unseen.prefix(count) {
                _ = try there.apply(
                    written.body, number: written.head.count, by: you, knew: written.knew)
            }
            try there.check(entry.body, by: you.other)
            _ = try there.applyOwn(entry.body, number: entry.number, by: you.other)
            let events = try here.apply(
                entry.body, number: entry.number, by: you.other, knew: there.gameOver)
            (self.there, self.here) = (there, here)
            return events
        } catch {
            throw Malformed(error.reason)
        }
    }

    /// How many of the unseen entries lie before a place in the own log; `nil` if there is no
    /// such place.
    private func index(of head: LogHead) -> Int? {
        if head == seen { return 0 }
        return unseen.firstIndex { $0.head == head }.map { $0 + 1 }
    }

    private mutating func tell() -> [Effect] {
        let ready = untold.prefix { $0.after <= confirmed }
        untold.removeFirst(ready.count)
        return ready.map(\.event).filter { !isStale($0) }.map(Effect.tell)
    }

    /// Whose turn it is matters no more once the game is over.
    private func isStale(_ event: MatchEvent<G>) -> Bool {
        if case .turn = event { return here.gameOver != nil }
        return false
    }
}

extension MatchEvent {
    fileprivate var isOver: Bool { if case .over = self { true } else { false } }

    fileprivate var isStart: Bool { if case .started = self { true } else { false } }

    fileprivate func isMove(by seat: Seat?) -> Bool {
        if case .moved(_, let author, _, _) = self { author == seat } else { false }
    }
}
