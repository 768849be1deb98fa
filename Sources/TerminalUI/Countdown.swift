// SPDX-License-Identifier: MIT

import MatchEvents

/// Both players' time as it was last told, and whose runs since. Times are in milliseconds.
struct Countdown: Sendable, Equatable {
    private var told: TimeLeft
    private var since: UInt64
    private(set) var running: Side?

    /// What was told at a moment; nobody's time runs.
    init(_ left: TimeLeft, at now: UInt64) {
        told = left
        since = now
    }

    /// Says whose time runs from a moment on.
    mutating func run(_ side: Side?, at now: UInt64) {
        told = left(at: now)
        since = max(since, now)
        running = side
    }

    /// What is left at a moment.
    func left(at now: UInt64) -> TimeLeft {
        let passed = now - min(since, now)
        var left = told
        switch running {
        case .you: left.you -= min(left.you, passed)
        case .opponent: left.opponent -= min(left.opponent, passed)
        case nil: break
        }
        return left
    }

    /// In how long the text of a time changes; `nil`: not by itself.
    func nextChange(at now: UInt64) -> UInt64? {
        let left = left(at: now)
        switch running {
        case .you where left.you > 0: return (left.you - 1) % 1_000 + 1
        case .opponent where left.opponent > 0: return (left.opponent - 1) % 1_000 + 1
        default: return nil
        }
    }

    /// A time in minutes and seconds, or with hours; a begun second counts, so that 0:00 is up.
    static func text(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000 + (milliseconds.isMultiple(of: 1_000) ? 0 : 1)
        let minutes = seconds / 60
        let end = two(seconds % 60)
        return minutes < 60
            ? "\(minutes):\(end)" : "\(minutes / 60):\(two(minutes % 60)):\(end)"
    }

    private static func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
