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
            for number in 0..<3_000 {
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
        #expect(count == 3_000)
        #expect(b.end == .left(.left, text: ""))
        #expect(a.end == .closed(.left))
    }

    @Test(arguments: Protection.allCases, ["127.0.0.1", "::1"])
    func `a listener serves IPv4 and IPv6`(_ protection: Protection, host: String) async throws {
        let listener = try OnlineListener(security: protection.security(), hello: hello("host"))
        async let serving: Void = listener.run { session in
            while let packet = try await session.next() { try await session.send(packet.bytes) }
        }
        let session = try await OnlineSession.connect(
            to: [loopback(listener.port, host)], security: protection.security(),
            hello: hello("guest"))
        try await session.send([1, 2, 3])
        let packet = try await session.next()
        #expect(packet?.bytes == [1, 2, 3])
        #expect(session.peer?.name == "host")
        #expect((session.peer?.fingerprint != nil) == (protection == .tls))
        await session.close()
        listener.close()
        await serving
    }
}
