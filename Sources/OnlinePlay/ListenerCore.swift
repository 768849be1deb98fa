// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import SessionProtocol

/// A listening socket on its loop: accepts, keeps strangers few, and hands sessions over once
/// they have said hello.
// Sendable although mutable: every member is touched on the loop's thread alone.
final class ListenerCore: LoopMember, Watched, @unchecked Sendable {
    let descriptor: Int32
    var generation: UInt32 = 0
    let loop: EventLoop

    private let settings: SessionSettings
    private let limits: OnlineLimits
    private var isOpen = true
    private var isRunning = false
    private var limit = 0
    /// Sessions with their owners, and those that wait for one.
    private var active = 0
    private var handed: [OnlineSession] = []
    private var waiter: Waiter<OnlineSession?>?
    private var admission: Admission
    /// Who has not been let in yet.
    private var waiting: [Admission.Ticket: SessionCore] = [:]
    /// A descriptor to give up when there is no other, so that a connection can at least be ended.
    private var reserve: Int32 = -1

    init(_ descriptor: Int32, settings: SessionSettings, loop: EventLoop) {
        self.descriptor = descriptor
        self.settings = settings
        limits = settings.limits
        admission = Admission(limits, seed: .random(in: .min ... .max))
        self.loop = loop
    }

    deinit {
        if isOpen { Glibc.close(descriptor) }
        if reserve >= 0 { Glibc.close(reserve) }
    }

    // MARK: Commands

    /// Begins to accept; at most `limit` sessions at a time will be handed over and not done.
    ///
    /// - Returns: `false` if it has begun before: the sessions are somebody else's then.
    func start(limit: Int) -> Bool {
        guard isOpen, !isRunning else { return false }
        self.limit = limit
        isRunning = true
        _ = loop.watch(self)
        openReserve()
        accept()
        return true
    }

    /// Gives `waiter` the next session; `nil` when the listener is closed.
    func next(_ waiter: Waiter<OnlineSession?>) {
        if !handed.isEmpty { return waiter.resume(handed.removeFirst()) }
        guard isOpen else { return waiter.resume(nil) }
        self.waiter = waiter
    }

    /// A session that was handed over is done with, and its connection closed.
    func sessionDone() {
        active -= 1
    }

    /// Stops listening. Sessions handed over go on; those that were not end with their owner.
    func close() {
        guard isOpen else { return }
        isOpen = false
        loop.unwatch(self)
        loop.setTimer(self, at: nil)
        Glibc.close(descriptor)
        if reserve >= 0 { Glibc.close(reserve) }
        reserve = -1
        handed.removeAll()
        waiter.take()?.resume(nil)
    }

    // MARK: From the sessions

    /// A stranger has sent something.
    func spoke(_ session: SessionCore) {
        admission.spoke(session.ticketOfAdmission)
    }

    func helloArrived(_ session: SessionCore) {
        switch admission.greeted(session.ticketOfAdmission, at: loop.turn) {
        case .turnedAway: return session.dismiss()
        case .admitted(let dropped): if let dropped { dismiss(dropped) }
        }
        if active >= limit || !isOpen {
            session.machine.refuse(Refusal(.full, text: "too many sessions"))
        } else if session.givesEvents {
            handOver(session)
        } else {
            session.acceptNew()
        }
    }

    func sessionReady(_ session: SessionCore) {
        if !session.staysVisitor {
            letIn(session)
            vouch(session)
        }
        if !session.isHandedOver { handOver(session) }
    }

    /// A visitor stays.
    func letIn(_ session: SessionCore) {
        release(session)
    }

    /// A peer did what it came for.
    func vouch(_ session: SessionCore) {
        session.isVouchedFor = true
        guard let endpoint = session.withPublished({ $0.address }) else { return }
        admission.behaved(AddressGroup(endpoint))
    }

    /// A session that was not ready yet has run out of time.
    func tookTooLong(_ session: SessionCore) {
        punish(session, .silence)
    }

