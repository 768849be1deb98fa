// SPDX-License-Identifier: MIT

import SessionProtocol

/// One side's part in proving a code on one connection (`docs/protocol.md` §4.7).
///
/// The key that comes of it is bound to this very TLS connection and to both certificates: who sits
/// between two connections has two different ones, even if the code is relayed unchanged.
final class CodeExchange {
    private let passcode: Passcode
    private let own: Fingerprint
    private let role: Role
    private let mayAnswer: @Sendable (Fingerprint) -> Bool
    private var pake: CPace?

    init(
        _ passcode: Passcode, own: Fingerprint, role: Role,
        mayAnswer: @escaping @Sendable (Fingerprint) -> Bool = { _ in true }
    ) {
        self.passcode = passcode
        self.own = own
        self.role = role
        self.mayAnswer = mayAnswer
    }

    /// Whether who is at the other end may have an answer.
    func mayAnswer(over tls: TLSChannel) -> Bool {
        guard let key = tls.peerKey, let other = Fingerprint(publicKey: key) else { return false }
        return mayAnswer(other)
    }

    /// What the host asks with, or `nil` if TLS does not stand.
    func begin(over tls: TLSChannel) -> [UInt8]? {
        guard let session = tls.exporter(.code) else { return nil }
        pake = CPace(
            role == .responder ? .a : .b, password: Array(passcode.digits.utf8),
            channel: Self.channel, session: session, data: Self.data(role, own))
        return pake?.share
    }

    /// The tags, or `nil` if the other side's share is none. One try is all there is.
    func finish(otherShare: [UInt8], over tls: TLSChannel) -> CPace.Tags? {
        guard let pake = pake.take(), let key = tls.peerKey,
            let other = Fingerprint(publicKey: key)
        else { return nil }
        return pake.tags(
            otherShare: otherShare,
            otherData: Self.data(role == .responder ? .initiator : .responder, other))
    }

    private static let channel = Array("ttt-code-v1".utf8)

    /// What binds a side's role and key.
    private static func data(_ role: Role, _ fingerprint: Fingerprint) -> [UInt8] {
        Array((role == .responder ? "host" : "joiner").utf8) + fingerprint.bytes
    }
}

extension SessionCore {
    /// Initiator: answers the host that asks for the code.
    func answer(_ share: [UInt8]) {
        if let tls, let exchange, !exchange.mayAnswer(over: tls) { return machine.close(.left) }
        guard let tls, let exchange, let own = exchange.begin(over: tls),
            let tags = exchange.finish(otherShare: share, over: tls)
        else { return machine.failed(securing: "the share of the code is none") }
        machine.answer(own + tags.own, expecting: tags.other)
    }
}

extension OnlineSession {
    /// Responder: asks the peer, whose hello is here, to prove that it knows the code. Call it on
    /// the session's loop. `SessionEvent.answered` tells the answer.
    ///
    /// - Parameters:
    ///   - passcode: The code.
    ///   - identity: The key that this side showed.
    package func ask(for passcode: Passcode, as identity: Identity) {
        guard let tls = core.tls else { return refuse(Refusal(.codeNeeded)) }
        let exchange = CodeExchange(passcode, own: identity.fingerprint, role: .responder)
        guard let share = exchange.begin(over: tls) else { return refuse(Refusal(.wrongCode)) }
        core.exchange = exchange
        core.command { $0.ask(share) }
    }

    /// Responder: judges an answer, once. Call it on the session's loop.
    ///
    /// - Returns: What proves in turn that this side knows the code, for
    ///   ``accept(have:hash:log:detail:proof:staysVisitor:)``; `nil` if the answer is wrong.
    package func proof(for answer: [UInt8]) -> [UInt8]? {
        guard let tls = core.tls, let exchange = core.exchange.take(),
            let tags = exchange.finish(otherShare: Array(answer.prefix(32)), over: tls),
            areEqualInConstantTime(Array(answer.dropFirst(32)), tags.other)
        else { return nil }
        return tags.own
    }
}
