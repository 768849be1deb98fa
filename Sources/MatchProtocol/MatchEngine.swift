// SPDX-License-Identifier: MIT

public import SessionProtocol

/// One match between two players, as a machine that decides everything and does nothing.
///
/// Inputs go into ``handle(_:at:)``; what is to be done comes back as effects, to be carried out
/// in their order. ``deadline`` says when the next ``Input/tick`` is due.
public struct MatchEngine<G: Game>: Sendable {
    /// Makes the engine of a new match.
    ///
    /// - Parameters:
    ///   - role: The initiator of the connection is the joiner, the responder the host.
    ///   - local: The player here.
    ///   - remote: The player there, as the connection authenticated it.
    ///   - exporter: 32 bytes that both ends of the connection know, and nobody else.
    ///   - options: The game's options, at most 256 bytes; both sides must have the same.
    ///   - asks: Whether a host tells ``MatchEvent/challenged`` and waits, or accepts at once.
    ///   - random: 32 bytes from a secure source; the two sides' must differ.
    ///   - cryptography: The local player's signatures, and hashes.
    ///   - now: The time.
    public init(
        role: Role, local: Player, remote: Player, exporter: [UInt8], options: [UInt8],
        asks: Bool, random: [UInt8], cryptography: any Cryptography, now: Instant
    ) {
        deadline = nil
    }

    /// When ``Input/tick`` is due, or `nil` if nothing is awaited.
    public private(set) var deadline: Instant?

    /// Takes one input and says what to do, in this order.
    public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        []
    }
}
