// SPDX-License-Identifier: MIT

import SessionProtocol

/// Who came to the board before and made nothing of it, and when it may come again.
///
/// A question takes a person's attention, and costs who asks it nothing. So whoever comes and goes
/// without a game waits before it may come again, longer each time; whom the player declined is not
/// asked about again for a while; and after a question that went away there is a moment of rest, so
/// that a person can read the next. What counts is the key, and the place as well, since keys cost
/// nothing. A value; it is told the time.
struct Askers: Sendable {
    /// For how long after the player said no the same key is refused, in milliseconds.
    static let declined: UInt64 = 300_000
    /// How long nobody is asked about after a question that nobody answered, in milliseconds.
    static let rest: UInt64 = 1_000
    /// The wait after the second time in a row, doubled each time; the first is free, for an honest
    /// connection may break. In milliseconds.
    static let firstWait: UInt64 = 2_000
    static let longestWait: UInt64 = 60_000
    /// How long after its wait somebody is remembered, in milliseconds.
    static let memory: UInt64 = 120_000
    /// How many keys and places are remembered; beyond that, who is forgotten next anyway goes.
    static let most = 256

    /// When somebody may come.
    enum Verdict: Sendable, Equatable {
        case from(Instant)
        /// The player has said no.
        case declined
    }

    private struct Record: Sendable {
        var who: [UInt8]
        var count = 0
        var notBefore: Instant
        var isDeclined = false
        var forgottenAt: Instant
    }

    private var records: [Record] = []
    private var restUntil = Instant(nanoseconds: 0)

    /// How many are remembered.
    var count: Int { records.count }

    /// When the caller may be let to the board.
    func verdict(on caller: Lobby.Caller, at now: Instant) -> Verdict {
        let isDeclined = records(of: caller, at: now).contains { $0.isDeclined }
        return isDeclined ? .declined : .from(notBefore(caller))
    }

    /// When its turn comes at the earliest.
    func notBefore(_ caller: Lobby.Caller) -> Instant {
        let marks = caller.marks
        return records.filter { marks.contains($0.who) }.map(\.notBefore).reduce(restUntil, max)
    }

    /// How often the caller, or somebody at its place, came to nothing.
    func misses(of caller: Lobby.Caller, at now: Instant) -> Int {
        records(of: caller, at: now).map(\.count).max() ?? 0
    }

    /// Takes that the caller left the board without a game, or was not answered.
    mutating func cameToNothing(_ caller: Lobby.Caller, wasAsked: Bool, at now: Instant) {
        for who in caller.marks { miss(who, at: now) }
        if wasAsked { restUntil = now.advanced(milliseconds: Self.rest) }
    }

    /// Takes that the player said no to the caller. That others at its place may have to wait keeps
    /// one who makes up keys from asking with each.
    mutating func decline(_ caller: Lobby.Caller, at now: Instant) {
        for who in caller.marks where who != caller.key { miss(who, at: now) }
        records.removeAll { $0.who == caller.key }
        let end = now.advanced(milliseconds: Self.declined)
        keep(Record(who: caller.key, notBefore: end, isDeclined: true, forgottenAt: end), at: now)
    }

    private func records(of caller: Lobby.Caller, at now: Instant) -> [Record] {
        let marks = caller.marks
        return records.filter { marks.contains($0.who) && $0.forgottenAt > now }
    }

    private mutating func miss(_ who: [UInt8], at now: Instant) {
        let before = records.first { $0.who == who && $0.forgottenAt > now }
        let count = min((before?.count ?? 0) + 1, 16)
        let wait = count < 2 ? 0 : min(Self.firstWait << UInt64(count - 2), Self.longestWait)
        let end = now.advanced(milliseconds: wait)
        records.removeAll { $0.who == who }
        keep(
            Record(
                who: who, count: count, notBefore: end,
                forgottenAt: end.advanced(milliseconds: Self.memory)), at: now)
    }

    private mutating func keep(_ record: Record, at now: Instant) {
        records.removeAll { $0.forgottenAt <= now }
        records.append(record)
        guard records.count > Self.most,
            let next = records.indices.min(by: {
                records[$0].forgottenAt < records[$1].forgottenAt
            })
        else { return }
        records.remove(at: next)
    }
}
