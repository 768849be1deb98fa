// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import MatchEvents
import OnlinePlay
import TurnBasedPlay

/// What the table tells the main thread.
enum News: Sendable {
    case event(PlayerEvent)
    case closed(TableEnd)
}

/// Carries news from the table's thread to the main one, which waits for file descriptors.
final class Mailbox: Sendable {
    private let waiting = Lock<[News]>([])
    /// Readable while news waits.
    let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))

    func post(_ news: News) {
        waiting.withLock { $0.append(news) }
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }

    func take() -> [News] {
        var count: UInt64 = 0
        read(descriptor, &count, 8)
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

/// The main thread: waits for keys, signals and news, and shows them.
struct MainLoop {
    /// Signals that are taken from a descriptor instead of interrupting.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]
    /// How long after a wish to end the process ends in any case, in milliseconds: goodbyes to the
    /// peer and the network are sent within.
    private static let patience: UInt64 = 2_000

    let frontEnd: any FrontEnd
    let mailbox: Mailbox
    let command: (PlayerCommand) -> Void
    let interrupt: () -> Void

    /// Takes the signals away from every thread that is started later; call it first.
    static func blockSignals() -> Int32 {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        return signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Runs until the table has closed and the player has seen it; the exit code.
    func run(signals: Int32) -> Int32 {
        var polled = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
            // Nothing is awaited but that the reader goes away.
            pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
        ]
        var fatal: Int32?
        /// The exit code, once there is only the end left to be seen.
        var ended: Int32?
        var deadline: UInt64?
        while true {
            var timeout: Int32 = -1
            if let deadline {
                let now = Self.milliseconds()
                guard now < deadline else { return fatal.map { 128 + $0 } ?? 0 }
                timeout = Int32(clamping: deadline - now)
            }
            // Only a clock on the screen, and how long nothing was heard, change by themselves.
            let change = frontEnd.nextChange
            if let change, timeout < 0 || change < UInt64(timeout) {
                timeout = Int32(clamping: change)
            }
            let ready = poll(&polled, nfds_t(polled.count), timeout)
            guard ready >= 0 || errno == EINTR else {
                return ExitCode.disk.rawValue
            }
            if ready == 0, change != nil { frontEnd.redraw() }
            if polled[1].revents != 0 {
                for signal in Self.read(signals) {
                    guard [SIGINT, SIGTERM, SIGHUP].contains(signal) else {
                        frontEnd.follow(signal: signal)
                        continue
                    }
                    // A second one does not cut the farewell short: it is soon over anyway.
                    guard fatal == nil else { continue }
                    if ended != nil { return 128 + signal }
                    fatal = signal
                    deadline = Self.milliseconds() + Self.patience
                    interrupt()
                }
            }
            if polled[0].revents != 0 {
                for order in frontEnd.read() {
                    if let ended {
                        if order == .quit { return ended }
                        continue
                    }
                    if order == .quit {
                        deadline = deadline ?? Self.milliseconds() + Self.patience
                        polled[0].fd = -1
                    }
                    command(order)
                }
            }
            if polled[3].revents != 0 {
                if let ended { return ended }
                polled[3].fd = -1
                deadline = deadline ?? Self.milliseconds() + Self.patience
                command(.quit)
            }
            for news in mailbox.take() {
                switch news {
                case .event(let event): frontEnd.show(event)
                case .closed(let end):
                    let code = fatal.map { 128 + $0 } ?? ExitCode(end).rawValue
                    guard frontEnd.keepsEnd, deadline == nil else { return code }
                    ended = code
                }
            }
            // Nobody plays well who is not told what happens.
            if frontEnd.refusal != nil, deadline == nil {
                deadline = Self.milliseconds() + Self.patience
                command(.quit)
            }
        }
    }

    private static func read(_ descriptor: Int32) -> [Int32] {
        var signals: [Int32] = []
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while Glibc.read(descriptor, &info, size) == size {
            signals.append(Int32(bitPattern: info.ssi_signo))
        }
        return signals
    }

    /// The time on the monotonic clock.
    static func milliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

extension ExitCode {
    /// What a table's end means to the shell.
    init(_ end: TableEnd) {
        self =
            switch end {
            case .quit, .left: .success
            case .unavailable: .unavailable
            case .inUse: .inUse
            case .refused: .refused
            case .brokenPeer: .brokenPeer
            case .disk: .disk
            }
    }
}
