// SPDX-License-Identifier: MIT

import SessionProtocol

/// What is known of an address, the worst first.
enum Repute: Int, Comparable, Sendable {
    /// It has something to serve.
    case suspect
    case unknown
    /// Somebody was let in from there not long ago.
    case good

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Some few who wait, and who has to go when another comes.
///
/// A crowd of hostile connections cannot keep an honest peer out: where there is no room a newcomer
/// takes the place of another, unless its own address has enough. Who has to go is one of the older
/// half, so that every newcomer stays for as many arrivals as half the crowd; and of these it is
/// drawn by lot among those that look worst: from an address of worse repute before others, from one
/// with many connections before one with few, one that has sent nothing before one that has.
///
/// Where all of them have said something and are alone from their address, each may stay for the
/// time that a handshake takes. A newcomer then has to come again, unless its address is of good
/// repute: of many that push each other out none would get anywhere.
struct Crowd: Sendable {
    /// What tells two that wait apart.
    typealias Ticket = Int

    /// What came of an arrival.
    enum Verdict: Sendable, Equatable {
        case turnedAway
        /// Somebody else may have to go instead.
        case admitted(dropping: Ticket?)
    }

    private struct Member {
        var ticket: Ticket
        var source: AddressGroup
        var since: Instant
        var hasSpoken = false
    }

    /// How bad a member looks; the larger, the worse.
    private struct Looks: Comparable {
        var repute: Repute
        var fromThere: Int
        var isSilent: Bool

        static func < (a: Self, b: Self) -> Bool {
            if a.repute != b.repute { return a.repute > b.repute }
            if a.fromThere != b.fromThere { return a.fromThere < b.fromThere }
            return !a.isSilent && b.isSilent
        }
    }

    private let most: Int
    private let mostFromOne: Int
    /// From so many on one that has waited this long may have to go early.
    private let atEase: Int
    private let patience: UInt64
    /// How long somebody alone from its address who has spoken stays for sure, in milliseconds.
    private let stay: UInt64
    private var members: [Member] = []
    private var chance: SeededGenerator

    /// Makes an empty crowd of `most` at most, `mostFromOne` from one address.
    init(
        most: Int, mostFromOne: Int, atEase: Int, patience: UInt64, stay: UInt64, seed: UInt64
    ) {
        self.most = most
        self.mostFromOne = mostFromOne
        self.atEase = atEase
        self.patience = patience
        self.stay = stay
        chance = SeededGenerator(state: seed)
    }

    /// How many wait.
    var count: Int { members.count }

    /// Takes somebody in, if its address has not enough already.
    mutating func arrive(
        _ ticket: Ticket, from source: AddressGroup, at now: Instant,
        repute: (AddressGroup) -> Repute
    ) -> Verdict {
        guard most > 0, members.count(where: { $0.source == source }) < mostFromOne else {
            return .turnedAway
        }
        var dropped: Ticket?
        if members.count >= most {
            let isWelcome = repute(source) == .good
            dropped = drop(members, sparingAt: isWelcome ? nil : now, repute: repute)
            guard dropped != nil else { return .turnedAway }
        } else if members.count >= atEase, Int.random(in: atEase..<most, using: &chance) < count {
            dropped = drop(
                members.filter { $0.since.advanced(milliseconds: patience) <= now },
                repute: repute)
        }
        members.append(Member(ticket: ticket, source: source, since: now))
        return .admitted(dropping: dropped)
    }

    /// Takes that somebody has sent something.
    mutating func spoke(_ ticket: Ticket) {
        guard let index = members.firstIndex(where: { $0.ticket == ticket }) else { return }
        members[index].hasSpoken = true
    }

    /// Takes that somebody waits no longer.
    mutating func leave(_ ticket: Ticket) {
        members.removeAll { $0.ticket == ticket }
    }

    /// Whose turn it is to go because there is no room for anybody else; it is counted no more.
    mutating func makeRoom(repute: (AddressGroup) -> Repute) -> Ticket? {
        drop(members, repute: repute)
    }

    /// Draws one of `candidates`, which are in the order of their arrival; with a time none that may
    /// stay for sure until then.
    private mutating func drop(
        _ candidates: [Member], sparingAt now: Instant? = nil, repute: (AddressGroup) -> Repute
    ) -> Ticket? {
        let older = candidates.prefix((candidates.count + 1) / 2)
        let looks = older.map { member in
            Looks(
                repute: repute(member.source),
                fromThere: members.count { $0.source == member.source },
                isSilent: !member.hasSpoken)
        }
        let open = zip(older, looks).filter { member, looks in
            let isFair = looks.repute == .unknown && looks.fromThere == 1 && !looks.isSilent
            guard let now, isFair || looks.repute == .good else { return true }
            return member.since.advanced(milliseconds: stay) <= now
        }
        guard let worst = open.map(\.1).max() else { return nil }
        let drawn = open.filter { $0.1 == worst }
        guard let ticket = drawn.randomElement(using: &chance)?.0.ticket else { return nil }
        leave(ticket)
        return ticket
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): enough to draw lots with, and the same from the same seed.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
