// SPDX-License-Identifier: MIT

import Foundation
import OnlinePlay
import SessionProtocol
import Testing

/// Who comes and is not let in.
@Suite struct StrangerTests {
    @Test func `four strangers from one address may wait, and others are still let in`()
        async throws
    {
        try await withEchoListener { listener in
            let crowd = try (0..<10).map { _ in
                try RawPeer(port: listener.port, from: "127.0.0.2")
            }
            defer { for peer in crowd { peer.close() } }
            for peer in crowd[4...] { #expect(await peer.readToEnd() == []) }
            for peer in crowd[..<4] { #expect(!peer.isEnded) }
            try await expectEcho(listener)
        }
    }

    @Test func `thirty-two strangers may wait in all`() async throws {
        try await withEchoListener { listener in
            let crowd = try (0..<40).map { number in
                try RawPeer(port: listener.port, from: "127.0.1.\(number + 1)")
            }
            defer { for peer in crowd { peer.close() } }
            // Those who came last are here, for others had to go: also a guest gets through.
            try await expectEcho(listener)
            #expect(crowd.filter { !$0.isEnded }.count == 31)
            #expect(crowd[24...].allSatisfy { !$0.isEnded })
        }
    }

    @Test func `an address that sent garbage is kept out, and others are not`()
        async throws
    {
        try await withEchoListener(limits: .unforgiving(\.brokenProtocol, free: 2)) { listener in
            func stranger(_ bytes: [UInt8] = []) async throws -> [UInt8]? {
                let peer = try RawPeer(port: listener.port, from: "127.0.0.2")
                defer { peer.close() }
                peer.send(bytes)
                return await peer.readToEnd { !$0.isEmpty }
            }
            for _ in 0..<3 { #expect(try await stranger(frame(4)) == []) }
            // What would be answered is not even read now.
            #expect(try await stranger(helloBytes()) == [])
            try await expectEcho(listener)
        }
    }

    @Test func `guests that are not answered yet are few from one address`() async throws {
        var settings = SessionSettings(security: .plaintext, hello: hello("host"))
        settings.limits = .patient
        settings.givesEvents = true
        let listener = try OnlineListener(settings: settings)
        let serving = Task {
            await listener.run { session in while await session.nextEvent() != nil {} }
        }
        let crowd = try (0..<6).map { _ in try RawPeer(port: listener.port, from: "127.0.0.2") }
        defer { for peer in crowd { peer.close() } }
        for (number, peer) in crowd.enumerated() {
            peer.send(helloBytes())
            // Refused as full: the connection ends, which it does for none of the four.
            if number >= 4 { #expect(await peer.readToEnd()?.isEmpty == false) }
        }
        for peer in crowd[..<4] { #expect(!peer.isEnded) }
        let other = try RawPeer(port: listener.port, from: "127.0.0.3")
        other.send(helloBytes())
        #expect(!other.isEnded)
        other.close()
        serving.cancel()
        await serving.value
    }

    /// A welcome costs nothing: who then does not do what it came for is as bad as one that does not
    /// even say hello, and as few.
    @Test(arguments: [false, true])
    func `whoever is silent after a welcome stays a visitor and is punished, unless vouched for`(
        isVouchedFor: Bool
    ) async throws {
        var settings = SessionSettings(security: .plaintext, hello: hello("host"))
        settings.limits = .unforgiving(\.silence)
        settings.givesEvents = true
        let listener = try OnlineListener(settings: settings)
        let (gates, opener) = AsyncStream<Void>.makeStream()
        let serving = Task {
            await listener.run { session in
                while let event = await session.nextEvent() {
                    if case .hello = event { session.accept(staysVisitor: true) }
                    guard case .ready = event else { continue }
                    if isVouchedFor {
                        session.letIn()
                        session.vouch()
                    }
                    for await _ in gates { break }
                    session.post(goodbye: .tookTooLong, text: "")
                }
            }
        }
        func guest() throws -> RawPeer {
            let peer = try RawPeer(port: listener.port, from: "127.0.0.2")
            peer.send(helloBytes())
            return peer
        }
        let first = try guest()
        defer { first.close() }
        // The welcome is here, so the next bytes are the goodbye.
        #expect(await first.readToEnd { !$0.isEmpty }?.isEmpty == false)
        opener.yield()
        #expect(await first.readToEnd() != nil)
        let second = try guest()
        defer { second.close() }
        #expect(await second.readToEnd { !$0.isEmpty }?.isEmpty == !isVouchedFor)
        opener.finish()
        serving.cancel()
        await serving.value
    }

    @Test func `out of descriptors those who say nothing make room for those who do`()
        async throws
    {
        let program = try Program(
            "echo-peer", ["listen"], prefix: ["/usr/bin/prlimit", "--nofile=20"])
        defer { program.kill() }
        let port = try #require(UInt16(await program.line()))
        let crowd = try (0..<60).map { try RawPeer(port: port, from: "127.0.1.\($0 + 1)") }
        defer { for peer in crowd { peer.close() } }
        let session = try await OnlineSession.connect(
            to: [loopback(port)], security: .plaintext, hello: hello("guest"), limits: .patient)
        try await session.send([1])
        #expect(try await session.next()?.bytes == [1])
        await session.close()
    }
}
