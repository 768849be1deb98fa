// SPDX-License-Identifier: MIT

public import SessionProtocol

extension OnlineSession {
    /// Connects to whichever of the addresses answers first, dialling all at once, and waits until
    /// the session is ready.
    ///
    /// - Throws: ``OnlineError``: `connectionRefused`, `unreachable`, `timedOut` (after 4 s), `ended`
    ///   (no session came about, and why), `cancelled` or `system`.
    public static func connect(
        to endpoints: [Endpoint], security: Security, hello: Hello,
        limits: OnlineLimits = OnlineLimits(), loop: EventLoop? = nil
    ) async throws(OnlineError) -> OnlineSession {
        var settings = SessionSettings(security: security, hello: hello)
        settings.limits = limits
        return try await meet(at: endpoints, settings: settings, loop: loop)
    }

    /// Connects to a host given by name or in figures; see ``connect(to:security:hello:limits:loop:)``.
    public static func connect(
        to host: String, port: UInt16, security: Security, hello: Hello,
        limits: OnlineLimits = OnlineLimits(), loop: EventLoop? = nil
    ) async throws(OnlineError) -> OnlineSession {
        let loop = try EventLoop.orShared(loop)
        let deadline = loop.now().advanced(milliseconds: limits.connect)
        let endpoints = try await Endpoint.lookUp(
            host: host, port: port, by: deadline, loop: loop)
        var settings = SessionSettings(security: security, hello: hello)
        settings.limits = limits
        return try await meet(at: endpoints, settings: settings, by: deadline, loop: loop)
    }

    /// Connects, and waits until the session is ready; for a while again if the other side turns
    /// the connection away without looking at it.
    ///
    /// - Parameters:
    ///   - endpoints: The addresses, dialled all at once.
    ///   - settings: Everything that can be set.
    ///   - deadline: When to give up connecting; in 4 s if none is given.
    ///   - loop: The loop to run on; the shared one if none is given.
    /// - Returns: The session.
    /// - Throws: ``OnlineError`` as ``connect(to:security:hello:limits:loop:)`` does.
    package static func meet(
        at endpoints: [Endpoint], settings: SessionSettings, by deadline: Instant? = nil,
        loop: EventLoop? = nil
    ) async throws(OnlineError) -> OnlineSession {
        let loop = try EventLoop.orShared(loop)
        let last = loop.now().advanced(milliseconds: settings.limits.insistence)
        while true {
            let session = try await dial(
                to: endpoints, settings: settings, by: deadline, loop: loop)
            do throws(OnlineError) {
                try await session.ready()
                return session
            } catch {
                guard error.isAboutRoom, loop.now() < last, !Task.isCancelled else { throw error }
            }
            // Not all at the same moment.
            let pause = UInt64.random(in: 10...30)
            await loop.sleep(until: loop.now().advanced(milliseconds: pause))
        }
    }

    /// Connects and starts a session that need not be ready yet.
    ///
    /// - Parameters:
    ///   - endpoints: The addresses, dialled all at once.
    ///   - settings: Everything that can be set.
    ///   - deadline: When to give up; in 4 s if none is given.
    ///   - loop: The loop to run on; the shared one if none is given.
    /// - Returns: The session on the first connection that came about.
    /// - Throws: ``OnlineError`` as ``connect(to:security:hello:limits:loop:)`` does, but for `ended`.
    package static func dial(
        to endpoints: [Endpoint], settings: SessionSettings, by deadline: Instant? = nil,
        loop: EventLoop? = nil
    ) async throws(OnlineError) -> OnlineSession {
        let loop = try EventLoop.orShared(loop)
        let time = settings.limits.connect
        let deadline = deadline ?? loop.now().advanced(milliseconds: time)
        let (descriptor, endpoint) = try await Connector.connect(
            to: endpoints, by: deadline, milliseconds: time, loop: loop)
        let stream = DescriptorStream(socket: descriptor, loop: loop)
        return try OnlineSession(
            input: stream, output: stream, role: .initiator, settings: settings,
            address: endpoint, loop: loop)
    }
}

extension OnlineError {
    /// Whether the other side may only have had no room.
    fileprivate var isAboutRoom: Bool {
        switch end {
        case .lost, .readError, .writeError: true
        case .refused(let refusal): refusal.code == .full
        default: false
        }
    }
}
