// SPDX-License-Identifier: MIT

import MatchEvents
package import MatchProtocol

/// Two players who want different clocks.
package struct ClockMismatch: Sendable {
    /// What is wanted here; `nil`: none.
    package var own: MoveClock?
    /// What the other side wants; `nil`: none, or it is not known.
    package var other: MoveClock?
    /// Whether it is known what the other side wants.
    package var isKnown: Bool
    /// Whether the other side came to this one.
    package var isHost: Bool

    /// Makes the value.
    package init(own: MoveClock?, other: MoveClock?, isKnown: Bool, isHost: Bool) {
        self.own = own
        self.other = other
        self.isKnown = isKnown
        self.isHost = isHost
    }

    /// A sentence that names both clocks as far as they are known, and to who joined what to do.
    package var sentence: String {
        let other = Self.words(other, isKnown: isKnown)
        if isHost {
            return "Somebody wanted to play \(other), and was declined: you play "
                + "\(Self.words(own, isKnown: true))."
        }
        return "The other side plays \(other), you want to play "
            + "\(Self.words(own, isKnown: true)): \(advice)."
    }

    /// Why a clock is not taken only because the other side says so: with less than ten seconds for
    /// a game it is lost before one has seen that there is a clock. `nil`: it is taken.
    package static func refusal(of clock: MoveClock) -> String? {
        guard clock.seconds < 10 else { return nil }
        return "The other side plays \(words(clock, isKnown: true)), and less than 10 seconds are "
            + "played only if you ask for it: use --clock \(clock.typed)."
    }

    private var advice: String {
        guard isKnown else {
            return own == nil
                ? "agree on one and give it with --clock" : "agree on one, or leave --clock out"
        }
        return other.map { "use --clock \($0.typed), or leave --clock out" } ?? "leave --clock out"
    }

    private static func words(_ clock: MoveClock?, isKnown: Bool) -> String {
        guard isKnown else { return "with another clock" }
        return clock.map { "with a clock of \($0.typed)" } ?? "without a clock"
    }
}
