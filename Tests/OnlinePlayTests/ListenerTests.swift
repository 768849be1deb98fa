// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import Glibc
import OnlinePlay
import SessionProtocol
import Testing

@Suite struct ListenerTests {
    @Test(arguments: Protection.allCases, ["127.0.0.1", "::1"])
    func `a listener serves IPv4 and IPv6`(_ protection: Protection, host: String) async throws {
        // Ancestors' fault 12: IPv4 only.
        try await withEchoListener(protection) { listener in
            let session = try await OnlineSession.connect(
                to: [loopback(listener.port, host)], security: protection.security(),
                hello: hello("guest"), limits: .patient)
            try await session.send([1, 2, 3])
            #expect(try await session.next()?.bytes == [1, 2, 3])
            #expect(session.peer?.name == "echo")
            let address = try loopback(listener.port, host)
            #expect(session.peer?.address == address)
            await session.close()
        }
    }

    @Test func `a port in use is a typed error that names it`() throws {
        // Ancestors' fault 12: a listener that failed was still advertised.
        let first = try OnlineListener(security: .plaintext, hello: hello("a"), limits: .patient)
        let error = #expect(throws: OnlineError.self) {
            try OnlineListener(
                port: first.port, security: .plaintext, hello: hello("b"), limits: .patient)
        }
        #expect(error?.code == .portTaken)
        #expect(error?.description == "Port \(first.port) is taken by another program.")
        withExtendedLifetime(first) {}
    }

    @Test func `of several that open one port in the same moment one has it`() async throws {
        func freePort() throws -> UInt16 {
            try OnlineListener(security: .plaintext, hello: hello("a"), limits: .patient).port
        }
        var port = try freePort()
        var rounds = 0
        while rounds < 20 {
            let tried = port
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                let open = Barrier(4)
                for _ in 0..<4 {
                    group.addTask {
                        await onThread {
                            open.wait()
                            let listener = try? OnlineListener(
                                port: tried, security: .plaintext, hello: hello("a"),
                                limits: .patient)
                            open.wait()
                            return listener != nil
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let winners = outcomes.filter { $0 }.count
            #expect(winners <= 1)
            rounds += winners
            // A port of the round before may not be free yet, for it is closed on the loop; or a
            // connection of somebody else's has got it, and leaves it closing for a minute.
            if winners == 0 { port = try freePort() }
        }
    }

    @Test func `a killed listener's port can be taken at once`() async throws {
        let program = try Program("echo-peer", ["listen"])
        let port = try #require(UInt16(await program.line()))
        let session = try await OnlineSession.connect(
            to: [loopback(port)], security: .plaintext, hello: hello("guest"), limits: .patient)
        Glibc.kill(program.pid, SIGKILL)
        program.process.waitUntilExit()
        _ = try OnlineListener(
            port: port, security: .plaintext, hello: hello("a"), limits: .patient)
        #expect(await session.nextFailure() != nil)
    }

    @Test func `an address that is not this machine's is an error`() {
        for address in ["192.0.2.1", "2001:db8::1", "nonsense"] {
            let error = #expect(throws: OnlineError.self) {
                try OnlineListener(
                    bind: address, security: .plaintext, hello: hello("a"), limits: .patient)
            }
            #expect(error?.code == .unusableAddress)
        }
    }

    @Test func `who listens on one address says that one`() throws {
        let listener = try OnlineListener(
            bind: "127.0.0.1", security: .plaintext, hello: hello("a"), limits: .patient)
        #expect(listener.addresses.map(\.description) == ["127.0.0.1:\(listener.port)"])
        let everywhere = try OnlineListener(
            security: .plaintext, hello: hello("a"), limits: .patient)
        let hosts = everywhere.addresses.map(\.host)
        #expect(hosts.contains("127.0.0.1") && hosts.contains("::1"))
    }

    @Test func `a third player is refused as long as there is no room, and the game goes on`()
        async throws
    {
        // Ancestors' fault 10: a third device replaced the running session.
        try await withEchoListener(limit: 1) { listener in
            let first = try await OnlineSession.connect(
                to: [loopback(listener.port)], security: .plaintext, hello: hello("first"),
                limits: .patient)
            let error = await #expect(throws: OnlineError.self) {
                try await OnlineSession.connect(
                    to: [loopback(listener.port)], security: .plaintext, hello: hello("third"),
                    limits: .patient)
            }
            guard case .refused(let refusal) = error?.end else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refusal.code == .full)
            try await first.send([1])
            #expect(try await first.next()?.bytes == [1])
            await first.close()
            while (try? await expectEcho(listener)) == nil { await Task.yield() }
        }
    }

    @Test(arguments: Protection.allCases)
    func `a hello that wants to go on with a session gets none`(_ protection: Protection)
        async throws
    {
        try await withEchoListener(protection) { listener in
            var settings = SessionSettings(security: try protection.security(), hello: hello("old"))
            settings.hello.token = SessionToken([UInt8](repeating: 7, count: 16))
            settings.limits = .patient
            let error = await #expect(throws: OnlineError.self) {
                try await OnlineSession.meet(at: [loopback(listener.port)], settings: settings)
            }
            guard case .refused(let refusal) = error?.end else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refusal.code == .noSuchSession && refusal.have == nil)
            try await expectEcho(listener, protection)
        }
    }

    @Test func `who runs a listener a second time gets nothing and takes nothing away`()
        async throws
    {
        let listener = try OnlineListener(
            security: .plaintext, hello: hello("host"), limits: .patient)
        let serving = Task {
            await listener.run { session in
                try await session.send([1])
                _ = try await session.next()
            }
        }
        try await expectFirst(listener, [1])
        await listener.run { session in try await session.send([2]) }
        try await expectFirst(listener, [1])
        listener.close()
        await serving.value
        await listener.run { session in try await session.send([3]) }
    }

    /// Whether a new session with the listener begins with this packet.
    private func expectFirst(_ listener: OnlineListener, _ bytes: [UInt8]) async throws {
        let session = try await OnlineSession.connect(
            to: [loopback(listener.port)], security: .plaintext, hello: hello("guest"),
            limits: .patient)
        #expect(try await session.next()?.bytes == bytes)
        await session.close()
    }

    @Test func `a handler that throws ends its own session only`() async throws {
        let listener = try OnlineListener(
            security: .plaintext, hello: hello("host"), limits: .patient)
        let serving = Task {
            await listener.run { session in
                if try await session.next()?.bytes == [0] { throw SessionError.notReady }
                try await session.send([9])
                _ = try await session.next()
            }
        }
        let good = try await OnlineSession.connect(
            to: [loopback(listener.port)], security: .plaintext, hello: hello("good"),
            limits: .patient)
        let bad = try await OnlineSession.connect(
            to: [loopback(listener.port)], security: .plaintext, hello: hello("bad"),
            limits: .patient)
        try await bad.send([0])
        #expect(try await bad.next() == nil)
        try await good.send([1])
        #expect(try await good.next()?.bytes == [9])
        serving.cancel()
        await serving.value
        #expect(try await good.next() == nil)
    }

    @Test func `a cancelled listener closes its port and its sessions`() async throws {
        let listener = try OnlineListener(
            security: .plaintext, hello: hello("host"), limits: .patient)
        let serving = Task {
            await listener.run { session in while try await session.next() != nil {} }
        }
        let session = try await OnlineSession.connect(
            to: [loopback(listener.port)], security: .plaintext, hello: hello("guest"),
            limits: .patient)
        serving.cancel()
        await serving.value
        #expect(try await session.next() == nil)
        let error = await #expect(throws: OnlineError.self) {
            try await OnlineSession.connect(
                to: [loopback(listener.port)], security: .plaintext, hello: hello("late"),
                limits: .patient)
        }
        #expect(error?.code == .connectionRefused)
    }
}

extension RawPeer {
    /// Whether the other side has ended the connection by now.
    var isEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN
    }
}

extension OnlineSession {
    /// How the session fails, other than by a goodbye.
    func nextFailure() async -> SessionError? {
        do throws(SessionError) {
            while try await next() != nil {}
            return nil
        } catch {
            return error
        }
    }
}

/// Lets threads go on together.
final class Barrier: @unchecked Sendable {
    private let condition = NSCondition()
    private let size: Int
    private var waiting = 0
    private var round = 0

    init(_ size: Int) {
        self.size = size
    }

    func wait() {
        condition.lock()
        defer { condition.unlock() }
        waiting += 1
        let mine = round
        if waiting == size {
            waiting = 0
            round += 1
            condition.broadcast()
        }
        while mine == round { condition.wait() }
    }
}
