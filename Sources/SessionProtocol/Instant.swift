// SPDX-License-Identifier: MIT

/// A point on a monotonic clock, in nanoseconds since some fixed but unknown moment.
///
/// The machines never read a clock; whoever drives them says what time it is.
public struct Instant: Sendable, Hashable, Comparable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: UInt64

    /// Makes the instant that lies `nanoseconds` after the clock's origin.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Orders by time.
    public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    /// The instant `milliseconds` later; the end of time if that cannot be said.
    public func advanced(milliseconds: UInt64) -> Instant {
        let (span, tooLong) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
        return Instant(nanoseconds: tooLong || overflow ? .max : sum)
    }
}
