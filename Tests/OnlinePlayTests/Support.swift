// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import SessionProtocol
import Testing

/// What the tests' sessions say of themselves.
func hello(_ name: String, instance: UInt64 = .random(in: 1...(.max))) -> Hello {
    Hello(
        application: "test", applicationVersions: VersionRange(1, 3), name: name,
        instance: InstanceID(value: instance))
}

/// Two connected sockets.
func socketPair() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

/// The reading and the writing end of a pipe.
func pipePair() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    return (ends[0], ends[1])
}

/// How a pair of test sessions is protected.
enum Protection: CaseIterable, Sendable {
    case plaintext, tls

    func security() throws -> Security {
        self == .plaintext ? .plaintext : .identity(try Identity.ephemeral())
    }
}

/// The loopback endpoint with this port.
func loopback(_ port: UInt16, _ host: String = "127.0.0.1") throws -> Endpoint {
    try #require(Endpoint(host: host, port: port))
}

/// Two ready sessions with each other over a socket pair.
func sessionPair(
    _ protection: Protection = .plaintext, limits: SessionLimits = SessionLimits()
) async throws -> (OnlineSession, OnlineSession) {
    let (a, b) = socketPair()
    let first = try OnlineSession(
        input: a, output: a, role: .initiator, security: protection.security(),
        hello: hello("first"), limits: limits)
    let second = try OnlineSession(
        input: b, output: b, role: .responder, security: protection.security(),
        hello: hello("second"), limits: limits)
    try await first.ready()
    try await second.ready()
    return (first, second)
}
