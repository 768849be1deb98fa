// SPDX-License-Identifier: MIT

public import SessionProtocol

/// Every limit and deadline of this library, in one place. Times are in milliseconds.
///
/// The defaults are for two players on one network; `docs/architecture.md` has a table of them
/// with the reasons. A value below zero counts as zero.
public struct OnlineLimits: Sendable, Hashable {
    /// The limits of every session: frames, windows, deadlines.
    public var session = SessionLimits()

    /// How long a connection may take to come about, name look-up included.
    public var connect: UInt64 = 4_000
    /// How long a connection that the other side ends without a word, or because it is full, is
    /// made anew: it may only have too many strangers.
    public var insistence: UInt64 = 1_000

    // Strangers: connections on which the peer has not said hello yet.

    /// The most strangers at a time.
    public var strangers = 32
    /// The most of them from one address: one IPv4 address, or one IPv6 network of 64 bits.
    public var strangersPerAddress = 4
    /// From so many strangers on one that has waited for longer than ``strangerPatience`` may be
    /// dropped when another comes, the more likely the more there are.
    public var strangersAtEase = 16
    /// How long a stranger is safe from being dropped unless there are ``strangers`` of them.
    public var strangerPatience: UInt64 = 1_000

    // Visitors: peers that have said hello and wait to be let in, for example for a code to be
    // proven, or have been turned away and are about to go.

    /// The most visitors at a time.
    public var visitors = 32
    /// The most of them from one address.
    public var visitorsPerAddress = 4

    /// How long a stranger or visitor who has sent something and is alone from its address is never
    /// dropped for others; where all may stay, newcomers have to come again.
    public var stay: UInt64 = 100

    /// What an address has to answer for.
    public var penalties = Penalties()

    // Accepting.

    /// How many connections the system keeps until they are accepted.
    public var backlog: Int32 = 512
    /// How many connections one turn of the loop accepts before it goes back to those it has.
    public var acceptsATurn = 8
    /// How long to wait when the system has no descriptor or memory for another connection.
    public var acceptPause: UInt64 = 100

    /// Makes the default limits.
    public init() {}

    /// How long what is left at the end of a session may take to be written, and how long the
    /// peer's end is awaited after that.
    static let flush: UInt64 = 5_000
    static let linger: UInt64 = 1_000

    /// For what an address is kept out, and for how long. Each misdeed adds its time to what the
    /// address still has to serve; all of it runs down by itself.
    public struct Penalties: Sendable, Hashable {
        /// For what is neither TLS nor a frame, or breaks the protocol in any other way.
        public var brokenProtocol: UInt64 = 5_000
        /// For a connection that has not said hello in time.
        public var silence: UInt64 = 5_000
        /// For a wrong code.
        public var wrongCode: UInt64 = 15_000
        /// Connections are closed at once while more than this is left, so a few misdeeds are
        /// free.
        public var free: UInt64 = 30_000
        /// No address is ever left with more than this.
        public var longest: UInt64 = 60_000
        /// How many addresses are remembered; beyond that, who has the least left is forgotten.
        public var addresses = 256
        /// How many addresses are remembered from which somebody was let in: those are dropped
        /// after others.
        public var goodAddresses = 64

        /// Makes the default penalties.
        public init() {}
    }
}
