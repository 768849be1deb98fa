// SPDX-License-Identifier: MIT

import SessionProtocol

/// What somebody did who was not let in, or broke the rules later.
enum Misdeed: Sendable, Hashable, CaseIterable {
    case brokenProtocol
    case silence
    case wrongCode
}

/// How long each address is still to be kept out, and from which somebody was let in. A value; it
/// is told the time.
struct PenaltyBook: Sendable {
    private let limits: OnlineLimits.Penalties
    /// When an address has served everything.
    private var ends: [AddressGroup: Instant] = [:]
    /// From where somebody was let in, the newest last.
    private var good: [AddressGroup] = []

    init(_ limits: OnlineLimits.Penalties) {
        self.limits = limits
    }

    /// How many addresses have something to serve.
    var count: Int { ends.count }

    /// Adds what a misdeed costs to what the address has left.
    mutating func add(_ misdeed: Misdeed, by source: AddressGroup, at now: Instant) {
        guard !source.isEverybodys else { return }
        good.removeAll { $0 == source }
        let cost =
            switch misdeed {
            case .brokenProtocol: limits.brokenProtocol
            case .silence: limits.silence
            case .wrongCode: limits.wrongCode
            }
        let end = max(ends[source] ?? now, now).advanced(milliseconds: cost)
        ends[source] = min(end, now.advanced(milliseconds: limits.longest))
        if ends.count > max(0, limits.addresses) { forgetOne(at: now) }
    }

    /// Takes that somebody was let in from the address.
    mutating func praise(_ source: AddressGroup) {
        good.removeAll { $0 == source }
        good.append(source)
        if good.count > max(0, limits.goodAddresses) { good.removeFirst() }
    }

    /// What is known of the address.
    func repute(of source: AddressGroup, at now: Instant) -> Repute {
        if ends[source].map({ $0 > now }) ?? false { return .suspect }
        return good.contains(source) ? .good : .unknown
    }

    /// Whether the address is kept out.
    func isKeptOut(_ source: AddressGroup, at now: Instant) -> Bool {
        ends[source].map { $0 > now.advanced(milliseconds: limits.free) } ?? false
    }

    /// Forgets who has served everything, or else who has the least left.
    private mutating func forgetOne(at now: Instant) {
        ends = ends.filter { $0.value > now }
        guard ends.count > max(0, limits.addresses) else { return }
        if let least = ends.min(by: { $0.value < $1.value }) { ends[least.key] = nil }
    }
}