    func sessionEnded(_ session: SessionCore) {
        switch session.machine.end {
        case .protocolError, .closed(.protocolError): punish(session, .brokenProtocol)
        // As good as nothing was said.
        case .closed(.tookTooLong) where !session.isVouchedFor: punish(session, .silence)
        // Who was asked and came too late to be judged need not have guessed.
        case .refused(let refusal) where refusal.code == .wrongCode && session.exchange == nil:
            punish(session, .wrongCode)
        default: break
        }
    }

    func sessionClosed(_ session: SessionCore) {
        release(session)
    }

    private func punish(_ session: SessionCore, _ misdeed: Misdeed) {
        guard let endpoint = session.withPublished({ $0.address }) else { return }
        admission.misbehaved(AddressGroup(endpoint), misdeed, at: loop.turn)
    }

    private func handOver(_ session: SessionCore) {
        session.isHandedOver = true
        active += 1
        let session = OnlineSession(session)
        if let waiter = waiter.take(), waiter.isWaiting {
            waiter.resume(session)
        } else {
            handed.append(session)
        }
    }

    /// Somebody is gone.
    private func release(_ session: SessionCore) {
        waiting[session.ticketOfAdmission] = nil
        admission.left(session.ticketOfAdmission)
    }

    /// Ends the session of somebody who has to go so that there is room for others.
    private func dismiss(_ ticket: Admission.Ticket) {
        waiting.removeValue(forKey: ticket)?.dismiss()
    }

    // MARK: The loop

    func ready(_ events: UInt32) { accept() }

    func loopStopped() { close() }

    override func timerFired(at now: Instant) {
        openReserve()
        accept()
    }

    /// Accepts some of those who wait, and goes on in the next turn if there are more: meanwhile
    /// those who are here get on.
    private func accept() {
        guard isOpen else { return }
        for _ in 0..<max(1, limits.acceptsATurn) {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let connection = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    accept4(descriptor, $0, &length, flags)
                }
            }
            if connection >= 0 {
                welcome(connection, Endpoint(storage))
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE:
                if let dropped = admission.makeRoom(at: loop.turn) {
                    dismiss(dropped)
                } else if !turnAway() {
                    return pauseAccepting()
                }
            case ENOBUFS, ENOMEM: return pauseAccepting()
            default: continue
            }
        }
        // Edge-triggered: nobody will say again that there are more.
        loop.setTimer(self, at: Instant(nanoseconds: loop.turn.nanoseconds &+ 1))
    }

    private func welcome(_ connection: Int32, _ endpoint: Endpoint?) {
        let arrival = endpoint.map { admission.arrived(from: AddressGroup($0), at: loop.turn) }
        if let dropped = arrival?.dropped { dismiss(dropped) }
        guard let ticket = arrival?.ticket else {
            Glibc.close(connection)
            return
        }
        let stream = DescriptorStream(socket: connection, loop: loop)
        guard
            let session = try? SessionCore(
                input: stream, output: stream, role: .responder, settings: settings,
                address: endpoint, loop: loop, now: loop.turn)
        else {
            admission.left(ticket)
            return stream.close()
        }
        waiting[ticket] = session
        session.ticketOfAdmission = ticket
        session.listener = self
        session.start()
    }

    /// Ends the connection that waits longest, with the descriptor kept for that.
    private func turnAway() -> Bool {
        guard reserve >= 0 else { return false }
        Glibc.close(reserve)
        let connection = accept4(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        if connection >= 0 { Glibc.close(connection) }
        reserve = -1
        openReserve()
        return connection >= 0 && reserve >= 0
    }

    private func openReserve() {
        if reserve < 0 { reserve = open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    private func pauseAccepting() {
        loop.setTimer(self, at: loop.turn.advanced(milliseconds: limits.acceptPause))
    }
}

extension OnlineSession {
    /// Closes a session that its handler is done with. On its own, so that the frame of a task that
    /// still handles its session need not have room for this.
    @inline(never) func handled() async {
        if end == nil { await close() }
        let core = core
        loop.perform { core.handled() }
    }
}
