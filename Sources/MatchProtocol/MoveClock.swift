// SPDX-License-Identifier: MIT

/// How much time each player has for a game.
public struct MoveClock: Sendable, Hashable, CustomStringConvertible {
    /// At the start, in seconds, 1 to 86,400.
    public let seconds: UInt32
    /// Added after every move of the player, in seconds, 0 to 86,400.
    public let increment: UInt32

    /// Makes a clock, or gives `nil` for numbers outside their range.
    public init?(seconds: UInt32, increment: UInt32) {
        guard (1...Self.longest).contains(seconds), increment <= Self.longest else { return nil }
        self.seconds = seconds
        self.increment = increment
    }

    /// As it is agreed on the wire: `SECONDS+INCREMENT`.
    public var description: String { "\(seconds)+\(increment)" }

    /// Reads what ``description`` gives; `nil` for anything else.
    package init?(description text: String) {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = UInt32(parts[0]), let increment = UInt32(parts[1])
        else { return nil }
        self.init(seconds: seconds, increment: increment)
        // Writing it again tells `07` from `7`.
        guard description == text else { return nil }
    }

    /// The most that can be left after ply `ply`, in milliseconds.
    func most(after ply: UInt32) -> UInt64 {
        1_000 * (UInt64(seconds) + UInt64(increment) * UInt64(ply))
    }

    private static let longest: UInt32 = 86_400
}
