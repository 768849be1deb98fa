// SPDX-License-Identifier: MIT

import SessionProtocol

/// Keeps those few who have not been let in yet: strangers, who have not said hello, and visitors,
/// who have. A value; it is told the time and draws lots from a seed.
struct Admission: Sendable {
    typealias Ticket = Crowd.Ticket

    private var strangers: Crowd
    private var visitors: Crowd
    private(set) var penalties: PenaltyBook
    private var sources: [Ticket: AddressGroup] = [:]
    private var nextTicket: Ticket = 1

    init(_ limits: OnlineLimits, seed: UInt64) {
        strangers = Crowd(
            most: limits.strangers, mostFromOne: limits.strangersPerAddress,
            atEase: limits.strangersAtEase, patience: limits.strangerPatience,
            stay: limits.stay, seed: seed)
        visitors = Crowd(
            most: limits.visitors, mostFromOne: limits.visitorsPerAddress,
            atEase: limits.visitors, patience: 0, stay: limits.stay, seed: ~seed)
        penalties = PenaltyBook(limits.penalties)
    }

    /// How many strangers and visitors there are.
    var counts: (strangers: Int, visitors: Int) { (strangers.count, visitors.count) }

    /// Takes a new connection.
    ///
    /// - Returns: Its ticket, or `nil` if it is to be closed; and who has to go for it.
    mutating func arrived(
        from source: AddressGroup, at now: Instant
    ) -> (ticket: Ticket?, dropped: Ticket?) {
        guard !penalties.isKeptOut(source, at: now) else { return (nil, nil) }
        let ticket = nextTicket
        let penalties = penalties
        let verdict = strangers.arrive(ticket, from: source, at: now) {
            penalties.repute(of: $0, at: now)
        }
        guard case .admitted(let dropped) = verdict else { return (nil, nil) }
        nextTicket &+= 1
        sources[ticket] = source
        if let dropped { sources[dropped] = nil }
        return (ticket, dropped)
    }

    /// Takes that a stranger has sent something, whatever it is.
    mutating func spoke(_ ticket: Ticket) {
        strangers.spoke(ticket)
    }

    /// Takes that a stranger has said hello.
    mutating func greeted(_ ticket: Ticket, at now: Instant) -> Crowd.Verdict {
        guard let source = sources[ticket] else { return .turnedAway }
        strangers.leave(ticket)
        let penalties = penalties
        let verdict = visitors.arrive(ticket, from: source, at: now) {
            penalties.repute(of: $0, at: now)
        }
        visitors.spoke(ticket)
        if case .admitted(let dropped?) = verdict { sources[dropped] = nil }
        return verdict
    }

    /// Takes that somebody from there did what it came for.
    mutating func behaved(_ source: AddressGroup) {
        penalties.praise(source)
    }

    /// Takes that somebody has been let in, or is gone.
    mutating func left(_ ticket: Ticket) {
        sources[ticket] = nil
        strangers.leave(ticket)
        visitors.leave(ticket)
    }

    /// Which stranger has to go since the system has no room for another connection.
    mutating func makeRoom(at now: Instant) -> Ticket? {
        let penalties = penalties
        let dropped = strangers.makeRoom { penalties.repute(of: $0, at: now) }
        if let dropped { sources[dropped] = nil }
        return dropped
    }

    /// Takes what somebody did.
    mutating func misbehaved(_ source: AddressGroup, _ misdeed: Misdeed, at now: Instant) {
        penalties.add(misdeed, by: source, at: now)
    }
}
