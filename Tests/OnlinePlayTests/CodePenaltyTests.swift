// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import OnlinePlay

/// What tries at a code cost the address that they come from.
@Suite struct CodePenaltyTests {
    private static let right = Passcode(parsing: "402193")
    private static let wrong = Passcode(parsing: "402194")

    @Test(arguments: [true, false])
    func `an address answers for wrong codes, and not for tries that are not judged`(
        isJudged: Bool
    ) async throws {
        let identity = try Identity.ephemeral()
        var settings = SessionSettings(security: .identity(identity), hello: hello("host"))
        settings.limits = .unforgiving(\.wrongCode)
        settings.givesEvents = true
        let listener = try OnlineListener(settings: settings)
        let serving = Task {
            await listener.run { session in
                await Self.serve(session, identity, isJudged: isJudged)
            }
        }
        #expect(try await Self.end(at: listener.port).map(Self.isWrongCode) == true)
        let again = try await Self.end(at: listener.port)
        #expect(again.map(Self.isWrongCode) == !isJudged, "\(String(describing: again))")
        serving.cancel()
        await serving.value
    }

    /// Turns a guest away, with or without a look at its try.
    private static func serve(
        _ session: OnlineSession, _ identity: Identity, isJudged: Bool
    ) async {
        while let event = await session.nextEvent() {
            switch event {
            case .hello:
                guard let right else { return }
                await session.loop.call { session.ask(for: right, as: identity) }
            case .answered(let answer):
                if isJudged {
                    let proof = await session.loop.call { session.proof(for: answer) }
                    #expect(proof == nil)
                }
                session.refuse(Refusal(.wrongCode))
            default: break
            }
        }
    }

    /// How a try with a wrong code ends that comes from an address which is not everybody's.
    private static func end(at port: UInt16) async throws -> SessionEnd? {
        let stream = DescriptorStream(
            try RawPeer(port: port, from: "127.0.0.2").descriptor, loop: try .shared)
        var settings = SessionSettings(
            security: .identity(try .ephemeral()), hello: hello("guest"))
        settings.limits = .patient
        settings.passcode = wrong
        let session = try OnlineSession(
            input: stream, output: stream, role: .initiator, settings: settings)
        try? await session.ready()
        return session.end
    }

    /// Whether the host has looked at it so far that it refused the code.
    private static func isWrongCode(_ end: SessionEnd) -> Bool {
        if case .refused(let refusal) = end { refusal.code == .wrongCode } else { false }
    }
}
