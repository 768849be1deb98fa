// SPDX-License-Identifier: MIT

import CLinux
import Glibc
public import SessionProtocol

/// Waits for peers on a TCP port, over IPv4 and IPv6.
///
/// ```swift
/// import OnlinePlay
/// import SessionProtocol
///
/// let me = try Identity.load(directory: "/home/ann/.config/game")
/// let hello = Hello(
///     application: "game", applicationVersions: VersionRange(1, 1), name: "Ann",
///     instance: .random())
/// let listener = try OnlineListener(port: 4_242, security: .identity(me), hello: hello)
/// await listener.run(limit: 64) { session in
///     while let packet = try await session.next() { try await session.send(packet.bytes) }
/// }
/// ```
///
/// Every hello of the same application gets a session, whoever says it: a handler that does not
/// want to talk to ``OnlineSession/peer`` closes the session. A hello that wants to go on with an
/// earlier session is refused.
///
/// Connections that have not said hello yet are few, and for a short time: 32 in all, 4 from one
/// address, 5 s. Of more from one address the newest are closed at once; where there are too many
/// in all one that waits has to go, drawn by lot among those that look worst, so a newcomer always
/// has a chance. ``OnlineLimits`` has the figures.
public final class OnlineListener: Sendable {
    /// The port, also when the system has chosen it.
    public let port: UInt16
    /// The loop that the sessions run on.
    public let loop: EventLoop

    private let core: ListenerCore
    private let local: Endpoint

    /// Opens the port. Nothing is accepted before ``run(limit:_:)``.
    ///
    /// - Parameters:
    ///   - port: The port; if none is given, the system chooses a free one.
    ///   - bind: The only address to listen on, in figures; if none is given, all of this machine.
    ///   - security: How the sessions are protected.
    ///   - hello: What this side says of itself.
    ///   - limits: Every limit and deadline, of the sessions and before them.
    ///   - loop: The loop to run on; the shared one if none is given.
    /// - Throws: ``OnlineError`` with code `portTaken`, `unusableAddress` or `system`.
    public convenience init(
        port: UInt16? = nil, bind: String? = nil, security: Security, hello: Hello,
        limits: OnlineLimits = OnlineLimits(), loop: EventLoop? = nil
    ) throws(OnlineError) {
        var settings = SessionSettings(security: security, hello: hello)
        settings.limits = limits
        try self.init(port: port, bind: bind, settings: settings, loop: loop)
    }

    /// Opens the port for sessions with everything that can be set.
    package init(
        port: UInt16? = nil, bind: String? = nil, settings: SessionSettings, loop: EventLoop? = nil
    ) throws(OnlineError) {
        let loop = try EventLoop.orShared(loop)
        let descriptor = try ListeningSocket.open(
            port: port ?? 0, address: bind, backlog: settings.limits.backlog)
        guard let local = Endpoint(of: descriptor, by: getsockname) else {
            Glibc.close(descriptor)
            throw OnlineError(.system, "The port is not known: \(systemMessage(errno)).")
        }
        self.loop = loop
        self.local = local
        self.port = local.port
        core = ListenerCore(descriptor, settings: settings, loop: loop)
    }

    deinit {
        close()
    }

    /// Accepts peers until the task is cancelled or the listener closed, each in a child task on
    /// the loop; then the port is closed, and it ends when the children have.
    ///
    /// A session is closed when its handler returns or throws; what it throws concerns nobody else.
    /// A listener runs once: while it runs, and after that, another call returns at once.
    ///
    /// - Parameters:
    ///   - limit: How many sessions may go on at a time; further peers are refused as
    ///     `RefuseCode.full`.
    ///   - handler: What is done with each session.
    public func run(
        limit: Int = 64, _ handler: @escaping @Sendable (OnlineSession) async throws -> Void
    ) async {
        let core = core
        guard await loop.call({ core.start(limit: limit) }) else { return }
        await withDiscardingTaskGroup { group in
            while let session = await core.loop.wait(cancelled: nil, { core.next($0) }) {
                // What a task captures, and its frames, it has for as long as the session lives.
                group.addTask(executorPreference: core.loop) {
                    try? await handler(session)
                    await session.handled()
                }
            }
            close()
        }
    }

    /// Closes the port; sessions that were handed over go on.
    public func close() {
        let core = core
        loop.perform { core.close() }
    }

    /// Where a peer may connect to: this machine's addresses, or the one bound to.
    public var addresses: [Endpoint] {
        guard local.address.allSatisfy({ $0 == 0 }) else { return [local] }
        return LocalAddresses.present(port: port).filter { $0.isIPv4 || !local.isIPv4 }
    }

    /// The interface with the address that was bound to, and `nil` for all.
    package var interface: UInt32? {
        guard !local.address.allSatisfy({ $0 == 0 }) else { return nil }
        return local.scope != 0 ? local.scope : LocalAddresses.interface(of: local.address)
    }

    /// Whether only IPv4 is listened on.
    package var isIPv4: Bool { local.isIPv4 }
}
