// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import Glibc
import OnlinePlay
import SessionProtocol
import Testing

/// A listener and what the system gives it: descriptors, memory, sockets.
@Suite struct ListenerSystemTests {
    @Test func `out of descriptors it neither spins nor stops for good`() async throws {
        let program = try Program(
            "echo-peer", ["listen"], prefix: ["/usr/bin/prlimit", "--nofile=20"])
        defer { program.kill() }
        let port = try #require(UInt16(await program.line()))
        // Sessions, not strangers: those would be turned away by number.
        var sessions: [OnlineSession] = []
        while let session = try? await OnlineSession.connect(
            to: [loopback(port)], security: .plaintext, hello: hello("guest"), limits: .patient)
        {
            sessions.append(session)
        }
        #expect((2...18).contains(sessions.count))
        let before = try processorTicks(program.pid)
        for session in sessions {
            try await session.send([1])
            #expect(try await session.next()?.bytes == [1])
        }
        for _ in 0..<50 {
            let peer = try RawPeer(port: port)
            #expect(await peer.readToEnd() == [])
            peer.close()
        }
        #expect(try processorTicks(program.pid) - before < 50)
        for session in sessions { await session.close() }
        var again: OnlineSession?
        while again == nil {
            again = try? await OnlineSession.connect(
                to: [loopback(port)], security: .plaintext, hello: hello("guest"), limits: .patient)
        }
        try await again?.send([2])
        #expect(try await again?.next()?.bytes == [2])
    }

    /// The address sanitizer keeps what was freed for a while.
    @Test(.enabled(if: getenv("TTT_SANITIZER") == nil))
    func `garbage from many connections leaves no memory behind`() async throws {
        let program = try Program("echo-peer", ["listen"])
        defer { program.kill() }
        let port = try #require(UInt16(await program.line()))
        let garbage = [0, 0, 15, 0] + [UInt8](repeating: 1, count: 3_000)
        func round() async throws {
            for number in 0..<200 {
                // Not all from one address, which would be kept out soon.
                let peer = try RawPeer(port: port, from: "127.0.2.\(number + 1)")
                peer.send(garbage)
                peer.close()
            }
        }
        try await round()
        let before = try residentBytes(program.pid)
        for _ in 0..<5 { try await round() }
        #expect(try residentBytes(program.pid) - before < 1 << 20)
    }

    @Test func `an accepted connection is watched by the kernel`() throws {
        // Keepalive and its limits are inherited from the listening socket.
        let listener = try OnlineListener(security: .plaintext, hello: hello("a"), limits: .patient)
        let descriptor = try #require(listeningDescriptor(listener.port))
        #expect(option(descriptor, SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(option(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 5)
        #expect(option(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL) == 2)
        #expect(option(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT) == 3)
        #expect(option(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == 6_000)
        #expect(option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY) == 1)
        let peer = try RawPeer(port: listener.port)
        let accepted = accept4(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        #expect(option(accepted, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == 6_000)
        #expect(option(accepted, SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(option(accepted, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 5)
        close(accepted)
        peer.close()
    }

    private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, level, name, &value, &length)
        return value
    }

    /// This process's descriptor that listens on `port`.
    private func listeningDescriptor(_ port: UInt16) -> Int32? {
        (0..<1_024).first { descriptor in
            guard option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 1 else { return false }
            var address = sockaddr_in6()
            var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length) == 0
                }
            } && UInt16(bigEndian: address.sin6_port) == port
        }
    }
}

/// The processor time of a process, in hundredths of a second.
func processorTicks(_ pid: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = text[(try #require(text.lastIndex(of: ")")))...].split(separator: " ")
    return try #require(Int(fields[12])) + (try #require(Int(fields[13])))
}
