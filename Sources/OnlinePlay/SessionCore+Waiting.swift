// SPDX-License-Identifier: MIT

import SessionProtocol

/// How tasks take what has come, and wait for more.
extension SessionCore {
    /// The next packet, if one is here.
    func takePacket() -> Packet? {
        guard hasPacket(), let packet = nextPacket.take() else { return nil }
        machine.took(packets: 1)
        loop.settleLater(self)
        return packet
    }

    /// Whether there is a packet to take. Events that are none are dropped on the way.
    private func hasPacket() -> Bool {
        while nextPacket == nil, let event = machine.nextEvent() {
            guard case .packet(let number, let bytes) = event else { continue }
            nextPacket = Packet(number: number, bytes: bytes)
        }
        return nextPacket != nil
    }

    /// The next event, if one is here.
    func takeEvent() -> SessionEvent? {
        if !seen.isEmpty { return seen.removeFirst() }
        let event = machine.nextEvent()
        if case .packet = event {
            machine.took(packets: 1)
            loop.settleLater(self)
        }
        return event
    }

    /// Whether a task that waits should look: there is something to take, or there never will be.
    // This and the next are kept out of the asynchronous functions that call them, whose frames
    // would have to hold all that is inlined.
    var isWorthALook: Bool {
        @inline(never) get { look() }
    }

    private func look() -> Bool {
        if givesEvents ? machine.hasEvents || !seen.isEmpty : hasPacket() { return true }
        return !machine.isOpen && isOver
    }

    /// Whether the session has ended.
    var isOver: Bool { machine.isOver }

    /// Waits until there is an event or none will come; only for a task that runs on the loop, as
    /// a session's handler does, which then waits without any allocation. Inlined, so that the
    /// frames of an idle task stay few and small.
    @inline(__always) func awaitEvent() async -> Wake {
        ticket &+= 1
        let ticket = ticket
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                awaitEvent(.here(continuation, ticket: ticket))
            }
        } onCancel: {
            loop.perform { self.cancelWait(ticket) }
        }
    }

    /// Resumes `newReader` as soon as there is an event or none will come.
    @inline(never) func awaitEvent(_ newReader: Reader) {
        if reader?.isWaiting == true { return newReader.resume(.alreadyWaiting) }
        if isWorthALook { return newReader.resume(.look) }
        if case .here(_, cancelledTicket) = newReader { return newReader.resume(.cancelled) }
        reader = newReader
    }

    /// Ends a wait, perhaps before it has begun.
    private func cancelWait(_ ticket: UInt64) {
        cancelledTicket = ticket
        guard case .here(let continuation, ticket) = reader else { return }
        reader = nil
        continuation.resume(returning: .cancelled)
    }

    /// Resumes `waiter` when a packet may be sent, or none ever again.
    func awaitWindow(_ waiter: Waiter<Bool>) {
        if machine.canSend || isOver { return waiter.resume(true) }
        senders.removeAll { !$0.isWaiting }
        senders.append(waiter)
    }

    /// Resumes `waiter` when the hello is done, or the session over.
    func awaitReady(_ waiter: Waiter<Bool>) {
        // Only what is published counts: an end that is not yet would pass for none.
        if isReady || phase == .finishing || phase == .closed { return waiter.resume(true) }
        readyWaiters.append(waiter)
    }

    /// Resumes `waiter` when what was said last has been written, or cannot be.
    func awaitFinish(_ waiter: Waiter<Void>) {
        if phase == .closed || hasFinishedOutput { return waiter.resume(()) }
        closers.append(waiter)
    }
}
