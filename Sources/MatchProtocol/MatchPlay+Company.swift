// SPDX-License-Identifier: MIT

import SessionProtocol

/// Where the asking for the lost part of the own log is.
struct Refill: Sendable {
    /// How much the other side has.
    var head: LogHead
    /// Up to where it was asked for.
    var asked: UInt64
    /// Lines given back that refer to entries of the other log that are not here yet.
    var kept: [[UInt8]] = []
    /// Until when the next line must be here.
    var deadline: Instant

    /// How many lines answer one question.
    static let batch: UInt64 = 16
    /// How long to wait for a line, in milliseconds.
    static let patience: UInt64 = 10_000
}

/// Why a connection cannot be played over.
enum LinkFailure: Error {
    /// The other side broke the protocol.
    case malformed(Malformed)
    /// The two sides hold different entries under one number.
    case forked

    init(_ reason: String) { self = .malformed(Malformed(reason)) }
}

/// How company begins, and how a lost log comes back (`docs/protocol.md` §5.6).
extension MatchPlay {
    /// Whether this place is in the own log, or beyond it; `false` if the logs differ there.
    func agrees(have: UInt64, hash: [UInt8]?) -> Bool {
        guard have > 0, let mine = replay.head(of: you, at: have) else { return true }
        return mine.hash == hash
    }

    /// Whether the other side may be played with, by what it says it has of the own log. If it has
    /// less than it signed to have seen, and so has this side, what is missing cannot come back, and
    /// the next own entry would be a second one of its number.
    func mayMeet(have: UInt64, hash: [UInt8]?) -> Bool {
        agrees(have: have, hash: hash) && max(have, own.count) >= floor ?? 0
    }

    /// A connection is ready on which the other side said what it has of the own log.
    mutating func met(
        have: UInt64, hash: [UInt8]?, sent: UInt64, at now: Instant
    ) throws(LinkFailure) -> [Effect] {
        guard have < .max else { throw LinkFailure("So many entries there are not.") }
        guard mayMeet(have: have, hash: hash), have == 0 || hash != nil else { throw .forked }
        let isUntold = isTimed
        part()
        // Beyond the own log there is nothing to compare with: what is here may be another log.
        if have <= own.count { confirm(have) }
        let unsent = replay.logs[you].dropFirst(Int(clamping: max(sent, have)))
        let packets = unsent.map { Effect.sendPacket($0.line) }
        guard have > own.count else { return try packets + begin() }
        link = .refilling(
            Refill(
                head: LogHead(count: have, hash: hash ?? []), asked: own.count,
                deadline: now.advanced(milliseconds: Refill.patience)))
        // The clock stands from here on, of which the player must know.
        return packets + (isUntold ? [.tell(.apart(nil))] : []) + ask(at: now)
    }

    /// Whether something of the own log is still coming back.
    var isRefilling: Bool {
        if case .refilling = link { true } else { false }
    }

    /// The connection is gone.
    mutating func part() {
        link = .apart
        isBetween = false
        arrived = []
        lastLost = nil
    }

    /// Takes a packet of the other side.
    mutating func received(
        _ line: [UInt8], number: UInt64, at now: Instant
    ) throws(LinkFailure) -> [Effect] {
        if case .apart = link { return [] }
        if let mine = replay.head(of: you.other, at: number) {
            guard number > 0 else { throw LinkFailure("There is no packet 0.") }
            return try repeated(line, as: mine)
        }
        if arrived.contains(where: { $0.number == number && $0.line == line }) { return [] }
        guard number == theirs.count + UInt64(arrived.count) + 1 else {
            throw LinkFailure("The entry is not the next of its log.")
        }
        arrived.append((number, line))
        return try drain(at: now)
    }

    /// Takes that the other side has stored so many own entries.
    mutating func had(count: UInt64, hash: [UInt8]?) throws(LinkFailure) -> [Effect] {
        if case .apart = link { return [] }
        guard count <= own.count else { throw LinkFailure("What was not sent cannot be had.") }
        guard hash == nil || agrees(have: count, hash: hash) else {
            throw LinkFailure("The other side has another log than was sent.")
        }
        confirm(count)
        return tell()
    }

    /// Takes a note of the other side.
    mutating func received(note bytes: [UInt8], at now: Instant) throws(LinkFailure) -> [Effect] {
        if case .apart = link { return [] }
        switch try LinkFailure.of({ () throws(Malformed) in try MatchNote(bytes) }) {
        case .lost(let count): return try giveBack(after: count)
        case .kept(let line): return try receive(kept: line, at: now)
        case .challenge, .unknownChallenge, .accept, .decline, .reveal, .cancel:
            throw LinkFailure("The fair start is over.")
        }
    }

}

extension MatchPlay {
    /// Company begins: what waited for it is done.
    private mutating func begin() throws(LinkFailure) -> [Effect] {
        link = .company
        let effects = [.tell(.together)] + tell()
        do throws(WriteFailure) {
            return try effects + settle() + signDrafts()
        } catch {
            return effects + Self.unsigned
        }
    }

    /// Takes whatever is here in an order in which everything stands after what it refers to.
    private mutating func drain(at now: Instant) throws(LinkFailure) -> [Effect] {
        var effects: [Effect] = []
        while true {
            if let line = nextKept {
                effects += try store(kept: line, at: now)
            } else if let next = arrived.first, try isDue(next.line) {
                arrived.removeFirst()
                effects += try store(next.line)
            } else {
                return effects + ask(at: now)
            }
            if case .refilling(var refill) = link {
                refill.deadline = now.advanced(milliseconds: Refill.patience)
                link = .refilling(refill)
            }
        }
    }

