// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import SessionProtocol

/// A listening socket on its loop: accepts, keeps strangers few, and hands sessions over once
/// they have said hello.
// Sendable although mutable: every member is touched on the loop's thread alone.
final class ListenerCore: LoopMember, Watched, @unchecked Sendable {
    /// How many connections one turn accepts, and how long to wait when the system has no
    /// descriptor or memory for one, in milliseconds.
    private static let acceptsATurn = 64
    private static let pause: UInt64 = 100

    let descriptor: Int32
    var generation: UInt32 = 0
    let loop: EventLoop

    private let settings: SessionSettings
    private var isOpen = true
    private var isListening = false
    private var limit = 0
    /// Sessions with their owners, and those that wait for one.
    private var active = 0
    private var handed: [OnlineSession] = []
    private var waiter: Waiter<OnlineSession?>?
    private var admission = Admission()
    private var strangers: [ObjectIdentifier: Endpoint] = [:]
    /// A descriptor to give up when there is no other, so that a connection can at least be ended.
    private var reserve: Int32 = -1

    init(_ descriptor: Int32, settings: SessionSettings, loop: EventLoop) {
        self.descriptor = descriptor
        self.settings = settings
        self.loop = loop
    }

    deinit {
        if isOpen { Glibc.close(descriptor) }
        if reserve >= 0 { Glibc.close(reserve) }
    }

    // MARK: Commands

    /// Begins to accept; at most `limit` sessions at a time will be handed over and not done.
    func start(limit: Int) {
        guard isOpen, !isListening else { return }
        self.limit = limit
        isListening = loop.watch(self)
        openReserve()
        accept()
    }

    /// Gives `waiter` the next session; `nil` when the listener is closed.
    func next(_ waiter: Waiter<OnlineSession?>) {
        if !handed.isEmpty { return waiter.resume(handed.removeFirst()) }
        guard isOpen else { return waiter.resume(nil) }
        self.waiter = waiter
    }

    /// A session that was handed over is done with.
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

    func helloArrived(_ session: SessionCore) {
        release(session)
        if active >= limit || !isOpen {
            session.listener = nil
            session.machine.refuse(Refusal(.full, text: "too many sessions"))
        } else if session.givesEvents {
            handOver(session)
        } else {
            session.machine.accept()
        }
    }

    func sessionReady(_ session: SessionCore) {
        guard session.listener != nil else { return }
        handOver(session)
    }

    func sessionEnded(_ session: SessionCore) {}

    func sessionClosed(_ session: SessionCore) {
        release(session)
    }

    private func handOver(_ session: SessionCore) {
        session.listener = nil
        session.keeper = self
        active += 1
        let session = OnlineSession(session)
        if let waiter = waiter.take(), waiter.isWaiting {
            waiter.resume(session)
        } else {
            handed.append(session)
        }
    }

    private func release(_ session: SessionCore) {
        guard let endpoint = strangers.removeValue(forKey: ObjectIdentifier(session)) else {
            return
        }
        admission.release(endpoint)
    }

    // MARK: The loop

    func ready(_ events: UInt32) { accept() }

    func loopStopped() { close() }

    override func timerFired(at now: Instant) {
        openReserve()
        accept()
    }

    override func settle(at now: Instant) { accept() }

    private func accept() {
        guard isOpen else { return }
        for _ in 0..<Self.acceptsATurn {
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
                guard turnAway() else { return pauseAccepting() }
            case ENOBUFS, ENOMEM: return pauseAccepting()
            default: continue
            }
        }
        // Edge-triggered: nobody will say again that there are more.
        loop.settleLater(self)
    }

    private func welcome(_ connection: Int32, _ endpoint: Endpoint?) {
        let stream = DescriptorStream(socket: connection, loop: loop)
        guard let endpoint, admission.admit(endpoint) else { return stream.close() }
        guard
            let session = try? SessionCore(
                input: stream, output: stream, role: .responder, settings: settings,
                address: endpoint, loop: loop, now: loop.turn)
        else {
            admission.release(endpoint)
            return stream.close()
        }
        strangers[ObjectIdentifier(session)] = endpoint
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
        loop.setTimer(self, at: loop.turn.advanced(milliseconds: Self.pause))
    }
}

extension OnlineSession {
    /// Closes a session that its handler is done with. On its own, so that the frame of a task that
    /// still handles its session need not have room for this.
    @inline(never) func handled() async {
        if end == nil { await close() }
        let core = core
        loop.perform { core.keeper?.sessionDone() }
    }
}
