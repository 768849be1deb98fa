// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import SessionProtocol
import Testing

@Suite struct SessionTests {
    @Test(arguments: Protection.allCases)
    func `packets arrive in order over a socket pair`(_ protection: Protection) async throws {
        let (a, b) = try await sessionPair(protection)
        async let sending: Void = {
            for number in 0..<2_000 {
                try await a.send([UInt8](repeating: UInt8(number % 256), count: number))
            }
            await a.close()
        }()
        var count = 0
        for try await packet in b.packets {
            #expect(packet.bytes == [UInt8](repeating: UInt8(count % 256), count: count))
            count += 1
            #expect(packet.number == UInt64(count))
        }
        try await sending
        #expect(count == 2_000)
        #expect(b.end == .left(.left, text: ""))
        #expect(a.end == .closed(.left))
    }

    @Test(arguments: Protection.allCases)
    func `a session runs over a pair of pipes`(_ protection: Protection) async throws {
        let (there, back) = (pipePair(), pipePair())
        let a = try OnlineSession(
            input: back.read, output: there.write, role: .initiator,
            security: protection.security(), hello: hello("a"), limits: .patient)
        let b = try OnlineSession(
            input: there.read, output: back.write, role: .responder,
            security: protection.security(), hello: hello("b"), limits: .patient)
        try await a.ready()
        let large = [UInt8](repeating: 9, count: 500_000)
        async let sending: Void = a.send(large)
        #expect(try await b.next()?.bytes == large)
        try await sending
        try await b.send([1])
        #expect(try await a.next()?.bytes == [1])
        await b.close(goodbye: .shuttingDown, text: "bye")
        #expect(try await a.next() == nil)
        #expect(a.end == .left(.shuttingDown, text: "bye"))
    }

    @Test func `both ends of a TLS session know the same secret and each other's key`()
        async throws
    {
        let (alice, bob) = (try Identity.ephemeral(), try Identity.ephemeral())
        let (a, b) = socketPair()
        let first = try OnlineSession(
            input: a, output: a, role: .initiator, security: .identity(alice), hello: hello("a"),
            limits: .patient)
        let second = try OnlineSession(
            input: b, output: b, role: .responder, security: .identity(bob), hello: hello("b"),
            limits: .patient)
        try await first.ready()
        try await second.ready()
        #expect(first.exporter == second.exporter)
        #expect(first.exporter.count == 32 && Set(first.exporter).count > 1)
        #expect(first.peer?.publicKey == bob.publicKey)
        #expect(second.peer?.fingerprint == alice.fingerprint)
        let (c, d) = try await sessionPair(.tls)
        #expect(c.exporter != first.exporter)
        withExtendedLifetime(d) {}
    }

    @Test func `without TLS the secret is zeros and no key is known`() async throws {
        let (a, b) = try await sessionPair(.plaintext)
        #expect(a.exporter == [UInt8](repeating: 0, count: 32))
        #expect(b.peer?.name == "first")
        #expect(b.peer?.publicKey == nil)
    }

