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

    private static let longest: UInt32 = 86_400
}
