// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import SessionProtocol
import Testing

@testable import OnlinePlay

/// Sessions that are only ready for those who know a code.
@Suite struct CodeTests {
    /// How a meeting went, seen from both ends.
    struct Meeting: Equatable {
        var joiner: String
        var host: String
        /// How many tries the host has computed, and whether it showed its own tag.
        var judged = 0
        var showed = false
    }

    private static let right = Passcode(parsing: "402193")
    private static let wrong = Passcode(parsing: "402194")

    @Test func `who knows the code is let in, and so is the host taken`() async throws {
        let meeting = try await meet(joiner: Self.right, host: Self.right)
        #expect(meeting == Meeting(joiner: "ready", host: "ready", judged: 1, showed: true))
    }

    @Test func `a wrong code is refused after one try, and the host proves nothing`() async throws {
        let meeting = try await meet(joiner: Self.wrong, host: Self.right)
        #expect(meeting == Meeting(joiner: "refused 12", host: "refused 12", judged: 1))
    }

    @Test func `who has no code is told that one is needed, and no try is counted`() async throws {
        let meeting = try await meet(joiner: nil, host: Self.right)
        #expect(meeting == Meeting(joiner: "refused 11", host: "refused 11"))
    }

    @Test func `a host that does not ask is not taken by who has a code`() async throws {
        let meeting = try await meet(joiner: Self.right, host: nil)
        #expect(meeting.joiner == "refused 11")
    }

    @Test func `a host that only pretends to know the code is not taken`() async throws {
        let meeting = try await meet(joiner: Self.right, host: Self.wrong, isBluffing: true)
        #expect(meeting.joiner == "refused 12")
    }

    @Test func `a host whose key is not the wanted one gets no answer to test a guess with`()
        async throws
    {
        let asked = Lock<[Fingerprint]>([])
        let meeting = try await meet(joiner: Self.right, host: Self.right) { fingerprint in
            asked.withLock { $0.append(fingerprint) }
            return false
        }
        #expect(meeting.joiner == "closed(SessionProtocol.GoodbyeCode(value: 0))")
        #expect(meeting.judged == 0)
        #expect(asked.withLock { $0.count } == 1)
        let other = try await meet(joiner: Self.right, host: Self.right) { _ in true }
        #expect(other.joiner == "ready" && other.judged == 1)
    }

    @Test func `without TLS there is no code`() async throws {
        let meeting = try await meet(joiner: Self.right, host: Self.right, isPlain: true)
        #expect(meeting.joiner == "refused 11" && meeting.judged == 0)
    }

    @Test func `a man in the middle fails each of 100 times, and the code is good afterwards`()
        async throws
    {
        for _ in 0..<100 {
            let meeting = try await meet(joiner: Self.right, host: Self.right, isWatched: true)
            #expect(meeting == Meeting(joiner: "refused 12", host: "refused 12", judged: 1))
        }
        let meeting = try await meet(joiner: Self.right, host: Self.right)
        #expect(meeting == Meeting(joiner: "ready", host: "ready", judged: 1, showed: true))
    }

    @Test func `what is relayed without a code gets through, so the man in the middle works`()
        async throws
    {
        let meeting = try await meet(joiner: nil, host: nil, isWatched: true)
        #expect(meeting.joiner == "ready" && meeting.host == "ready")
    }

    // MARK: - The stage

    /// Lets a joiner meet a host, with or without somebody between them.
    private func meet(
        joiner: Passcode?, host: Passcode?, isBluffing: Bool = false, isPlain: Bool = false,
        isWatched: Bool = false,
        mayAnswer: @escaping @Sendable (Fingerprint) -> Bool = { _ in true }
    ) async throws -> Meeting {
        let ends = socketPair()
        var atHost = ends.1
        if isWatched {
            let (left, right) = (ends.1, socketPair())
            atHost = right.1
            let eve = try Identity.ephemeral()
            Thread.detachNewThread { relay(left, right.0, as: eve) }
        }
        let identity = try Identity.ephemeral()
        let hosting = try session(
            atHost, .responder, isPlain ? .plaintext : .identity(identity), nil)
        let joining = try session(
            ends.0, .initiator, isPlain ? .plaintext : .identity(try .ephemeral()), joiner,
            mayAnswer: mayAnswer)
        async let served = serve(hosting, host, identity, isBluffing)
        var meeting = await served
        try? await joining.ready()
        meeting.joiner = Self.word(joining.end)
        await joining.close()
        await hosting.close()
        return meeting
    }

