// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import SessionProtocol
import Testing

@Suite struct ConnectorTests {
    @Test func `a closed port is refused, in one sentence`() async throws {
        let error = await #expect(throws: OnlineError.self) {
            try await OnlineSession.connect(
                to: [loopback(1), loopback(1, "::1")], security: .plaintext, hello: hello("a"),
                limits: .patient)
        }
        #expect(error?.code == .connectionRefused)
        #expect(error?.description == "Nobody listens at 127.0.0.1:1, [::1]:1.")
    }

    @Test func `the first address that answers wins over those that do not`() async throws {
        let deaf = try DeafSocket()
        defer { deaf.close() }
        try await withEchoListener { listener in
            let session = try await OnlineSession.connect(
                to: [loopback(deaf.port), loopback(1), loopback(listener.port)],
                security: .plaintext, hello: hello("a"), limits: .patient)
            #expect(session.peer?.name == "echo")
            await session.close()
        }
    }

    @Test func `no answer is an error at the deadline`() async throws {
        let deaf = try DeafSocket()
        defer { deaf.close() }
        let loop = try EventLoop.shared
        let settings = SessionSettings(security: .plaintext, hello: hello("a"))
        let error = await #expect(throws: OnlineError.self) {
            try await OnlineSession.dial(
                to: [loopback(deaf.port)], settings: settings,
                by: loop.now().advanced(milliseconds: 30))
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `a dial that is cancelled ends at once`() async throws {
        let deaf = try DeafSocket()
        defer { deaf.close() }
        let endpoint = try loopback(deaf.port)
        let dialling = Task {
            try await OnlineSession.connect(
                to: [endpoint], security: .plaintext, hello: hello("a"), limits: .patient)
        }
        dialling.cancel()
        let error = await #expect(throws: OnlineError.self) { try await dialling.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `an address that leads nowhere, and none at all, are errors`() async throws {
        let none = await #expect(throws: OnlineError.self) {
            try await OnlineSession.connect(
                to: [], security: .plaintext, hello: hello("a"), limits: .patient)
        }
        #expect(none?.code == .notFound)
        // Link-local without an interface.
        let nowhere = await #expect(throws: OnlineError.self) {
            try await OnlineSession.connect(
                to: [loopback(4_242, "fe80::1")], security: .plaintext, hello: hello("a"),
                limits: .patient)
        }
        #expect(nowhere?.code == .unreachable)
    }

    @Test func `a host is found by name`() async throws {
        let loop = try EventLoop.shared
        let soon = loop.now().advanced(milliseconds: 60_000)
        let found = try await Endpoint.lookUp(host: "localhost", port: 5, by: soon)
        let (four, six) = (try loopback(5), try loopback(5, "::1"))
        #expect(found.contains(four) || found.contains(six))
        let error = await #expect(throws: OnlineError.self) {
            try await Endpoint.lookUp(host: "no such host", port: 5, by: soon)
        }
        #expect(error?.code == .notFound)
    }

    @Test func `a look-up that takes too long is an error at the deadline`() async throws {
        let past = Instant(nanoseconds: 1)
        let error = await #expect(throws: OnlineError.self) {
            try await Endpoint.lookUp(host: "localhost", port: 5, by: past)
        }
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: [
        ("10.0.0.1:4242", "10.0.0.1:4242"), ("[::1]:1", "[::1]:1"),
        ("[fe80::1%lo]:65535", "[fe80::1%lo]:65535"), ("[::ffff:10.0.0.1]:4", "10.0.0.1:4"),
    ])
    func `an endpoint is read and written alike`(_ text: String, _ written: String) {
        #expect(Endpoint(parsing: text)?.description == written)
    }

    @Test(arguments: [
        "", ":", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "::1:4", "[::1]",
        "[10.0.0.1:4", "host:4", "[fe80::1%no-such]:4", "10.0.0.1%lo:4", "10.0.0:4", "[]:4",
    ])
    func `what is no endpoint is not read`(_ text: String) {
        #expect(Endpoint(parsing: text) == nil)
    }
}

/// A port whose queue is full: the kernel answers nobody.
struct DeafSocket {
    let descriptor: Int32
    let port: UInt16
    private let queued: [RawPeer]

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(descriptor, $0, size) == 0)
                #expect(listen(descriptor, 0) == 0)
                #expect(getsockname(descriptor, $0, &size) == 0)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        queued = [try RawPeer(port: port)]
    }

    func close() {
        for peer in queued { peer.close() }
        Glibc.close(descriptor)
    }
}
