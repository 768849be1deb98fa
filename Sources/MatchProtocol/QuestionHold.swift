// SPDX-License-Identifier: MIT

package import SessionProtocol

/// Keeps an answer from reaching another question than the one it was meant for.
///
/// A question can go away and another stand in its place while the player types. An answer that does
/// not say to whom it is counts for the new one only when that could have been read. A value; it is
/// told the time.
package struct QuestionHold: Sendable {
    /// For how long such a question takes no answer, in milliseconds.
    package static let hold: UInt64 = 1_000
    /// For how long a question that went away may still be being answered, in milliseconds.
    package static let memory: UInt64 = 5_000

    /// Who asks.
    private var asker: [UInt8]?
    private var wentAway: (asker: [UInt8], at: Instant)?
    private var heldUntil = Instant(nanoseconds: 0)

    /// Begins with no question.
    package init() {}

    /// Takes that the player is asked about who has this key. Whoever comes again because its
    /// connection broke is still the one whom the answer is for.
    package mutating func asked(of key: [UInt8], now: Instant) {
        asker = key
        guard let wentAway, wentAway.asker != key,
            now < wentAway.at.advanced(milliseconds: Self.memory)
        else { return }
        heldUntil = now.advanced(milliseconds: Self.hold)
    }

    /// Takes that the player has answered.
    package mutating func answered() {
        (asker, wentAway) = (nil, nil)
    }

    /// Takes that there is no question any more; without an answer, if there was none.
    package mutating func ended(now: Instant) {
        if let asker { wentAway = (asker, now) }
        asker = nil
    }

    /// Whether an answer that does not say to whom it is counts now.
    package func allows(at now: Instant) -> Bool {
        heldUntil <= now
    }
}
