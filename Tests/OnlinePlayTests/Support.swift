// SPDX-License-Identifier: MIT

import CLinux
import Foundation
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

extension OnlineLimits {
    /// For sessions that are not about time: the machine may be busy.
    static var patient: OnlineLimits {
        var limits = OnlineLimits()
        limits.session.handshake = 60_000
        limits.session.frame = 60_000
        limits.session.answer = 60_000
        limits.strangerPatience = 60_000
        return limits
    }

    /// The same, where so many of a misdeed are free and one more keeps an address out for longer
    /// than a test lasts; PenaltyTests has how that ends.
    static func unforgiving(
        _ misdeed: WritableKeyPath<Penalties, UInt64>, free: UInt64 = 0
    ) -> OnlineLimits {
        let hour: UInt64 = 3_600_000
        var limits = Self.patient
        limits.penalties[keyPath: misdeed] = hour
        limits.penalties.free = free * hour
        limits.penalties.longest = (free + 2) * hour
        return limits
    }
}

/// Two connected sockets.
func socketPair() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

/// The reading and the writing end of a pipe.
func pipePair() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(pipe2(&ends, O_CLOEXEC) == 0)
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
    _ protection: Protection = .plaintext, limits: OnlineLimits = .patient
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

/// A TCP connection that a test drives byte by byte, on threads of its own where it blocks.
struct RawPeer: Sendable {
    let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    init(port: UInt16, from source: String = "127.0.0.1") throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        try Self.withAddress(source, 0) { address, size in
            #expect(bind(descriptor, address, size) == 0)
        }
        try Self.withAddress("127.0.0.1", port) { address, size in
            #expect(Glibc.connect(descriptor, address, size) == 0)
        }
    }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Everything until the other side ends or resets the connection, or `isEnough` says so; `nil`
    /// if nothing comes for ten seconds.
    func readToEnd(
        _ isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) async -> [UInt8]? {
        await onThread {
            var time = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &time,
                socklen_t(MemoryLayout<timeval>.size))
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &chunk, chunk.count, 0)
                if count > 0 {
                    all += chunk[..<count]
                    if isEnough(all) { return all }
                } else {
                    return count < 0 && errno == EAGAIN ? nil : all
                }
            }
        }
    }

    func close() { Glibc.close(descriptor) }

    private static func withAddress(
        _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Void
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        try #require(inet_pton(AF_INET, host, &address.sin_addr) == 1)
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// Runs what blocks on a thread that nobody else needs.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    // The lock is for the thread sanitizer, which does not see how a continuation that is resumed
    // before it is awaited hands over what it is resumed with.
    let result = Lock<Value?>(nil)
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let value = body()
            result.withLock { $0 = value }
            continuation.resume()
        }
    }
    guard let value = result.withLock({ $0 }) else { fatalError("It was set before.") }
    return value
}

/// A frame: length, kind, body.
func frame(_ kind: UInt8, _ body: [UInt8] = []) -> [UInt8] {
    let length = UInt32(body.count + 1)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + [kind] + body
}

/// The bytes that an initiator's session begins with.
func helloBytes() -> [UInt8] {
    var machine = SessionMachine(
        role: .initiator, hello: hello("raw"), random: [UInt8](repeating: 3, count: 24),
        now: Instant(nanoseconds: 0))
    return machine.nextOutput() ?? []
}

/// An echoing listener on the loop, for as long as `body` runs.
func withEchoListener(
    _ protection: Protection = .plaintext, limits: OnlineLimits = .patient,
    limit: Int = 1_000, _ body: (OnlineListener) async throws -> Void
) async throws {
    let listener = try OnlineListener(
        security: protection.security(), hello: hello("echo"), limits: limits)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            await listener.run(limit: limit) { session in
                while let packet = try await session.next() {
                    try await session.send(packet.bytes)
                }
            }
        }
        defer { listener.close() }
        try await body(listener)
    }
}

/// Whether a new session with the listener works.
func expectEcho(_ listener: OnlineListener, _ protection: Protection = .plaintext) async throws {
    let session = try await OnlineSession.connect(
        to: [loopback(listener.port)], security: protection.security(), hello: hello("guest"),
        limits: .patient)
    try await session.send([1, 2, 3])
    let packet = try await session.next()
    #expect(packet?.bytes == [1, 2, 3])
    await session.close()
}

/// A program of this package, started for one test.
final class Program {
    let process = Process()
    let output = Pipe()
    let input = Pipe()

    /// Starts the built program `name`, or the one at an absolute path.
    init(_ name: String, _ arguments: [String], prefix: [String] = []) throws {
        let path = name.hasPrefix("/") ? name : try Self.buildDirectory() + "/" + name
        let words = prefix + [path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardOutput = output
        process.standardInput = input
        try process.run()
    }

    var pid: Int32 { process.processIdentifier }

    /// The next line that it prints.
    func line() async -> String {
        let descriptor = output.fileHandleForReading.fileDescriptor
        return await onThread {
            var text: [UInt8] = []
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1, byte != 10 { text.append(byte) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    func kill() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Where the test bundle is, and with it the package's programs.
    private static func buildDirectory() throws -> String {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let places = CommandLine.arguments + maps.split(separator: "\n").map(String.init)
        let place = try #require(places.first { $0.contains("PackageTests.xctest") })
        let path = try #require(place.firstIndex(of: "/").map { String(place[$0...]) })
        return String(path[..<(try #require(path.lastIndex(of: "/")))])
    }
}

/// A directory of its own for one test, removed by the test's end.
func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result
{
    let path = NSTemporaryDirectory() + "online-play-\(UInt64.random(in: 0...(.max)))"
    try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
