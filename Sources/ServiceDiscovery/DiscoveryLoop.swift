// SPDX-License-Identifier: MIT

import CAvahi  // It brings poll.h.
import CLinux
import Glibc
import ResponderProtocol

/// The thread that drives the machine: wishes, reports, the responder process and time.
///
/// It never waits for the daemon, whose thread is another one.
/// Unchecked because everything below `shared` is touched by this thread alone.
final class DiscoveryLoop: @unchecked Sendable {
    typealias Job = @Sendable (DiscoveryLoop) -> Void
    typealias Answer = CheckedContinuation<[ServiceAddress], Never>

    private struct Shared: Sendable {
        var jobs: [Job] = []
        var isStarted = false
        var isClosed = false
        var wake: Int32 = -1
    }

    private let shared = Lock(Shared())

    private let type: String
    private let path: String?
    private let events: AsyncStream<DiscoveryEvent>.Continuation
    /// What the consumer has no room for yet.
    private var held = HeldEvents()
    private var machine: DiscoveryMachine
    private var daemon: DaemonThread?
    private var process: ResponderProcess?
    private var answers: [UInt32: Answer] = [:]
    private var isClosing = false

    /// How long until a consumer without room is looked at again, in milliseconds.
    private static let retryPause: Milliseconds = 20

    init(
        type: String, fallback: String?, hidden: String?, knownAs: @escaping KnownAs,
        events: AsyncStream<DiscoveryEvent>.Continuation
    ) {
        self.type = type
        self.events = events
        path = fallback
        machine = DiscoveryMachine(
            hasFallback: fallback != nil, hidden: hidden, knownAs: knownAs)
    }

    /// Has the thread do something, starting it if need be; `false` if there is none (any more).
    @discardableResult
    func post(_ job: @escaping Job) -> Bool {
        shared.withLock { shared in
            guard !shared.isClosed, start(&shared) else { return false }
            shared.jobs.append(job)
            eventfd_write(shared.wake, 1)
            return true
        }
    }

    /// Ends everything, without waiting for it.
    func close() {
        shared.withLock { shared in
            guard !shared.isClosed else { return }
            shared.isClosed = true
            guard shared.isStarted else { return events.finish() }
            shared.jobs.append { $0.isClosing = true }
            eventfd_write(shared.wake, 1)
        }
    }

    // MARK: On the thread

    func advertise(_ advertisement: Advertisement?) {
        carryOut(machine.advertise(advertisement, at: monotonicNow()))
    }

    func browse(_ wanted: Bool) { carryOut(machine.browse(wanted, at: monotonicNow())) }

    func mark(_ id: String, stale: Bool) {
        carryOut(machine.mark(id: id, stale: stale, at: monotonicNow()))
    }

    func lookUp(_ number: UInt32, _ host: String, _ limit: Milliseconds, _ answer: Answer) {
        answers[number] = answer
        let now = monotonicNow()
        carryOut(machine.lookUp(number: number, host: host, until: now + limit, at: now))
    }

    func forget(_ number: UInt32) {
        carryOut(machine.forget(number: number, at: monotonicNow()))
        answers.removeValue(forKey: number)?.resume(returning: [])
    }

    private func start(_ shared: inout Shared) -> Bool {
        if shared.isStarted { return true }
        shared.wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        let wake = shared.wake
        guard wake >= 0 else { return false }
        // The thread holds this object until it is closed.
        shared.isStarted = startThread { self.run(wake) }
        if !shared.isStarted { Glibc.close(wake) }
        return shared.isStarted
    }

    private func run(_ wake: Int32) {
        while !isClosing {
            // Nobody says when the consumer has taken something.
            let retry = held.first == nil ? nil : monotonicNow() + Self.retryPause
            let deadline = machine.deadline(at: monotonicNow())
            wait(wake, until: [deadline, retry].compactMap { $0 }.min())
            held.tell(to: events)
            let jobs = shared.withLock { shared in
                defer { shared.jobs = [] }
                return shared.jobs
            }
            for job in jobs { job(self) }
            carryOut(machine.tick(at: monotonicNow()))
        }
        finish(wake)
    }

    /// Waits for a job, the process or the deadline, and reads what the process says.
    private func wait(_ wake: Int32, until deadline: Milliseconds?) {
        var watched = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        if let process {
            let events = process.wantsToWrite ? POLLIN | POLLOUT : POLLIN
            // cannot trap: these are the two lowest flags.
            watched.append(pollfd(fd: process.descriptor, events: Int16(events), revents: 0))
        }
        let span = deadline.map { Int32(clamping: max(0, $0 - monotonicNow())) }
        guard poll(&watched, nfds_t(watched.count), span ?? -1) > 0 else { return }
        var count: eventfd_t = 0
        if watched[0].revents != 0 { eventfd_read(wake, &count) }
        if watched.count > 1, watched[1].revents != 0 { serveProcess() }
    }

    private func serveProcess() {
        guard let process else { return }
        guard process.flush(), let reports = process.receive() else { return processEnded() }
        for report in reports {
            take(report, from: .own)
        }
    }

    private func take(_ report: Report, from sender: DiscoveryMeans) {
        let now = monotonicNow()
        // What is found is judged by the networks there are now.
        if case .found = report, let networks = LocalNetworks.current() {
            machine.take(networks, at: now)
        }
        carryOut(machine.report(report, from: sender, at: now))
    }

    private func processEnded() {
        process = nil
        carryOut(machine.fallbackEnded(at: monotonicNow()))
    }

    private func carryOut(_ effects: [DiscoveryMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .act(let action): act(action)
            case .order(let order, to: .daemon): orderDaemon { $0.carryOut(order) }
            case .order(let order, to: _):
                // One that has stopped reading is as good as dead.
                if process?.send(order) == false { process?.killNow() }
            case .tell(let event):
                held.add(event)
                held.tell(to: events)
            case .answer(let number, let addresses):
                answers.removeValue(forKey: number)?.resume(returning: addresses)
            }
        }
    }

    private func act(_ action: MeansMachine.Action) {
        switch action {
        case .openDaemon: orderDaemon { $0.open() }
        case .startFallback:
            process = path.flatMap { ResponderProcess(path: $0, type: type) }
            if process == nil { post { $0.processEnded() } }
        case .stopFallback: process?.finish()
        case .killFallback: process?.killNow()
        }
    }

    private func orderDaemon(_ order: @escaping @Sendable (DaemonThread) -> Void) {
        if daemon == nil {
            daemon = DaemonThread(
                type: type,
                tell: { [weak self] news in
                    self?.post { $0.carryOut($0.machine.heard(news, at: monotonicNow())) }
                },
                post: { [weak self] report in
                    self?.post { $0.take(report, from: .daemon) }
                })
        }
        daemon?.perform { [weak self] thread in
            order(thread)
            self?.post { $0.carryOut($0.machine.answered(at: monotonicNow())) }
        }
    }

    private func finish(_ wake: Int32) {
        for answer in answers.values { answer.resume(returning: []) }
        answers = [:]
        daemon?.stop()
        daemon = nil
        if let process {
            process.finish()
            let end = monotonicNow() + MeansMachine.goodbyePatience
            while monotonicNow() < end, process.receive() != nil {
                var watched = pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&watched, 1, Int32(clamping: end - monotonicNow()))
            }
        }
        process = nil
        Glibc.close(wake)
        events.finish()
    }
}
