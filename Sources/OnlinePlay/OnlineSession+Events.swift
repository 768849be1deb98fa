// SPDX-License-Identifier: MIT

package import SessionProtocol

extension OnlineSession {
    /// Waits for the next event, whatever it is; only of sessions made with
    /// ``SessionSettings/givesEvents``. `nil` after `SessionEvent.ended` was given, and when
    /// the task is cancelled.
    package func nextEvent() async -> SessionEvent? {
        let core = core
        while true {
            let (event, isOver) = await core.loop.call { (core.takeEvent(), core.isOver) }
            if event != nil || isOver { return event }
            let wake = await core.loop.wait(cancelled: SessionCore.Wake.cancelled) {
                core.awaitEvent(.elsewhere($0))
            }
            if wake != .look { return nil }
        }
    }

    /// Answers a hello with a welcome.
    ///
    /// - Parameters:
    ///   - have: When a session is resumed, how many packets of the peer's log are stored here.
    ///   - hash: The application's hash of that log there.
    ///   - log: This side's log of the resumed session.
    ///   - detail: What the welcome says to the application.
    ///   - proof: What ``proof(for:)`` gave, where a code was asked for.
    ///   - staysVisitor: Whether the peer is still only a visitor: it counts as one until
    ///     ``letIn()``, and is not trusted before ``vouch()``.
    package func accept(
        have: UInt64 = 0, hash: [UInt8]? = nil, log: OutgoingLog = OutgoingLog(),
        detail: [UInt8]? = nil, proof: [UInt8]? = nil, staysVisitor: Bool = false
    ) {
        let core = core
        core.loop.perform {
            core.staysVisitor = staysVisitor
            core.command {
                $0.accept(have: have, hash: hash, log: log, detail: detail, proof: proof)
            }
        }
    }

    /// Takes a visitor who was welcomed in: it does not have to go for others any more.
    package func letIn() {
        let core = core
        core.loop.perform { core.listener?.letIn(core) }
    }

    /// Says that the peer did what it came for, which speaks for its address.
    package func vouch() {
        let core = core
        core.loop.perform { core.listener?.vouch(core) }
    }

    /// Answers a hello with a refusal, which ends the session.
    package func refuse(_ refusal: Refusal) {
        let core = core
        core.loop.perform { core.command { $0.refuse(refusal) } }
    }

    /// Sends bytes outside the log; they are dropped if the session is not ready, or over, or if
    /// more than 256 KiB wait to be written.
    package func sendNote(_ note: [UInt8]) {
        let core = core
        core.loop.perform { _ = core.command { $0.sendNote(note) } }
    }

    /// Says that the packets up to `number` are stored, in explicit mode.
    package func acknowledge(through number: UInt64, hash: [UInt8]? = nil) {
        let core = core
        core.loop.perform { core.command { $0.acknowledge(through: number, hash: hash) } }
    }

    /// The raw public key of who was at the other end of a session that has ended; `nil` if that is
    /// not known. It is known of whoever refused, too.
    package var peerKeyAtEnd: [UInt8]? { core.withPublished { $0.endBox?.peerKey } }

    /// The packets that the peer is not yet known to have, for the session's next connection.
    package func outgoingLog() async -> OutgoingLog {
        let core = core
        return await core.loop.call { core.machine.log }
    }
}

extension SessionCore {
    /// Puts a packet on its way.
    func send(_ packet: [UInt8]) -> SendResult {
        let result = machine.send(packet)
        if case .accepted = result { loop.settleLater(self) }
        return result
    }
}