    private func session(
        _ descriptor: Int32, _ role: Role, _ security: Security, _ passcode: Passcode?,
        mayAnswer: @escaping @Sendable (Fingerprint) -> Bool = { _ in true }
    ) throws -> OnlineSession {
        var settings = SessionSettings(security: security, hello: hello("\(role)"))
        settings.limits = .patient
        settings.givesEvents = role == .responder
        settings.passcode = passcode
        settings.mayAnswer = mayAnswer
        let stream = DescriptorStream(descriptor, loop: try .shared)
        return try OnlineSession(input: stream, output: stream, role: role, settings: settings)
    }

    /// Does what a host does, until the session is ready or over.
    private func serve(
        _ session: OnlineSession, _ passcode: Passcode?, _ identity: Identity, _ isBluffing: Bool
    ) async -> Meeting {
        var meeting = Meeting(joiner: "", host: "")
        while let event = await session.nextEvent() {
            switch event {
            case .hello:
                guard let passcode else {
                    session.accept()
                    continue
                }
                await session.loop.call { session.ask(for: passcode, as: identity) }
            case .answered(let answer):
                meeting.judged += 1
                var proof = await session.loop.call { session.proof(for: answer) }
                if isBluffing { proof = [UInt8](repeating: 1, count: 64) }
                meeting.showed = proof != nil
                if let proof {
                    session.accept(proof: proof)
                } else {
                    session.refuse(Refusal(.wrongCode))
                }
            case .ready:
                meeting.host = "ready"
                return meeting
            case .ended(let end):
                meeting.host = Self.word(end)
                return meeting
            default: break
            }
        }
        return meeting
    }

    private static func word(_ end: SessionEnd?) -> String {
        switch end {
        case nil: "ready"
        case .refused(let refusal): "refused \(refusal.code.value)"
        case .some(let end): "\(end)"
        }
    }
}

/// Sits between two sockets, ends TLS on both sides with a key of its own, and relays every frame as
/// it is, until either side is gone.
private func relay(_ left: Int32, _ right: Int32, as identity: Identity) {
    guard let toJoiner = TLSChannel(identity, role: .responder),
        let toHost = TLSChannel(identity, role: .initiator)
    else { return }
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    var sides = [(left, toJoiner, [UInt8]()), (right, toHost, [UInt8]())]
    defer {
        scratch.deallocate()
        for side in sides { close(side.0) }
    }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        for index in sides.indices {
            let (descriptor, tls, waiting) = sides[index]
            if tls.isEstablished, !waiting.isEmpty {
                _ = waiting.withUnsafeBytes { tls.encrypt($0) }
                sides[index].2 = []
            }
            tls.withCiphertext(scratch: scratch) {
                max(0, send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)))
            }
        }
        var polled = sides.map { pollfd(fd: $0.0, events: Int16(POLLIN), revents: 0) }
        // The sessions at both ends have deadlines; it ends with them.
        guard poll(&polled, 2, -1) > 0 else { return }
        for index in sides.indices where polled[index].revents != 0 {
            let count = recv(sides[index].0, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            var plain: [UInt8] = []
            let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
            defer { scratch.deallocate() }
            let outcome = chunk[..<count].withUnsafeBytes { bytes in
                sides[index].1.receive(bytes, scratch: scratch) { plain += $0 }
            }
            sides[1 - index].2 += plain
            guard outcome == .going || !plain.isEmpty else { return }
        }
    }
}
