// SPDX-License-Identifier: MIT

public import SessionProtocol

/// A session with a peer over one connection: packets in order, and none twice.
///
/// ```swift
/// import OnlinePlay
/// import SessionProtocol
///
/// let me = try Identity.load(directory: "/home/ann/.config/game")
/// let hello = Hello(
///     application: "game", applicationVersions: VersionRange(1, 1), name: "Ann",
///     instance: .random())
/// let session = try await OnlineSession.connect(
///     to: "10.0.0.7", port: 4_242, security: .identity(me), hello: hello)
/// try await session.send(Array("hello".utf8))
/// for try await packet in session.packets { print(packet.bytes) }
/// await session.close()
/// ```
///
/// A session lasts as long as its connection. When that is lost, so is the session, and what was
/// on its way may or may not have arrived; a new one begins with nothing. Whose ``next()`` gives
/// `nil` because the other side said goodbye (``end`` is `left`) has got every packet that was sent
/// before. Who sent them is not told which arrived: where that matters, let the other side answer.
/// A match that outlives connections is a `Table`'s, of TurnBasedPlay.
///
/// Every method may be called from any task; a task that prefers the session's ``EventLoop`` as its
/// executor is served without changing threads. A session that nobody holds any more says goodbye.
public final class OnlineSession: Sendable {
    let core: SessionCore

    init(_ core: SessionCore) {
        self.core = core
    }

    /// Starts a session over any pair of streams, which it takes over. Await ``ready()`` next.
    ///
    /// - Parameters:
    ///   - input: Where the peer's bytes come from.
    ///   - output: Where bytes for the peer go; it may be the same object as `input`.
    ///   - role: Which end this is; the other side must be the other one.
    ///   - security: How the session is protected; alike on both sides.
    ///   - hello: What this side says of itself.
    ///   - limits: Every limit and deadline.
    ///   - loop: The loop to run on; the shared one if none is given.
    /// - Throws: ``OnlineError`` with code `system`.
    public convenience init(
        input: any ByteInput, output: any ByteOutput, role: Role, security: Security, hello: Hello,
        limits: OnlineLimits = OnlineLimits(), loop: EventLoop? = nil
    ) throws(OnlineError) {
        var settings = SessionSettings(security: security, hello: hello)
        settings.limits = limits
        try self.init(input: input, output: output, role: role, settings: settings, loop: loop)
    }

    /// Starts a session over two file descriptors, which it takes over and closes: a pipe for each
    /// direction, or one socket given twice.
    public convenience init(
        input: Int32, output: Int32, role: Role, security: Security, hello: Hello,
        limits: OnlineLimits = OnlineLimits(), loop: EventLoop? = nil
    ) throws(OnlineError) {
        let loop = try EventLoop.orShared(loop)
        let from = DescriptorStream(input, loop: loop)
        let to = input == output ? from : DescriptorStream(output, loop: loop)
        try self.init(
            input: from, output: to, role: role, security: security, hello: hello, limits: limits,
            loop: loop)
    }

    /// Starts a session with everything that can be set.
    package convenience init(
        input: any ByteInput, output: any ByteOutput, role: Role, settings: SessionSettings,
        address: Endpoint? = nil, loop: EventLoop? = nil
    ) throws(OnlineError) {
        let loop = try EventLoop.orShared(loop)
        let core = try SessionCore(
            input: input, output: output, role: role, settings: settings, address: address,
            loop: loop, now: loop.now())
        self.init(core)
        loop.perform { core.start() }
    }

    deinit {
        let core = core
        core.loop.perform { core.command { $0.close(.left) } }
    }

    /// Who is at the other end, once its hello is here.
    public var peer: Peer? { core.withPublished { $0.peer } }

    /// 32 bytes that only the two ends of this connection know; zeros without TLS, and before the
    /// session is ready.
    public var exporter: [UInt8] { core.withPublished { $0.exporter } }

    /// Why the session ended, once it has.
    public var end: SessionEnd? { core.withPublished { $0.end } }

