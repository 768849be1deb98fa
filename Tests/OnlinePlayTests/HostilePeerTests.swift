// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import OnlinePlay
import SessionProtocol
import Testing

/// Peers that are no peers: whatever comes in, that connection ends and the listener serves on.
@Suite struct HostilePeerTests {
    /// What a stranger may send, with a name for the report.
    struct Nuisance: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        static let all: [Nuisance] = [
            Nuisance(
                testDescription: "an HTTP request", bytes: Array("GET / HTTP/1.1\r\n\r\n".utf8)),
            Nuisance(
                testDescription: "64 KiB of random bytes",
                bytes: [0xff] + (0..<65_535).map { _ in UInt8.random(in: 0...255) }),
            Nuisance(testDescription: "length ffffffff", bytes: [0xff, 0xff, 0xff, 0xff, 1]),
            Nuisance(testDescription: "length fffffffb", bytes: [0xff, 0xff, 0xff, 0xfb, 1]),
            Nuisance(testDescription: "length 80000000", bytes: [0x80, 0, 0, 0, 1]),
            Nuisance(testDescription: "length 7fffffff", bytes: [0x7f, 0xff, 0xff, 0xff, 1]),
            Nuisance(testDescription: "length 00000000", bytes: [0, 0, 0, 0, 1]),
            Nuisance(testDescription: "length 00001001", bytes: [0, 0, 0x10, 1, 1]),
            Nuisance(
                testDescription: "a packet before the hello",
                bytes: frame(4, [UInt8](repeating: 0, count: 12))),
            Nuisance(testDescription: "an empty hello", bytes: frame(1)),
        ]
    }

    @Test(arguments: Nuisance.all)
    func `nonsense ends its connection at once, and the listener serves on`(
        _ nuisance: Nuisance
    ) async throws {
        try await withEchoListener { listener in
            let peer = try RawPeer(port: listener.port)
            defer { peer.close() }
            let sending = Task { await onThread { peer.send(nuisance.bytes) } }
            #expect(await peer.readToEnd() != nil)
            await sending.value
            try await expectEcho(listener)
        }
    }

    @Test(arguments: Nuisance.all)
    func `nonsense instead of TLS ends its connection at once`(
        _ nuisance: Nuisance
    ) async throws {
        try await withEchoListener(.tls) { listener in
            let peer = try RawPeer(port: listener.port)
            defer { peer.close() }
            // TLS may wait for the rest of a record that never comes; the end says there is none.
            let sending = Task {
                await onThread {
                    peer.send(nuisance.bytes)
                    shutdown(peer.descriptor, Int32(SHUT_WR))
                }
            }
            #expect(await peer.readToEnd() != nil)
            await sending.value
            try await expectEcho(listener, .tls)
        }
    }

    @Test(arguments: Nuisance.all.filter { !$0.testDescription.contains("hello") })
    func `nonsense inside TLS ends its connection at once`(_ nuisance: Nuisance) async throws {
        let (a, b) = socketPair()
        let session = try OnlineSession(
            input: a, output: a, role: .responder, security: Protection.tls.security(),
            hello: hello("a"), limits: .patient)
        let other = try TLSNuisance(descriptor: b)
        try await other.send(nuisance.bytes)
        await #expect(throws: OnlineError.self) { try await session.ready() }
        guard case .protocolError = session.end else {
            Issue.record("\(String(describing: session.end))")
            return
        }
    }

    @Test(arguments: Protection.allCases)
    func `silence and one byte after another end at the limit for a hello`(
        _ protection: Protection
    ) async throws {
        var limits = OnlineLimits()
        limits.session.handshake = 100
        try await withEchoListener(protection, limits: limits) { listener in
            let silent = try RawPeer(port: listener.port)
            let slow = try RawPeer(port: listener.port)
            defer {
                silent.close()
                slow.close()
            }
            let dripping = Task {
                // The start of a frame, or of a TLS record, that goes on and on.
                var bytes = protection == .tls ? [22, 3, 1, 4, 0] : [0, 0, 4, 0] as [UInt8]
                while !Task.isCancelled, bytes.count < 100_000 {
                    slow.send([bytes.count < 5 ? bytes[0] : 0])
                    bytes.append(0)
                    await Task.yield()
                }
            }
            #expect(await silent.readToEnd() != nil)
            #expect(await slow.readToEnd() != nil)
            dripping.cancel()
        }
    }

    @Test func `a whole session byte by byte is a session`() async throws {
        try await withEchoListener { listener in
            let peer = try RawPeer(port: listener.port)
            let packet = frame(4, [0, 0, 0, 0, 0, 0, 0, 1, 42])
            for byte in helloBytes() { peer.send([byte]) }
            #expect(await peer.readToEnd { $0.count > 5 } != nil)
            for byte in packet { peer.send([byte]) }
            // Ancestors' faults 1 and 2: the last frame of a burst was held back, and a piece of a
            // header was fatal.
            let echo = await peer.readToEnd { $0.contains(sequence: packet) }
            #expect(echo?.contains(sequence: packet) == true)
            peer.close()
        }
    }

    @Test func `a peer that ends inside a frame is lost, not gone`() async throws {
        // Ancestors' fault 9: an end with half a packet pending was silent.
        let (a, b) = socketPair()
        let session = try OnlineSession(
            input: a, output: a, role: .responder, security: .plaintext, hello: hello("a"),
            limits: .patient)
        let bytes = helloBytes() + [0, 0, 0, 9, 4, 0]
        bytes.withUnsafeBytes { #expect(write(b, $0.baseAddress, $0.count) == $0.count) }
        shutdown(b, Int32(SHUT_WR))
        defer { close(b) }
        await #expect(throws: SessionError.ended(.lost("cut inside a frame"))) {
            try await session.next()
        }
    }

    @Test func `an error on the output alone is told`() async throws {
        // Ancestors' faults 5 and 6: a failed write was taken for a partial one, or not reported.
        let (there, back) = (pipePair(), pipePair())
        let session = try OnlineSession(
            input: there.read, output: back.write, role: .responder, security: .plaintext,
            hello: hello("a"), limits: .patient)
        helloBytes().withUnsafeBytes {
            #expect(write(there.write, $0.baseAddress, $0.count) == $0.count)
        }
        try await session.ready()
        close(back.read)
        try await session.send([1])
        await #expect(throws: SessionError.ended(.writeError("Broken pipe"))) {
            try await session.next()
        }
        close(there.write)
    }

    @Test func `a session dropped in the middle of its packets is not used afterwards`()
        async throws
    {
        // Ancestors' fault 7: a delegate that let go of the session freed it in its own loop.
        for _ in 0..<50 {
            let (a, b) = try await sessionPair()
            for number in 0..<20 { try await a.send([UInt8(number)]) }
            await Task(executorPreference: b.loop) { [b] in _ = try? await b.next() }.value
            _ = consume b
            while (try? await a.next()) != nil {}
            #expect(a.end != nil)
        }
    }

    /// The address sanitizer keeps what was freed for a while.
    @Test(.enabled(if: getenv("TTT_SANITIZER") == nil))
    func `a peer that pings without end and never reads makes nothing grow`() async throws {
        let program = try Program("echo-peer", ["listen"])
        defer { program.kill() }
        let port = try #require(UInt16(await program.line()))
        let before = try residentBytes(program.pid)
        let peer = try RawPeer(port: port)
        let flood = (0..<4_000).flatMap { _ in frame(6, [0, 0, 0, 0, 0, 0, 0, 0]) }
        await onThread {
            peer.send(helloBytes())
            for _ in 0..<200 {
                guard Glibc.send(peer.descriptor, flood, flood.count, Int32(MSG_NOSIGNAL)) > 0
                else { return }
            }
        }
        #expect(try residentBytes(program.pid) - before < 4 << 20)
        peer.close()
    }
}

/// How much memory a process has resident.
func residentBytes(_ pid: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
    let words = text.split(separator: " ")
    return try #require(Int(words[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

extension Collection where Element == UInt8 {
    func contains(sequence: [UInt8]) -> Bool {
        let all = Array(self)
        guard all.count >= sequence.count else { return false }
        return (0...(all.count - sequence.count)).contains { start in
            all[start..<(start + sequence.count)].elementsEqual(sequence)
        }
    }
}
