// SPDX-License-Identifier: MIT

import Glibc
import SessionProtocol
import Testing

@testable import OnlinePlay

/// How a session says that it is over.
@Suite struct GoodbyeTests {
    @Test func `two goodbyes that cross end both sides, each with its own`() async throws {
        for protection in Protection.allCases {
            let (a, b) = try await sessionPair(protection)
            async let first: Void = a.close(goodbye: .left)
            async let second: Void = b.close(goodbye: .shuttingDown)
            _ = await (first, second)
            let ends = [a.end, b.end]
            // One may have heard the other before it spoke.
            #expect(
                ends == [.closed(.left), .closed(.shuttingDown)]
                    || ends == [.closed(.left), .left(.left, text: "")]
                    || ends == [.left(.shuttingDown, text: ""), .closed(.shuttingDown)])
        }
    }

    @Test(arguments: Protection.allCases)
    func `a timer that was set before the goodbye does not cut it off`(_ protection: Protection)
        async throws
    {
        // A turn of the loop looks at its timers before it writes what was said in it.
        let (a, b) = try await sessionPair(protection)
        await a.loop.call {
            a.core.command { $0.close(.left) }
            a.core.timerFired(at: a.loop.turn)
        }
        #expect(try await b.next() == nil)
        #expect(b.end == .left(.left, text: ""))
    }

    @Test func `a session that nobody holds any more says goodbye`() async throws {
        let (a, b) = socketPair()
        let second = try OnlineSession(
            input: b, output: b, role: .responder, security: .plaintext, hello: hello("b"),
            limits: .patient)
        do {
            let first = try OnlineSession(
                input: a, output: a, role: .initiator, security: .plaintext, hello: hello("a"),
                limits: .patient)
            try await first.ready()
            try await first.send([1])
        }
        #expect(try await second.next()?.bytes == [1])
        #expect(try await second.next() == nil)
        #expect(second.end == .left(.left, text: ""))
    }
}
