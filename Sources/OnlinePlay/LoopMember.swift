// SPDX-License-Identifier: MIT

import SessionProtocol

/// Something that lives on an ``EventLoop``: it can be woken at a time, and settles its
/// affairs once at the end of each turn in which something happened to it.
// Sendable although mutable: every member is touched on the loop's thread alone.
class LoopMember: @unchecked Sendable {
    /// Where this stands among the loop's timers, or -1.
    final var timerIndex = -1
    /// When this is to be woken.
    final var timerInstant = Instant(nanoseconds: 0)
    /// Whether this is among those that settle at the end of the turn.
    final var isUnsettled = false

    /// The time asked for has come; the timer is no longer set.
    func timerFired(at now: Instant) {}

    /// The turn ends: write what is to be written.
    func settle(at now: Instant) {}
}

/// Something that wants to know when its file descriptor can be read or written.
protocol Watched: AnyObject {
    /// The descriptor, open for as long as this is registered.
    var descriptor: Int32 { get }
    /// Tells this registration from earlier ones with the same descriptor; the loop's to set.
    var generation: UInt32 { get set }
    /// The descriptor's state has changed as `epoll` reports it.
    func ready(_ events: UInt32)
    /// The loop stops; nothing will be reported any more.
    func loopStopped()
}
