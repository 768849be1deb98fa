// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import SessionProtocol
import Testing

@testable import OnlinePlay

/// A TLS record that is broken, in one piece with one before it that ends the session: what the
/// session has left to say can not be said any more, and nobody waits for it.
@Suite struct BrokenRecordTests {
    @Test(.timeLimit(.minutes(1)))
    func `one behind a hello that is refused ends the connection, and the listener serves on`()
        async throws
    {
        try await withEchoListener(.tls) { listener in
            let peer = try await RawTLS(port: listener.port)
            peer.send(whole: Self.refusedHello(), broken: frame(0xf1, [1]))
            #expect(await peer.raw.readToEnd() != nil)
            try await expectEcho(listener, .tls)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `one behind a frame that breaks the protocol ends the session, and others go on`()
        async throws
    {
        try await withEchoListener(.tls) { listener in
            let peer = try await RawTLS(port: listener.port)
            peer.send(whole: helloBytes(), broken: nil)
            #expect(await peer.raw.readToEnd { !$0.isEmpty } != nil)
            peer.send(whole: [0, 0, 0, 0], broken: frame(0xf1, [1]))
            #expect(await peer.raw.readToEnd() != nil)
            try await expectEcho(listener, .tls)
        }
    }

    /// Whatever comes in whatever pieces: what else could turn the loop for ever?
    @Test(.timeLimit(.minutes(2)), arguments: 0..<10 as Range<UInt64>)
    func `records right, broken, cut and in one piece end or go on, and the listener serves on`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(state: seed)
        try await withEchoListener(.tls) { listener in
            for _ in 0..<40 {
                let peer = try await RawTLS(port: listener.port)
                let isGreeted = Bool.random(using: &random)
                if isGreeted {
                    peer.send(whole: helloBytes(), broken: nil)
                    #expect(await peer.raw.readToEnd { !$0.isEmpty } != nil)
                }
                for index in 0..<Int.random(in: 1...3, using: &random) {
                    let isFirst = index == 0 && !isGreeted
                    peer.raw.send(Self.piece(from: peer, isFirst: isFirst, using: &random))
                }
            }
            try await expectEcho(listener, .tls)
        }
    }

    /// Some records in one piece, now and then with something wrong.
    private static func piece(
        from peer: RawTLS, isFirst: Bool, using random: inout SeededGenerator
    ) -> [UInt8] {
        let hellos = [helloBytes(), refusedHello()]
        let later = [
            frame(4, [0, 0, 0, 0, 0, 0, 0, 1, 42]), frame(8, [0, 1, 0, 2, 0, 0]), frame(0xf1, [1]),
            frame(6, [UInt8](repeating: 7, count: 8)), frame(5, [UInt8](repeating: 0, count: 8)),
            [0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff], helloBytes(), noise(&random),
        ]
        var records: [[UInt8]] = []
        for index in 0..<Int.random(in: 1...3, using: &random) {
            let plain = isFirst && index == 0 ? hellos : later
            records.append(peer.seal(plain.randomElement(using: &random)))
        }
        var last = records.removeLast()
        // After its own end the client says nothing more.
        guard !last.isEmpty else { return noise(&random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0...1: last[Int.random(in: 0..<last.count, using: &random)] ^= 1
        case 2: last.removeLast(Int.random(in: 1...last.count, using: &random))
        case 3: last += peer.seal(nil)
        case 4: last += noise(&random)
        default: break
        }
        return records.joined() + last
    }

    private static func noise(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...40, using: &random)).map { _ in .random(in: 0...255, using: &random)
        }
    }

    private static func refusedHello() -> [UInt8] {
        var other = hello("raw")
        other.application = "another"
        var machine = SessionMachine(
            role: .initiator, hello: other, random: [UInt8](repeating: 3, count: 24),
            now: Instant(nanoseconds: 0))
        return machine.nextOutput() ?? []
    }
}

/// A TLS client that a test drives record by record.
private final class RawTLS {
    let raw: RawPeer
    private let channel: TLSChannel
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// Connects and shakes hands.
    init(port: UInt16) async throws {
        raw = try RawPeer(port: port)
        channel = try #require(TLSChannel(Identity.ephemeral(), role: .initiator))
        while !channel.isEstablished {
            raw.send(takeCiphertext())
            let answer = try #require(await raw.readToEnd { !$0.isEmpty })
            let outcome = answer.withUnsafeBytes { bytes in
                channel.receive(bytes, scratch: scratch) { _ in }
            }
            try #require(outcome == .going)
        }
        raw.send(takeCiphertext())
    }

    deinit {
        raw.close()
        scratch.deallocate()
    }

    /// Sends one record as it should be, and one with a flipped bit, in one piece.
    func send(whole: [UInt8], broken: [UInt8]?) {
        var bytes = seal(whole)
        if let broken {
            bytes += seal(broken)
            bytes[bytes.count - 1] ^= 1
        }
        raw.send(bytes)
    }

    /// A record with these bytes; with `nil`, the one that says that there are no more.
    func seal(_ bytes: [UInt8]?) -> [UInt8] {
        if let bytes {
            _ = bytes.withUnsafeBytes { channel.encrypt($0) }
        } else {
            channel.close()
        }
        return takeCiphertext()
    }

    private func takeCiphertext() -> [UInt8] {
        var taken: [UInt8] = []
        channel.withCiphertext(scratch: scratch) { bytes in
            taken += bytes
            return bytes.count
        }
        return taken
    }
}
