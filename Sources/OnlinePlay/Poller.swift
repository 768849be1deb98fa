// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import SessionProtocol

/// What a loop sleeps in: epoll, with an eventfd that wakes it from another thread and a timerfd
/// for its next moment.
struct Poller: ~Copyable {
    /// What a descriptor reported.
    enum Event {
        /// ``wake()`` was called.
        case woken
        /// The moment of ``setClock(to:)`` has come, or an earlier one that was set before.
        case clock
        /// A descriptor that was added can do what its epoll `events` say.
        case ready(descriptor: Int32, generation: UInt32, events: UInt32)
    }

    private static let most = 256

    private let poll: Int32
    private let wakeUp: Int32
    private let clock: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    /// - Throws: ``OnlineError`` with code `system` if no descriptor is to be had.
    init() throws(OnlineError) {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        clock = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        events = .allocate(capacity: Self.most)
        let edges = EPOLLIN.rawValue | EPOLLET.rawValue
        guard poll >= 0, wakeUp >= 0, clock >= 0, control(EPOLL_CTL_ADD, wakeUp, edges, 0),
            control(EPOLL_CTL_ADD, clock, edges, 0)
        else {
            throw OnlineError(.system, "No event loop: \(systemMessage(errno)).")
        }
    }

    deinit {
        if poll >= 0 { close(poll) }
        if wakeUp >= 0 { close(wakeUp) }
        if clock >= 0 { close(clock) }
        events.deallocate()
    }

    /// Reports, at each change, that `descriptor` can be read or written.
    ///
    /// - Returns: `false` if the system refuses; `errno` says why.
    func add(_ descriptor: Int32, generation: UInt32) -> Bool {
        let events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        return control(EPOLL_CTL_ADD, descriptor, events, generation)
    }

    /// Reports nothing of `descriptor` any more.
    func remove(_ descriptor: Int32) {
        epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Ends the sleep; from any thread, once until ``takeWake()``.
    func wake() {
        var one: UInt64 = 1
        // It cannot fill up: the counter is at most 1 here.
        _ = write(wakeUp, &one, 8)
    }

    /// Makes ``wake()`` work again.
    func takeWake() {
        var count: UInt64 = 0
        _ = read(wakeUp, &count, 8)
    }

    /// Ends the sleep at `due`; `nil`: not by itself.
    ///
    /// It rarely changes, where a time limit for every `epoll_wait` would cost the kernel a timer
    /// each turn.
    func setClock(to due: Instant?) {
        var time = itimerspec()
        if let due {
            // Zero would stop it.
            let nanoseconds = max(1, due.nanoseconds)
            time.it_value.tv_sec = Int(clamping: nanoseconds / 1_000_000_000)
            time.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        timerfd_settime(clock, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    /// Sleeps until something happens, or looks only; says how many ``event(_:)`` there are.
    func wait(sleeping: Bool) -> Int {
        max(0, Int(epoll_wait(poll, events, Int32(Self.most), sleeping ? -1 : 0)))
    }

    /// An event of the last ``wait(sleeping:)``.
    func event(_ index: Int) -> Event {
        let event = events[index]
        let descriptor = Int32(truncatingIfNeeded: event.data.u64)
        if descriptor == wakeUp { return .woken }
        if descriptor == clock { return .clock }
        let generation = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        return .ready(descriptor: descriptor, generation: generation, events: event.events)
    }

    private func control(_ what: Int32, _ descriptor: Int32, _ events: UInt32, _ tag: UInt32)
        -> Bool
    {
        var event = epoll_event()
        event.events = events
        event.data.u64 = UInt64(tag) << 32 | UInt64(UInt32(bitPattern: descriptor))
        return epoll_ctl(poll, what, descriptor, &event) == 0
    }
}
