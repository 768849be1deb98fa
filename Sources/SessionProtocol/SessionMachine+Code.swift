// SPDX-License-Identifier: MIT

// How the two ends prove to each other that they know one code (`docs/protocol.md` §4.7). What is
// in shares and tags, and whether an answer is right, comes from outside.

extension SessionMachine {
    /// Responder: takes the peer on only if it proves that it knows the code. Does nothing unless
    /// a hello waits for an answer; of one hello there is one try.
    ///
    /// - Parameter share: This side's share, 32 bytes.
    package mutating func ask(_ share: [UInt8]) {
        guard case .deciding(let local, let peer) = state, share.count == 32 else { return }
        output.append(.code(share))
        state = .asked(local, peer: peer)
    }

    /// Initiator: answers ``SessionEvent/asked(_:)``; does nothing at any other time.
    ///
    /// - Parameters:
    ///   - answer: This side's share and tag, 96 bytes.
    ///   - proof: The tag, 64 bytes, by which the responder shows that it knows the code too.
    package mutating func answer(_ answer: [UInt8], expecting proof: [UInt8]) {
        guard case .answering(let local) = state, answer.count == 96, proof.count == 64 else {
            return
        }
        output.append(.code(answer))
        state = .awaitingProof(local, expected: proof)
    }

    /// Initiator: the responder wants proof. Who knows no code says so and waits for the refusal.
    mutating func received(share: [UInt8], as local: Hello) throws(MessageError) {
        guard share.count == 32, !hasProof else { throw Self.untimely }
        if wantsProof {
            state = .answering(local)
            events.append(.asked(share))
        } else {
            output.append(.code([]))
            state = .awaitingProof(local, expected: [])
        }
    }

    /// Initiator: the responder shows that it knows the code, or that it does not.
    mutating func received(
        proof: [UInt8], expected: [UInt8], as local: Hello
    ) throws(MessageError) {
        guard proof.count == 64, !expected.isEmpty else { throw Self.untimely }
        guard Self.areEqual(proof, expected) else {
            let text = "The other side does not know the code; do not trust it."
            return finish(.refused(Refusal(.wrongCode, text: text)))
        }
        wantsProof = false
        hasProof = true
        state = .awaitingWelcome(local)
    }

    /// Initiator: what an end means once the answer is sent. Whoever has it can tell whether one
    /// guess is right, and nothing shows whether that was somebody who knows the code: however the
    /// connection ends before the proof, the code has had its try, and is not to be tried again as
    /// after a loss or for want of room.
    func judged(_ end: SessionEnd) -> SessionEnd {
        guard case .awaitingProof(_, let expected) = state, !expected.isEmpty else { return end }
        let reason: String
        switch end {
        case .closed: return end
        case .refused(let refusal):
            guard refusal.code != .wrongCode else { return end }
            reason = refusal.text.isEmpty ? "refused with code \(refusal.code.value)" : refusal.text
        case .left(_, let text), .lost(let text), .protocolError(let text), .readError(let text),
            .writeError(let text):
            reason = text
        }
        let text =
            "The other side took your code and did not show that it knows it (\(reason)). The code "
            + "may be wrong, or this is somebody else: ask the host which code its screen shows now."
        return .refused(Refusal(.wrongCode, text: text))
    }

    /// Responder: the peer's try.
    mutating func received(
        answer: [UInt8], from peer: Hello, as local: Hello
    ) throws(MessageError) {
        switch answer.count {
        case 0: turnAway(Refusal(.codeNeeded))
        case 96:
            state = .answered(local, peer: peer)
            events.append(.answered(answer))
        default: throw Self.untimely
        }
    }

    /// Compares in a time that does not depend on where the two differ.
    private static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        // In Swift `|` and `^` are of one precedence.
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
