// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import SessionProtocol

/// Dials several addresses at once; the first that answers wins and the others are closed.
// Sendable although mutable: every member is touched on the loop's thread alone.
final class Connector: LoopMember, @unchecked Sendable {
    typealias Outcome = Result<(descriptor: Int32, endpoint: Endpoint), OnlineError>

    /// One address that is being dialled.
    // Sendable although mutable: every member is touched on the loop's thread alone.
    private final class Attempt: Watched, @unchecked Sendable {
        let descriptor: Int32
        let endpoint: Endpoint
        var generation: UInt32 = 0
        private weak var connector: Connector?

        init(_ descriptor: Int32, _ endpoint: Endpoint, _ connector: Connector) {
            self.descriptor = descriptor
            self.endpoint = endpoint
            self.connector = connector
        }

        func ready(_ events: UInt32) { connector?.decided(self) }
        func loopStopped() { connector?.loopStopped() }
    }

    private let loop: EventLoop
    private let endpoints: [Endpoint]
    private let milliseconds: UInt64
    private var attempts: [Attempt] = []
    private var failures: [(endpoint: Endpoint, error: Int32)] = []
    private var waiter: Waiter<Outcome>?

    private init(_ endpoints: [Endpoint], milliseconds: UInt64, loop: EventLoop) {
        self.endpoints = endpoints
        self.milliseconds = milliseconds
        self.loop = loop
    }

    /// A connected socket and where it leads to, by `deadline`, which is `milliseconds` after the
    /// whole undertaking began.
    static func connect(
        to endpoints: [Endpoint], by deadline: Instant, milliseconds: UInt64, loop: EventLoop
    ) async throws(OnlineError) -> (descriptor: Int32, endpoint: Endpoint) {
        let connector = Connector(endpoints, milliseconds: milliseconds, loop: loop)
        let cancelled = Outcome.failure(
            OnlineError(.cancelled, "The wait for a connection was cancelled."))
        return try await loop.wait(cancelled: cancelled) { connector.start($0, by: deadline) }.get()
    }

    private func start(_ waiter: Waiter<Outcome>, by deadline: Instant) {
        self.waiter = waiter
        waiter.onCancel = { self.closeAll() }
        var dialled: Set<Endpoint> = []
        for endpoint in endpoints where dialled.insert(endpoint).inserted {
            guard self.waiter != nil else { return }
            dial(endpoint)
        }
        guard self.waiter != nil else { return }
        loop.setTimer(self, at: deadline)
        failIfNoneIsLeft()
    }

    private func dial(_ endpoint: Endpoint) {
        let family = endpoint.isIPv4 ? AF_INET : AF_INET6
        guard let descriptor = Sockets.make(family: family) else {
            return failures.append((endpoint, errno))
        }
        let result = endpoint.withSocketAddress { Glibc.connect(descriptor, $0, $1) }
        let reason = errno
        let attempt = Attempt(descriptor, endpoint, self)
        if result == 0 { return won(attempt) }
        guard reason == EINPROGRESS, loop.watch(attempt) else {
            close(descriptor)
            return failures.append((endpoint, reason))
        }
        attempts.append(attempt)
    }

    private func decided(_ attempt: Attempt) {
        attempts.removeAll { $0 === attempt }
        loop.unwatch(attempt)
        let error = Sockets.takeError(attempt.descriptor)
        if error == 0 { return won(attempt) }
        close(attempt.descriptor)
        failures.append((attempt.endpoint, error))
        failIfNoneIsLeft()
    }

    private func won(_ attempt: Attempt) {
        closeAll()
        guard let waiter = waiter.take(), waiter.isWaiting else {
            close(attempt.descriptor)
            return
        }
        waiter.resume(.success((attempt.descriptor, attempt.endpoint)))
    }

    private func failIfNoneIsLeft() {
        guard attempts.isEmpty else { return }
        fail(verdict)
    }

    private func fail(_ error: OnlineError) {
        closeAll()
        waiter.take()?.resume(.failure(error))
    }

    override func timerFired(at now: Instant) {
        let seconds = (milliseconds + 999) / 1_000
        fail(OnlineError(.timedOut, "No answer from \(names) within \(seconds) s."))
    }

    private func loopStopped() {
        fail(OnlineError(.cancelled, "The event loop was stopped."))
    }

    private func closeAll() {
        loop.setTimer(self, at: nil)
        for attempt in attempts {
            loop.unwatch(attempt)
            close(attempt.descriptor)
        }
        attempts.removeAll()
    }

    /// The failure that says most: somebody who refuses is nearer than nobody.
    private var verdict: OnlineError {
        if failures.contains(where: { $0.error == ECONNREFUSED }) {
            return OnlineError(.connectionRefused, "Nobody listens at \(names).")
        }
        if failures.contains(where: { $0.error == ETIMEDOUT }) {
            return OnlineError(.timedOut, "No answer from \(names).")
        }
        guard let first = failures.first else {
            return OnlineError(.notFound, "There is no address to connect to.")
        }
        let unreachable = [
            ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EINVAL, ENETDOWN, EAFNOSUPPORT,
        ]
        return OnlineError(
            unreachable.contains(first.error) ? .unreachable : .system,
            "No way to \(names): \(systemMessage(first.error)).")
    }

    private var names: String {
        endpoints.map(\.description).joined(separator: ", ")
    }
}
