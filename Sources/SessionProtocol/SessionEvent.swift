// SPDX-License-Identifier: MIT

/// Which end of the connection this is; nothing else tells the two ends of a session apart.
public enum Role: Sendable, Hashable, CaseIterable {
    /// Opened the connection.
    case initiator
    /// Accepted it.
    case responder
}

/// When a received packet counts as stored, which is what *have* says.
package enum Acknowledgement: Sendable, Hashable, CaseIterable {
    /// When the application has taken it (``SessionMachine/took(packets:)``).
    case whenTaken
    /// When the application says so (``SessionMachine/acknowledge(through:hash:)``).
    case explicit
}

/// What a session machine tells, in order. ``ended(_:)`` is the last, and comes exactly once.
package enum SessionEvent: Sendable, Hashable {
    /// Responder: a hello is here; answer with ``SessionMachine/accept(have:hash:log:detail:proof:)``,
    /// ``SessionMachine/refuse(_:)`` or ``SessionMachine/ask(_:)`` before the deadline of the handshake.
    indirect case hello(Hello)
    /// Initiator: the responder wants proof that this side knows the code; its share, 32 bytes.
    /// Answer with ``SessionMachine/answer(_:expecting:)``. Told only where a code is wanted.
    case asked([UInt8])
    /// Responder: the initiator's share and tag, 96 bytes. Answer with
    /// ``SessionMachine/accept(have:hash:log:detail:proof:)`` or ``SessionMachine/refuse(_:)``.
    case answered([UInt8])
    /// The session is on. The peer's hello or welcome, with the versions chosen and the session's
    /// token; its `have` says from where this side's log is sent on.
    indirect case ready(Hello)
    /// The next packet of the other side's log.
    case packet(number: UInt64, [UInt8])
    /// Bytes outside the log.
    case note([UInt8])
    /// The peer has stored packets 1 to `count` of this side's log. Told in
    /// ``Acknowledgement/explicit`` mode only, and only when `count` grows.
    case had(count: UInt64, hash: [UInt8]?)
    /// The connection is over, and why. What ``SessionMachine/withPendingOutput(_:)`` still gives
    /// is written before the stream is closed.
    indirect case ended(SessionEnd)
}

/// What became of a packet or note that was to be sent.
package enum SendResult: Sendable, Hashable {
    /// It is in the log under this number and will arrive, if not on this connection then on the
    /// next; 0 for a note.
    case accepted(UInt64)
    /// Too much is on its way. Try again when ``SessionMachine/canSend`` is true.
    case windowFull
    /// The peer takes at most `limit` bytes.
    case tooLarge(limit: Int)
    /// The hello is not done.
    case notReady
    /// The connection is over.
    case ended
}
