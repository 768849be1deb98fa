// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import SessionProtocol

/// What `Benchmarks/run` measures of the sessions:
///
///     online-bench serve (plain|tls)             echoes; prints its port first
///     online-bench trip (plain|tls) PORT COUNT   median round trip of 16 bytes in nanoseconds
///     online-bench hold (plain|tls) PORT COUNT   opens COUNT sessions, says so, keeps them
@main struct Bench {
    static func main() throws {
        raiseDescriptorLimit()
        try EventLoop.shared.runBlocking {
            do {
                try await run()
            } catch {
                say("\(error)")
                exit(1)
            }
        }
    }

    @concurrent static func run() async throws {
        let words = CommandLine.arguments
        guard words.count >= 3 else { exit(64) }
        let security: Security = words[2] == "tls" ? .identity(try .ephemeral()) : .plaintext
        let numbers = words.dropFirst(3).compactMap { Int($0) }
        switch (words[1], numbers.first.flatMap { UInt16(exactly: $0) }, numbers.dropFirst().first)
        {
        case ("serve", nil, nil): try await serve(security)
        case ("trip", let port?, let count?): try await trip(security, port, count)
        case ("hold", let port?, let count?): try await hold(security, port, count)
        default: exit(64)
        }
    }

    static func serve(_ security: Security) async throws {
        let listener = try OnlineListener(security: security, hello: hello)
        say("\(listener.port)")
        await listener.run(limit: 20_000) { session in
            while let packet = try await session.next() { try await session.send(packet.bytes) }
        }
    }

    static func trip(_ security: Security, _ port: UInt16, _ count: Int) async throws {
        let session = try await connect(security, port)
        let median = try await withTaskExecutorPreference(session.loop) {
            try await measure(session, count)
        }
        say("\(median)")
    }

    @concurrent static func measure(_ session: OnlineSession, _ count: Int) async throws -> UInt64 {
        var times: [UInt64] = []
        times.reserveCapacity(count)
        let message = [UInt8](repeating: 1, count: 16)
        for _ in 0..<count {
            let start = session.loop.now().nanoseconds
            try await session.send(message)
            _ = try await session.next()
            times.append(session.loop.now().nanoseconds - start)
        }
        return times.sorted()[count / 2]
    }

    static func hold(_ security: Security, _ port: UInt16, _ count: Int) async throws {
        var sessions: [OnlineSession] = []
        for _ in 0..<count {
            let session = try await connect(security, port)
            // One packet there and back: a session that was never used would be too cheap.
            try await session.send([1])
            _ = try await session.next()
            sessions.append(session)
        }
        say("held")
        _ = getchar()
        withExtendedLifetime(sessions) {}
        exit(0)
    }

    static func connect(_ security: Security, _ port: UInt16) async throws -> OnlineSession {
        guard let endpoint = Endpoint(host: "127.0.0.1", port: port) else { exit(64) }
        return try await OnlineSession.connect(to: [endpoint], security: security, hello: hello)
    }

    /// Prints a line at once: a pipe reads it.
    static func say(_ line: String) {
        let text = line + "\n"
        _ = write(1, text, text.utf8.count)
    }

    static let hello = Hello(
        application: "bench", applicationVersions: VersionRange(1, 1), name: "bench",
        instance: InstanceID(value: .random(in: 0 ... .max)))

    static func raiseDescriptorLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