    /// The loop that the session runs on.
    public var loop: EventLoop { core.loop }

    /// Waits until both sides have said hello.
    ///
    /// - Throws: ``OnlineError`` with code `ended` or `cancelled`.
    public func ready() async throws(OnlineError) {
        let core = core
        guard await core.loop.wait(cancelled: false, { core.awaitReady($0) }) else {
            throw OnlineError(.cancelled, "The wait for the session was cancelled.")
        }
        if let end {
            throw OnlineError(.ended, "No session: \(end.sentence).", end: end)
        }
    }

    /// Waits for the next packet; `nil` when either side has said goodbye. A packet counts as
    /// received by this side, which lets the peer send more, when it is taken here.
    ///
    /// - Throws: ``SessionError/ended(_:)`` when the session ended in any other way,
    ///   ``SessionError/cancelled``, or ``SessionError/alreadyWaiting``.
    public func next() async throws(SessionError) -> Packet? {
        guard core.loop.isCurrent else { return try await nextElsewhere() }
        guard !core.isWorthALook else { return try packet(after: .look) }
        return try packet(after: await core.awaitEvent())
    }

    /// The same from another thread.
    @inline(never) private func nextElsewhere() async throws(SessionError) -> Packet? {
        let core = core
        let wake = await core.loop.wait(cancelled: .cancelled) {
            core.awaitEvent(.elsewhere($0))
        }
        guard wake == .look else { return try packet(after: wake) }
        if let packet = await core.loop.call({ core.takePacket() }) { return packet }
        return try packet(after: .look)
    }

    /// The packet that a wait was for, or why there is none. Apart from ``next()``, so that the frame
    /// of an idle task need not have room for this.
    @inline(never) private func packet(
        after wake: SessionCore.Wake
    ) throws(SessionError) -> Packet? {
        switch wake {
        case .look: break
        case .cancelled: throw .cancelled
        case .alreadyWaiting: throw .alreadyWaiting
        }
        if core.loop.isCurrent, let packet = core.takePacket() { return packet }
        switch end {
        case .left, .closed, nil: return nil
        case .some(let end): throw .ended(end)
        }
    }

    /// Sends a packet. Waits while 1024 packets or 256 KiB are on their way and not yet taken by
    /// the other side's application; `SessionLimits` can make that less.
    ///
    /// - Throws: ``SessionError``; the packet has then not been sent. A packet that was sent need
    ///   not have arrived when the session ends, and it is not sent again.
    public func send(_ packet: [UInt8]) async throws(SessionError) {
        if core.loop.isCurrent, try isSent(core.send(packet)) { return }
        try await sendLater(packet)
    }

    /// Sends a packet from another thread, or when there is room for it.
    @inline(never) private func sendLater(_ packet: [UInt8]) async throws(SessionError) {
        let core = core
        while !(try isSent(await core.loop.call { core.send(packet) })) {
            guard await core.loop.wait(cancelled: false, { core.awaitWindow($0) }) else {
                throw .cancelled
            }
        }
    }

    /// Whether the packet is on its way; else there is no room for it now.
    private func isSent(_ result: SendResult) throws(SessionError) -> Bool {
        switch result {
        case .accepted: return true
        case .windowFull: return false
        case .tooLarge(let limit): throw .tooLarge(limit: limit)
        case .notReady: throw .notReady
        case .ended: throw .ended(end ?? .closed(.left))
        }
    }

    /// Says goodbye, after everything sent before it, and waits until that is written, 5 s at
    /// most. Does nothing to a session that has ended.
    ///
    /// - Parameters:
    ///   - goodbye: Why.
    ///   - text: For the other side's people: at most 200 bytes of UTF-8.
    public func close(goodbye: GoodbyeCode = .left, text: String = "") async {
        let core = core
        await core.loop.wait(cancelled: ()) { waiter in
            core.command { $0.close(goodbye, text: text) }
            core.awaitFinish(waiter)
        }
    }
}
