// SPDX-License-Identifier: MIT

public import MatchProtocol

/// A clock as people write it: `5m+3`, `300+3`, `5m`, `90s+0`, `1h`.
extension MoveClock {
    /// Reads what a person typed: the time for a game, in seconds or with `s`, `m` or `h` behind
    /// it, and after `+` what each move adds, likewise; nothing behind it is 0.
    ///
    /// - Throws: ``CommandError`` with code `malformed` or `range`.
    public init(typed text: String) throws(CommandError) {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw Self.malformed }
        let numbers = try parts.map { (part) throws(CommandError) in try Self.seconds(part) }
        guard let clock = MoveClock(seconds: numbers[0], increment: numbers.dropFirst().first ?? 0)
        else {
            throw CommandError(
                .range, "A clock has 1 second to 24 hours and adds 0 seconds to 24 hours.")
        }
        self = clock
    }

    /// As ``init(typed:)`` reads it, in the largest unit that divides it.
    public var typed: String {
        Self.word(seconds) + (increment == 0 ? "" : "+\(Self.word(increment, plain: true))")
    }

    private static let malformed = CommandError(
        .malformed, "A clock is written TIME+MORE, for example 5m+3, 90s+0 or 300+3.")

    /// A number with its unit, in seconds.
    private static func seconds(_ text: Substring) throws(CommandError) -> UInt32 {
        let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3_600]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text : text.dropLast()
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw malformed
        }
        // What is too large for the type is too large for a clock, which its maker says.
        let number = UInt32(digits) ?? .max
        let (seconds, isPast) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isPast ? .max : seconds
    }

    private static func word(_ seconds: UInt32, plain: Bool = false) -> String {
        if seconds > 0, seconds.isMultiple(of: 3_600) { return "\(seconds / 3_600)h" }
        if seconds > 0, seconds.isMultiple(of: 60) { return "\(seconds / 60)m" }
        return plain ? "\(seconds)" : "\(seconds)s"
    }
}
