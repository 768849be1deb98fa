// SPDX-License-Identifier: MIT

/// How long something has lasted, as words: by the second, and above an hour by the minute.
enum Elapsed {
    private static let minute: UInt64 = 60_000
    private static let hour: UInt64 = 3_600_000

    /// The words for so many milliseconds.
    static func text(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds % minute / 1_000
        let minutes = milliseconds % hour / minute
        if milliseconds < minute { return "\(seconds) s" }
        if milliseconds < hour { return "\(minutes) min \(seconds) s" }
        return "\(milliseconds / hour) h \(minutes) min"
    }

    /// In how many milliseconds the words change.
    static func nextChange(_ milliseconds: UInt64) -> UInt64 {
        let step = milliseconds < hour ? 1_000 : minute
        return step - milliseconds % step
    }
}
