// SPDX-License-Identifier: MIT

package import SessionProtocol

/// How often and how long a host's code may be tried.
///
/// A pure machine that never sees the code itself: it numbers codes. Each guest has one try; after
/// ``allowedMisses`` wrong ones, or ``lifetime``, the caller makes up another code and says so with
/// ``renew(now:)``. Tries that were begun under an earlier code are not judged at all.
package struct CodeKeeper: Sendable {
    /// How many wrong tries a code outlives, less one.
    package static let allowedMisses = 3
    /// How long a code is good, in milliseconds.
    package static let lifetime: UInt64 = 600_000

    /// Which code it is, from 1.
    package private(set) var number = 1
    /// When it stops being good.
    package private(set) var expiry: Instant
    private var misses = 0

    /// Begins with a new code.
    package init(now: Instant) {
        expiry = now.advanced(milliseconds: Self.lifetime)
    }

    /// When another code is to be made up: at once if this one has had its tries.
    package var renewalDue: Instant {
        misses >= Self.allowedMisses ? Instant(nanoseconds: 0) : expiry
    }

    /// Whether another code is needed.
    package func isSpent(now: Instant) -> Bool {
        renewalDue <= now
    }

    /// Whether a try that was begun under code `number` may be judged.
    package func mayJudge(_ number: Int, now: Instant) -> Bool {
        number == self.number && !isSpent(now: now)
    }

    /// Takes that a try was judged and wrong.
    package mutating func missed() {
        misses &+= 1
    }

    /// Takes that there is another code.
    package mutating func renew(now: Instant) {
        number &+= 1
        misses = 0
        expiry = now.advanced(milliseconds: Self.lifetime)
    }
}
