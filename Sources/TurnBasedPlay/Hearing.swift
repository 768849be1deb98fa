// SPDX-License-Identifier: MIT

import MatchEvents
import SessionProtocol

/// How long nothing has been heard from the other side of a match, and when that is worth a word
/// although the connection stands.
struct Hearing: Sendable {
    /// How long silence is nothing to speak of, in milliseconds: after 15 s a session asks whether
    /// anybody is there, and whoever is answers well within two more.
    static let patience: UInt64 = 17_000
    /// How often to listen while it is silent, in milliseconds.
    static let step: UInt64 = 1_000

    /// The last sign of life, over whatever connection.
    private(set) var last: Instant?
    private var isSilent = false
    private var nextLook: Instant?

    /// When to ``look(at:)`` while a connection stands; `nil` if nothing was ever heard.
    var deadline: Instant? { nextLook ?? last?.advanced(milliseconds: Self.patience) }

    /// Something was heard then.
    mutating func heard(at moment: Instant) {
        if last.map({ $0 < moment }) ?? true { last = moment }
    }

    /// The connection is gone, or another one has taken its place.
    mutating func reset() { (isSilent, nextLook) = (false, nil) }

    /// Looks at a connection that stands: says if it has fallen silent, or is silent no more.
    mutating func look(at now: Instant) -> LinkState? {
        let wasSilent = isSilent
        isSilent = silence(at: now).map { $0 >= Self.patience } ?? false
        nextLook = isSilent ? now.advanced(milliseconds: Self.step) : nil
        return isSilent == wasSilent ? nil : isSilent ? .silent : .heard
    }

    /// How long nothing has been heard, in milliseconds; `nil` if nothing ever was.
    func silence(at now: Instant) -> UInt64? {
        last.map { $0 < now ? (now.nanoseconds - $0.nanoseconds) / 1_000_000 : 0 }
    }
}
