// SPDX-License-Identifier: MIT

import CLinux
import Glibc
public import SessionProtocol

/// A thread that waits for sockets and timers, and runs the tasks that use them.
///
/// As a task executor it lets a handler go on, after `await`, on the very thread that read the
/// bytes; an embedder's actor may have ``asUnownedSerialExecutor()`` as its executor:
///
/// ```swift
/// import OnlinePlay
///
/// let loop = try EventLoop()
/// await withTaskExecutorPreference(loop) {
///     print("on the loop's thread, also after an await")
/// }
/// ```
///
/// What runs on the loop must not block: every session of the loop waits meanwhile.
/// A loop on which nothing happens sleeps in the kernel and has no timer of its own.
///
/// It is `Sendable` although mutable: what is not behind a lock is touched on its thread alone.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The loop as the executor of actors. An object of its own, to tell an actor's jobs from a
    /// task's: a task that runs as if on an actor would be enqueued anew at each `await`.
    // Sendable although mutable: `loop` is set once, before anybody else sees this.
    private final class Actors: SerialExecutor, @unchecked Sendable {
        weak var loop: EventLoop?

        func enqueue(_ job: consuming ExecutorJob) {
            loop?.enqueue(Job(job: UnownedJob(job), isTask: false))
        }

        func isIsolatingCurrentContext() -> Bool? { loop?.isCurrent }
    }

    private struct Job {
        let job: UnownedJob
        let isTask: Bool
    }

    /// What other threads hand to the loop.
    private struct Inbox {
        var jobs: [Job] = []
        var calls: [@Sendable () -> Void] = []
        var isWoken = false
    }

    private static let sharedLoop = Result { () throws(OnlineError) in try EventLoop() }

    private let poller: Poller
    private let inbox = Lock(Inbox())
    private let actors = Actors()
    private let thread: UnsafeMutablePointer<pthread_t>

    // What follows is used on one thread and never lent out, so that checking the accesses at run
    // time, which each turn would pay for, finds nothing.
    // Each list has a second array to swap with, so that a turn allocates nothing.
    @exclusivity(unchecked) private var jobs: [Job] = []
    @exclusivity(unchecked) private var runningJobs: [Job] = []
    @exclusivity(unchecked) private var unsettled: [LoopMember] = []
    @exclusivity(unchecked) private var settling: [LoopMember] = []
    @exclusivity(unchecked) private var timers = TimerHeap()
    /// When the clock is set to go off.
    private var clockInstant: Instant?
    @exclusivity(unchecked) private var watched: [(any Watched)?] = []
    private var generation: UInt32 = 0
    private var isStopping = false

    /// Where every session of the loop reads into; nothing stays there between two turns.
    let chunk: UnsafeMutableRawBufferPointer
    /// Where what TLS makes of the chunk goes.
    let scratch: UnsafeMutableRawBufferPointer
    /// Held by whoever reads or writes what a session shows to all threads. What it guards is with
    /// the sessions; the value has a size because one without would seem to lie elsewhere.
    let publication = Lock(false)
    /// When the current turn began.
    private(set) var turn: Instant

    /// Starts a loop on a thread of its own.
    ///
    /// - Throws: ``OnlineError`` with code `system` if no descriptor or thread is to be had.
    public init() throws(OnlineError) {
        poller = try Poller()
        chunk = .allocate(byteCount: 65_536, alignment: 16)
        scratch = .allocate(byteCount: 16_384, alignment: 16)
        thread = .allocate(capacity: 1)
        thread.initialize(to: pthread_t())
        turn = Instant(nanoseconds: monotonicNanoseconds())
        actors.loop = self
        // The new thread first passes the lock, so that it sees its own id.
        let failure = inbox.withLock { _ in
            pthread_create(
                thread, nil,
                { argument in
                    if let argument {
                        Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run()
                    }
                    return nil
                }, Unmanaged.passRetained(self).toOpaque())
        }
        guard failure == 0 else {
            Unmanaged.passUnretained(self).release()
            throw OnlineError(.system, "No thread for the event loop: \(systemMessage(failure)).")
        }
        pthread_detach(thread.pointee)
    }

    deinit {
        chunk.deallocate()
        scratch.deallocate()
        thread.deallocate()
    }

    /// The loop that is used where none is named; it starts when it is first asked for.
    public static var shared: EventLoop {
        get throws(OnlineError) { try sharedLoop.get() }
    }

    /// `loop`, or the shared one.
    static func orShared(_ loop: EventLoop?) throws(OnlineError) -> EventLoop {
        if let loop { return loop }
        return try shared
    }

    /// The time on the monotonic clock that all sessions of the process share.
    public func now() -> Instant {
        Instant(nanoseconds: monotonicNanoseconds())
    }

    /// Ends the loop's thread: its sessions are lost, and no task runs on it any more.
    ///
    /// Call it when everything that used the loop is done. The shared loop needs no stopping.
    public func stop() {
        execute { self.isStopping = true }
    }

    /// Runs `job` in the next turn.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(Job(job: UnownedJob(job), isTask: true))
    }

    private func enqueue(_ job: Job) {
        if isCurrent {
            jobs.append(job)
        } else {
            inbox.withLock { $0.jobs.append(job) }
            wake()
        }
    }

    /// The loop as the executor of an actor, which must keep the loop.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: actors)
    }

    // MARK: For what lives on the loop

    /// Whether the caller runs on the loop's thread.
    var isCurrent: Bool { pthread_equal(pthread_self(), thread.pointee) != 0 }

    /// Calls `body` on the loop's thread, after the present turn if that is where the caller is.
    func execute(_ body: @escaping @Sendable () -> Void) {
        inbox.withLock { $0.calls.append(body) }
        wake()
    }

    /// Settles `member` at the end of this turn.
    func settleLater(_ member: LoopMember) {
        guard !member.isUnsettled else { return }
        member.isUnsettled = true
        unsettled.append(member)
    }

    /// Wakes `member` at `instant`, or not at all.
    func setTimer(_ member: LoopMember, at instant: Instant?) {
        guard let instant else { return timers.cancel(member) }
        guard member.timerIndex < 0 || member.timerInstant != instant else { return }
        timers.set(member, at: instant)
    }

    /// Reports from now on when `item`'s descriptor can be read or written, at each change.
    ///
    /// - Returns: `false` if the system refuses; `errno` says why.
    func watch(_ item: any Watched) -> Bool {
        let index = Int(item.descriptor)
        generation &+= 1
        item.generation = generation
        guard poller.add(item.descriptor, generation: generation) else { return false }
        while watched.count <= index { watched.append(nil) }
        watched[index] = item
        return true
    }

    /// Reports nothing of `item` any more; call it before its descriptor is closed.
    func unwatch(_ item: any Watched) {
        let index = Int(item.descriptor)
        guard index < watched.count, watched[index] === item else { return }
        watched[index] = nil
        poller.remove(item.descriptor)
    }

    // MARK: The thread

    private func wake() {
        let isAsleep = inbox.withLock { inbox in
            defer { inbox.isWoken = true }
            return !inbox.isWoken
        }
        if isAsleep { poller.wake() }
    }

    private func run() {
        inbox.withLock { _ in }
        // A pipe whose reader is gone must be an error here, not the end of the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while !isStopping {
            if timers.earliest != clockInstant {
                clockInstant = timers.earliest
                poller.setClock(to: clockInstant)
            }
            let count = poller.wait(sleeping: jobs.isEmpty && unsettled.isEmpty)
            turn = now()
            for index in 0..<count { dispatch(poller.event(index)) }
            while let member = timers.popDue(at: turn) { member.timerFired(at: turn) }
            work()
        }
        for item in watched { item?.loopStopped() }
        takeInbox()
        work()
    }

    private func dispatch(_ event: Poller.Event) {
        switch event {
        case .woken: takeInbox()
        case .clock: clockInstant = nil
        case .ready(let descriptor, let generation, let events):
            let index = Int(descriptor)
            // An event of a descriptor that was closed, and perhaps opened anew, in this turn.
            guard index >= 0, index < watched.count, let item = watched[index],
                item.generation == generation
            else { return }
            item.ready(events)
        }
    }

    private func takeInbox() {
        poller.takeWake()
        let (newJobs, calls) = inbox.withLock { inbox in
            defer {
                inbox.jobs.removeAll()
                inbox.calls.removeAll()
                inbox.isWoken = false
            }
            return (inbox.jobs, inbox.calls)
        }
        jobs.append(contentsOf: newJobs)
        for call in calls { call() }
    }

    /// Runs what is ready and settles what it touched, a bounded number of times: tasks that
    /// always have something to do must not keep the loop from its sockets.
    private func work() {
        let asTask = asUnownedTaskExecutor()
        let asActor = asUnownedSerialExecutor()
        var rounds = 0
        while !(jobs.isEmpty && unsettled.isEmpty), rounds < 16 {
            rounds += 1
            swap(&jobs, &runningJobs)
            for job in runningJobs {
                if job.isTask {
                    job.job.runSynchronously(on: asTask)
                } else {
                    job.job.runSynchronously(isolatedTo: asActor, taskExecutor: asTask)
                }
            }
            runningJobs.removeAll(keepingCapacity: true)
            if jobs.isEmpty { settle() }
        }
    }

    private func settle() {
        swap(&unsettled, &settling)
        for member in settling {
            member.isUnsettled = false
            member.settle(at: turn)
        }
        settling.removeAll(keepingCapacity: true)
    }
}
