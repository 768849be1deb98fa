// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import SessionProtocol
import Testing

/// What embedders of other libraries have reported (`docs/trials.md`).
@Suite struct TrialTests {
    /// Around read buffers, segments of TCP and records of TLS.
    private static let sizes = [
        0, 1, 1_447, 1_448, 1_449, 4_095, 4_096, 4_097, 16_383, 16_384, 16_385, 65_535, 65_536,
        1_048_566, 1_048_567,
    ]

    @Test(arguments: Protection.allCases)
    func `a packet of any size arrives as it was, up to the limit that the error names`(
        _ protection: Protection
    ) async throws {
        let (a, b) = try await sessionPair(protection)
        for (index, size) in Self.sizes.enumerated() {
            let packet = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
            async let sending: Void = a.send(packet)
            #expect(try await b.next()?.bytes == packet)
            try await sending
        }
        for size in [1_048_568, 16 << 20] {
            await #expect(throws: SessionError.tooLarge(limit: 1_048_567)) {
                try await a.send([UInt8](repeating: 0, count: size))
            }
        }
        #expect(SessionError.tooLarge(limit: 1_048_567).description.contains("1048567"))
        try await a.send([7])
        #expect(try await b.next()?.bytes == [7])
    }

    @Test(arguments: Protection.allCases)
    func `what was sent before a goodbye arrives before it, also at a slow reader`(
        _ protection: Protection
    ) async throws {
        let (a, b) = try await sessionPair(protection)
        let sending = Task {
            for number in 0..<256 {
                try await a.send([UInt8(number)] + [UInt8](repeating: 1, count: 4_095))
            }
            try await a.send([9])
            await a.close(goodbye: .shuttingDown, text: "bye")
        }
        for number in 0..<256 {
            // Each is taken only when the other side has been asked something meanwhile.
            if number % 16 == 0 { await Task.yield() }
            let packet = try await b.next()
            #expect(packet?.bytes.first == UInt8(number) && packet?.bytes.count == 4_096)
        }
        #expect(try await b.next()?.bytes == [9])
        #expect(try await b.next() == nil)
        #expect(b.end == .left(.shuttingDown, text: "bye"))
        try await sending.value
    }

    @Test func `both say something last and leave at once, and each session ends once`()
        async throws
    {
        for round in 0..<100 {
            let (a, b) = try await sessionPair(round % 2 == 0 ? .plaintext : .tls)
            @Sendable func leave(_ session: OnlineSession) async throws {
                // The other side may have left already.
                _ = try? await session.send([UInt8(round)])
                await session.close()
            }
            async let first: Void = leave(a)
            async let second: Void = leave(b)
            // What crosses the own goodbye need not be told; what does not, must be.
            _ = try await (first, second)
            for session in [a, b] {
                #expect(session.end == .closed(.left) || session.end == .left(.left, text: ""))
                await #expect(throws: SessionError.self) { try await session.send([1]) }
            }
        }
    }

    @Test func `packets sent before anybody reads are all there, in order`() async throws {
        let (a, b) = try await sessionPair(.tls)
        for number in 0..<1_000 { try await a.send([UInt8(truncatingIfNeeded: number)]) }
        for number in 0..<1_000 {
            #expect(try await b.next()?.bytes == [UInt8(truncatingIfNeeded: number)])
        }
    }

    @Test(arguments: Protection.allCases)
    func `four tasks on one session keep each its order and mix no bytes`(
        _ protection: Protection
    ) async throws {
        let (a, b) = try await sessionPair(protection)
        let sending = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<500 {
                            let body = [UInt8](repeating: UInt8(task), count: number % 97 * 7)
                            try await a.send(
                                [UInt8(task), UInt8(number / 250), UInt8(number % 250)] + body)
                        }
                    }
                }
                try await group.waitForAll()
            }
            await a.close()
        }
        var next = [0, 0, 0, 0]
        for try await packet in b.packets {
            let task = Int(packet.bytes[0])
            #expect(Int(packet.bytes[1]) * 250 + Int(packet.bytes[2]) == next[task])
            #expect(packet.bytes.dropFirst(3).allSatisfy { $0 == UInt8(task) })
            #expect(packet.bytes.count == 3 + next[task] % 97 * 7)
            next[task] += 1
        }
        #expect(next == [500, 500, 500, 500])
        try await sending.value
    }

    @Test func `whatever is awaited when the connection breaks, ends`() async throws {
        for round in 0..<60 {
            let (descriptor, other) = socketPair()
            let first = try OnlineSession(
                input: descriptor, output: descriptor, role: .initiator, security: .plaintext,
                hello: hello("a"), limits: .patient)
            let second = try OnlineSession(
                input: other, output: other, role: .responder, security: .plaintext,
                hello: hello("b"), limits: .patient)
            try await first.ready()
            // Nobody reads, so that the sender waits as well.
            async let sender: Void? = try? {
                while true { try await first.send([UInt8](repeating: 1, count: 60_000)) }
            }()
            async let reader: Packet?? = try? await first.next()
            async let ready: Void? = try? await second.ready()
            if round % 2 == 0 { await Task.yield() }
            shutdown(other, Int32(SHUT_RDWR))
            _ = await (sender, reader, ready)
            guard case .lost = first.end else {
                Issue.record("\(String(describing: first.end))")
                return
            }
            await first.close()
            await #expect(throws: SessionError.self) { try await first.send([1]) }
            withExtendedLifetime(second) {}
        }
    }

    @Test func `a peer that is gone before the hello is done is an error, wherever it stopped`()
        async throws
    {
        let bytes = helloBytes()
        for count in 0..<bytes.count {
            let (descriptor, other) = socketPair()
            let session = try OnlineSession(
                input: descriptor, output: descriptor, role: .responder, security: .plaintext,
                hello: hello("a"), limits: .patient)
            let ready = Task { try await session.ready() }
            RawPeer(descriptor: other).send(Array(bytes.prefix(count)))
            close(other)
            if count < helloLength(bytes) {
                await #expect(throws: OnlineError.self) { try await ready.value }
            } else {
                _ = try? await ready.value
            }
            await session.close()
            #expect(session.end != nil)
        }
    }

    /// How many bytes the first frame has, which is the hello.
    private func helloLength(_ bytes: [UInt8]) -> Int {
        4 + bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    @Test func `a deadline that races with its answer has one outcome`() async throws {
        var limits = OnlineLimits.patient
        var outcomes = Set<Bool>()
        for round in 0..<150 {
            limits.session.handshake = UInt64(round % 15)
            let (a, b) = socketPair()
            let first = try OnlineSession(
                input: a, output: a, role: .initiator, security: .plaintext, hello: hello("a"),
                limits: limits)
            let second = try OnlineSession(
                input: b, output: b, role: .responder, security: .plaintext, hello: hello("b"),
                limits: .patient)
            do {
                try await first.ready()
                outcomes.insert(true)
                try await second.ready()
            } catch {
                outcomes.insert(false)
                #expect(first.end != nil || second.end != nil)
            }
            await first.close()
            await second.close()
        }
        #expect(outcomes.contains(false))
    }
}
