// SPDX-License-Identifier: MIT

/// Decides by what means discovery works: the daemon, else the own responder process, else none.
///
/// Inputs are the wish (``need()``), news of the daemon and of the process, and time. After each, ``settle(at:)`` says what to do;
/// ``current`` says who is given orders now.
package struct MeansMachine: Sendable {
    /// What is known of the daemon.
    package enum DaemonNews: Sendable, Hashable, CaseIterable {
        /// There is no bus to ask for it.
        case absent
        /// The bus is there, the daemon is not; it is told when it comes.
        case connecting
        /// It is there and gets its host name; it can be used soon, or again.
        case registering
        /// It can be used.
        case running
        /// The connection to it ended, and has to be opened anew.
        case lost
    }

    /// What the caller must do.
    package enum Action: Sendable, Hashable {
        /// Connect to the daemon, leaving any earlier connection. It counts as an order.
        case openDaemon
        /// Start the process.
        case startFallback
        /// Let the process say goodbye and end.
        case stopFallback
        /// End the process at once.
        case killFallback
    }

    /// How long the daemon may take to answer an order before it is held to hang.
    package static let daemonPatience: Milliseconds = 2000
    /// How long a daemon that went away is waited for before the process is started.
    package static let restartPatience: Milliseconds = 2500
    /// How long the process may take to start.
    package static let startPatience: Milliseconds = 3000
    /// How long the process may take to say goodbye.
    package static let goodbyePatience: Milliseconds = 1000

    /// How long one must have worked for its end to be met with a start at once.
    package static let soundAfter: Milliseconds = 4000

    private enum Daemon: Sendable {
        case unopened
        case opening
        case connecting
        case registering(until: Milliseconds)
        case running(since: Milliseconds)
        case absent(retryAt: Milliseconds)
    }

    private enum Fallback: Sendable {
        case idle
        case starting(until: Milliseconds)
        case ready(since: Milliseconds)
        /// Until it is killed (never, once it was); it has ended when that is reported.
        case stopping(until: Milliseconds?)
        case waiting(until: Milliseconds)
    }

    private static let daemonDelays: [Milliseconds] = [0, 500, 1000, 2000, 5000]
    private static let newcomerDelay: Milliseconds = 10_000
    private static let fallbackDelays: [Milliseconds] = [50, 250, 500, 1000, 2000, 5000, 30_000]

    private let hasFallback: Bool
    private var isNeeded = false
    private var daemon = Daemon.unopened
    private var daemonFailures = 0
    private var hasSeenDaemon = false
    private var unanswered = 0
    private var answerDue: Milliseconds?
    private var isHanging = false
    private var waitForDaemon: Milliseconds = 0
    private var fallback = Fallback.idle
    private var fallbackFailures = 0

    /// Who is given orders now.
    package private(set) var current = DiscoveryMeans.none

    /// Makes a machine that does nothing until it is needed.
    package init(hasFallback: Bool) {
        self.hasFallback = hasFallback
    }

    /// Whether the process may be running, so that its adverts may still be about.
    package var isFallbackAlive: Bool {
        switch fallback {
        case .starting, .ready, .stopping: true
        case .idle, .waiting: false
        }
    }

    /// Whether it is settled that there are no means, and will be none soon.
    package func isHopeless(at now: Milliseconds) -> Bool {
        guard isNeeded, current == .none, !isDaemonComing(at: now), !isFallbackAlive else {
            return false
        }
        return !hasFallback || fallbackFailures >= 3
    }

    /// Whether there are no means for now, and none about to be.
    package func isNoneSettled(at now: Milliseconds) -> Bool {
        guard isNeeded, current == .none, !isDaemonComing(at: now) else { return false }
        return !isFallbackAlive && (!hasFallback || fallbackFailures > 1)
    }

    /// The moment at which ``settle(at:)`` has something to do by itself, or `nil`.
    package func deadline(at now: Milliseconds) -> Milliseconds? {
        guard isNeeded else { return nil }
        var moments = [answerDue]
        switch daemon {
        case .absent(let retryAt): moments.append(retryAt)
        case .registering(let until) where until > now: moments.append(until)
        case .unopened, .opening, .connecting, .registering, .running: break
        }
        if waitForDaemon > now { moments.append(waitForDaemon) }
        switch fallback {
        case .starting(let until), .waiting(let until): moments.append(until)
        case .stopping(let until): moments.append(until)
        case .idle, .ready: break
        }
        return moments.compactMap { $0 }.min()
    }

    /// Takes that discovery is wanted.
    package mutating func need() { isNeeded = true }

    /// Takes news of the daemon.
    package mutating func heard(_ news: DaemonNews, at now: Milliseconds) {
        switch news {
        case .absent: daemon = .absent(retryAt: now + nextDaemonDelay())
        case .connecting:
            daemon = .connecting
            hasSeenDaemon = true
        case .registering: daemon = .registering(until: now + Self.startPatience)
        case .running:
            daemon = .running(since: now)
            hasSeenDaemon = true
        case .lost:
            // One that ends soon after each start must not be met with haste.
            if case .running(let since) = daemon, now - since >= Self.soundAfter {
                daemonFailures = 0
            }
            daemon = .absent(retryAt: now + nextDaemonDelay())
            waitForDaemon = now + Self.restartPatience
        }
    }

    /// Takes that the daemon was given an order.
    package mutating func ordered(at now: Milliseconds) {
        unanswered += 1
        if answerDue == nil, !isHanging { answerDue = now + Self.daemonPatience }
    }

    /// Takes that the daemon has carried out an order, be it that it failed.
    package mutating func answered(at now: Milliseconds) {
        unanswered -= 1
        if unanswered <= 0 {
            isHanging = false
            answerDue = nil
        } else if !isHanging {
            answerDue = now + Self.daemonPatience
        }
    }

    /// Takes that the process takes orders.
    package mutating func fallbackReady(at now: Milliseconds) {
        if case .starting = fallback { fallback = .ready(since: now) }
    }

    /// Takes that the process ended, or could not be started.
    package mutating func fallbackEnded(at now: Milliseconds) {
        if case .ready(let since) = fallback, now - since >= Self.soundAfter {
            fallbackFailures = 0
        }
        if case .stopping(until: .some) = fallback {
            fallback = .idle
            return
        }
        let delay = Self.fallbackDelays[min(fallbackFailures, Self.fallbackDelays.count - 1)]
        fallbackFailures += 1
        fallback = .waiting(until: now + delay)
    }

    /// Says what to do now.
    package mutating func settle(at now: Milliseconds) -> [Action] {
        guard isNeeded else { return [] }
        var actions = settleDaemon(at: now)
        let usable = isDaemonUsable
        actions += usable ? rest(at: now) : fallBack(at: now)
        if usable {
            current = .daemon
        } else if case .ready = fallback {
            current = .own
        } else {
            current = .none
        }
        return actions
    }

    private var isDaemonUsable: Bool {
        guard !isHanging else { return false }
        switch daemon {
        case .running: return true
        // A daemon that gets itself another host name keeps what it was asked to look for.
        case .registering: return current == .daemon
        case .unopened, .opening, .connecting, .absent: return false
        }
    }

    private func isDaemonComing(at now: Milliseconds) -> Bool {
        guard !isHanging else { return false }
        switch daemon {
        case .unopened, .opening: return true
        case .registering(let until): return now < until
        case .connecting, .absent, .running: return now < waitForDaemon
        }
    }

    private mutating func nextDaemonDelay() -> Milliseconds {
        defer { daemonFailures += 1 }
        // What never was there is not waited for with haste.
        guard hasSeenDaemon else { return Self.newcomerDelay }
        return Self.daemonDelays[min(daemonFailures, Self.daemonDelays.count - 1)]
    }

    private mutating func settleDaemon(at now: Milliseconds) -> [Action] {
        if let due = answerDue, due <= now {
            isHanging = true
            answerDue = nil
        }
        switch daemon {
        case .unopened: break
        case .absent(let retryAt) where retryAt <= now: break
        case .opening, .connecting, .registering, .running, .absent: return []
        }
        daemon = .opening
        return [.openDaemon]
    }

    /// The daemon serves: the process is not needed.
    private mutating func rest(at now: Milliseconds) -> [Action] {
        switch fallback {
        case .starting, .ready:
            fallback = .stopping(until: now + Self.goodbyePatience)
            return [.stopFallback]
        case .stopping(let until): return killIfDue(until, at: now)
        case .waiting:
            fallback = .idle
            return []
        case .idle: return []
        }
    }

    private mutating func fallBack(at now: Milliseconds) -> [Action] {
        switch fallback {
        case .starting(let until): return killIfDue(until, at: now)
        case .stopping(let until): return killIfDue(until, at: now)
        case .ready: return []
        case .waiting(let until) where now < until: return []
        case .idle, .waiting: break
        }
        guard hasFallback, !isDaemonComing(at: now) else {
            fallback = .idle
            return []
        }
        fallback = .starting(until: now + Self.startPatience)
        return [.startFallback]
    }

    private mutating func killIfDue(_ until: Milliseconds?, at now: Milliseconds) -> [Action] {
        guard let until, until <= now else { return [] }
        fallback = .stopping(until: nil)
        return [.killFallback]
    }
}