    @Test func `send waits for the other side's application at 256 KiB, and goes on`()
        async throws
    {
        let (a, b) = try await sessionPair()
        let packet = [UInt8](repeating: 5, count: 65_536)
        let sent = Counter()
        let sending = Task {
            for _ in 0..<12 {
                try await a.send(packet)
                sent.increment()
            }
        }
        // Nobody reads: four packets fill the window. What comes later arrives by itself then.
        await sent.wait(for: 4)
        await echoFences(a)
        #expect(sent.value == 4)
        for _ in 0..<12 { #expect(try await b.next()?.bytes == packet) }
        try await sending.value
        #expect(sent.value == 12)
    }

    @Test func `a task that waits to send can be cancelled, and its packet is not sent`()
        async throws
    {
        let (a, b) = try await sessionPair()
        for _ in 0..<4 { try await a.send([UInt8](repeating: 5, count: 65_536)) }
        let sending = Task { try await a.send([6]) }
        sending.cancel()
        await #expect(throws: SessionError.cancelled) { try await sending.value }
        for _ in 0..<4 { #expect(try await b.next()?.bytes.count == 65_536) }
        try await a.send([7])
        #expect(try await b.next()?.bytes == [7])
    }

    @Test(arguments: [true, false])
    func `a task that waits for a packet can be cancelled, and another one gets it`(
        onLoop: Bool
    ) async throws {
        let (a, b) = try await sessionPair()
        let reading = Task(executorPreference: onLoop ? b.loop : nil) { try await b.next() }
        await echoFences(b)
        reading.cancel()
        await #expect(throws: SessionError.cancelled) { try await reading.value }
        try await a.send([7])
        #expect(try await b.next()?.bytes == [7])
    }

    @Test func `a second reader is turned away`() async throws {
        let (a, b) = try await sessionPair()
        let reading = Task(executorPreference: b.loop) { try await b.next() }
        await echoFences(b)
        await #expect(throws: SessionError.alreadyWaiting) { try await b.next() }
        try await a.send([1])
        #expect(try await reading.value?.bytes == [1])
    }

    @Test func `a packet larger than the peer takes is an error and harms nothing`() async throws {
        let (a, b) = try await sessionPair()
        let limit = (1 << 20) - 9
        await #expect(throws: SessionError.tooLarge(limit: limit)) {
            try await a.send([UInt8](repeating: 0, count: limit + 1))
        }
        async let received = b.next()
        try await a.send([UInt8](repeating: 0, count: limit))
        #expect(try await received?.bytes.count == limit)
    }

    @Test func `an incompatible application is refused, and both sides know why`() async throws {
        let (a, b) = socketPair()
        var other = hello("a")
        other.application = "chess"
        let first = try OnlineSession(
            input: a, output: a, role: .initiator, security: .plaintext, hello: other,
            limits: .patient)
        let second = try OnlineSession(
            input: b, output: b, role: .responder, security: .plaintext, hello: hello("b"),
            limits: .patient)
        await expectRefusal(of: first, by: second, .application)
    }

    /// Both sides know that `second` has refused `first`, and why.
    private func expectRefusal(
        of first: OnlineSession, by second: OnlineSession, _ code: RefuseCode
    ) async {
        await #expect(throws: OnlineError.self) { try await first.ready() }
        guard case .refused(let refusal) = first.end else {
            Issue.record("\(String(describing: first.end))")
            return
        }
        #expect(refusal.code == code)
        #expect(second.end == .refused(refusal))
    }

    @Test func `over a pair of streams too no session is gone on with`() async throws {
        let (a, b) = socketPair()
        var settings = SessionSettings(security: .plaintext, hello: hello("a"))
        settings.hello.token = SessionToken([UInt8](repeating: 7, count: 16))
        settings.limits = .patient
        let stream = DescriptorStream(a, loop: try EventLoop.shared)
        let first = try OnlineSession(
            input: stream, output: stream, role: .initiator, settings: settings)
        let second = try OnlineSession(
            input: b, output: b, role: .responder, security: .plaintext, hello: hello("b"),
            limits: .patient)
        await expectRefusal(of: first, by: second, .noSuchSession)
    }

    @Test func `an id is drawn anew each time`() {
        #expect(InstanceID.random() != InstanceID.random())
    }

    @Test func `silence ends a hello at the limit given`() async throws {
        var limits = OnlineLimits()
        limits.session.handshake = 20
        for protection in Protection.allCases {
            let (a, b) = socketPair()
            let session = try OnlineSession(
                input: a, output: a, role: .responder, security: protection.security(),
                hello: hello("a"), limits: limits)
            await #expect(throws: OnlineError.self) { try await session.ready() }
            #expect(session.end == .lost("the hello took too long"))
            close(b)
        }
    }

    @Test func `a peer that falls silent is asked, and lost`() async throws {
        var limits = OnlineLimits()
        limits.session.silence = 20
        limits.session.answer = 20
        let (a, b) = socketPair()
        let session = try OnlineSession(
            input: a, output: a, role: .responder, security: .plaintext, hello: hello("a"),
            limits: limits)
        helloBytes().withUnsafeBytes { #expect(write(b, $0.baseAddress, $0.count) == $0.count) }
        #expect(await session.nextFailure() == .ended(.lost("silent")))
        close(b)
    }
}

/// Lets the loop take several turns.
func echoFences(_ session: OnlineSession) async {
    for _ in 0..<20 {
        await Task(executorPreference: session.loop) { await Task.yield() }.value
    }
}

/// Counts, and lets a task wait for a count.
final class Counter: @unchecked Sendable {
    private let lock = NSLockBox()
    private var count = 0
    private var waiters: [(Int, CheckedContinuation<Void, Never>)] = []

    var value: Int { lock.with { count } }

    func increment() {
        lock.with {
            count += 1
            for (wanted, waiter) in waiters where wanted <= count { waiter.resume() }
            waiters.removeAll { $0.0 <= count }
        }
    }

    func wait(for wanted: Int) async {
        await withCheckedContinuation { continuation in
            lock.with {
                if count >= wanted {
                    continuation.resume()
                } else {
                    waiters.append((wanted, continuation))
                }
            }
        }
    }
}