    /// Whether what the entry refers to is here, or will not come.
    private func isDue(_ line: [UInt8]) throws(LinkFailure) -> Bool {
        guard case .refilling(let refill) = link else { return true }
        let entry = try LinkFailure.of { () throws(Malformed) in try Entry(line: line) }
        return entry.seen.count <= own.count || entry.seen.count > refill.head.count
    }

    private mutating func store(_ line: [UInt8]) throws(LinkFailure) -> [Effect] {
        let entry = try LinkFailure.of { () throws(Malformed) in try Entry(line: line) }
        guard entry.seat == you.other, entry.number == theirs.count + 1 else {
            throw LinkFailure("The entry is not the next of its log.")
        }
        try checkSigned(entry)
        // Signed, and yet made in another log than is here.
        guard entry.previous == theirs.hash, agrees(have: entry.seen.count, hash: entry.seen.hash)
        else { throw .forked }
        let opened: [Effect]
        do throws(WriteFailure) {
            opened = try open(before: entry)
        } catch {
            return Self.unsigned
        }
        do throws(Malformed) {
            try add(entry, signed: true, isNew: true)
        } catch {
            throw .malformed(error)
        }
        let stored: [Effect] = [
            .store(entry: line, by: you.other, number: entry.number),
            .acknowledge(through: entry.number, hash: theirs.hash),
        ]
        do throws(WriteFailure) {
            return try opened + stored + tell() + settle()
        } catch {
            return opened + stored + Self.unsigned
        }
    }

    /// A journal begins with the own `open`, and a host's only once the joiner's is there: so whoever
    /// keeps a match as its host knows that the joiner does too.
    private mutating func open(before entry: Entry) throws(WriteFailure) -> [Effect] {
        guard !isKept, case .company = link, case .open = entry.body else { return [] }
        return try append(.open(terms.opening))
    }

    /// An entry that is here already comes again, perhaps over another connection.
    private func repeated(_ line: [UInt8], as mine: LogHead) throws(LinkFailure) -> [Effect] {
        let stored = replay.logs[you.other][Int(clamping: mine.count) - 1].line
        if stored == line { return [.acknowledge(through: theirs.count, hash: theirs.hash)] }
        let entry = try LinkFailure.of { () throws(Malformed) in try Entry(line: line) }
        guard entry.seat == you.other, entry.number == mine.count else {
            throw LinkFailure("The entry is not the next of its log.")
        }
        try checkSigned(entry)
        throw .forked
    }

    private func checkSigned(_ entry: Entry) throws(LinkFailure) {
        let key = terms.opening.keys[entry.seat]
        guard entry.isSigned(by: key, cryptography: cryptography) else {
            throw LinkFailure("The signature is wrong.")
        }
    }
}

/// The lost part of a log.
extension MatchPlay {
    private mutating func ask(at now: Instant) -> [Effect] {
        guard case .refilling(var refill) = link, refill.kept.isEmpty else { return [] }
        let count = own.count
        guard count == refill.asked, count < refill.head.count else { return [] }
        refill.asked = min(count + min(Refill.batch, refill.head.count - count), refill.head.count)
        refill.deadline = now.advanced(milliseconds: Refill.patience)
        link = .refilling(refill)
        return [.sendNote(MatchNote.lost(count: count).bytes)]
    }

    private mutating func giveBack(after count: UInt64) throws(LinkFailure) -> [Effect] {
        guard count < theirs.count, lastLost.map({ $0 < count }) ?? true else {
            throw LinkFailure("Nothing of this log was lost.")
        }
        lastLost = count
        let lines = replay.logs[you.other].dropFirst(Int(clamping: count))
        let kept = lines.prefix(Int(Refill.batch)).map { MatchNote.kept(line: $0.line) }
        return kept.map { .sendNote($0.bytes) }
    }

    private mutating func receive(
        kept line: [UInt8], at now: Instant
    ) throws(LinkFailure) -> [Effect] {
        guard case .refilling(var refill) = link,
            own.count + UInt64(refill.kept.count) < refill.asked
        else { throw LinkFailure("This was not asked for.") }
        refill.kept.append(line)
        refill.deadline = now.advanced(milliseconds: Refill.patience)
        link = .refilling(refill)
        return try drain(at: now)
    }

    /// The next line given back, once what it refers to is here.
    private var nextKept: [UInt8]? {
        guard case .refilling(let refill) = link, let line = refill.kept.first else { return nil }
        let entry = try? Entry(line: line)
        return entry.map { $0.seen.count <= theirs.count } ?? true ? line : nil
    }

    private mutating func store(
        kept line: [UInt8], at now: Instant
    ) throws(LinkFailure) -> [Effect] {
        guard case .refilling(var refill) = link else { return [] }
        let entry = try LinkFailure.of { () throws(Malformed) in try Entry(line: line) }
        guard entry.seat == you, entry.number == own.count + 1 else {
            throw LinkFailure("This is not of the own log.")
        }
        try checkSigned(entry)
        // Signed with the own key, and yet not what follows what is here.
        guard entry.previous == own.hash,
            replay.head(of: you.other, at: entry.seen.count) == entry.seen
        else { throw .forked }
        do throws(Malformed) {
            try add(entry, signed: true)
        } catch {
            throw .malformed(error)
        }
        refill.kept.removeFirst()
        link = .refilling(refill)
        confirm(entry.number)
        let stored = [Effect.store(entry: line, by: you, number: entry.number)] + tell()
        guard own.count == refill.head.count else { return stored }
        guard own == refill.head else { throw .forked }
        return try stored + begin()
    }
}

extension LinkFailure {
    /// Makes the error of a reader one of the connection.
    static func of<Value>(
        _ body: () throws(Malformed) -> Value
    ) throws(LinkFailure) -> Value {
        do throws(Malformed) {
            return try body()
        } catch {
            throw .malformed(error)
        }
    }
}
