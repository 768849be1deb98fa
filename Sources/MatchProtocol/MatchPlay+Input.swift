// SPDX-License-Identifier: MIT

import SessionProtocol

/// How each phase takes the engine's inputs.
extension MatchPlay {
    /// What to do if the library does not sign.
    static var unsigned: [Effect] {
        let text = "An entry could not be signed."
        return [.tell(.ended(.failed(text))), .close(.shuttingDown, text: text)]
    }

    /// Why an own entry was not written.
    enum WriteFailure: Error {
        case refused(Refused)
        case unsigned
    }

    /// Takes what has happened since the fair start, but for what ends a match.
    mutating func handle(
        _ input: MatchEngine<G>.Input, at now: Instant
    ) throws(LinkFailure) -> [Effect] {
        switch input {
        case .begin: tell() + resumed()
        case .met(let have, let hash, let sent):
            try met(have: have, hash: hash, sent: sent, at: now)
        case .packet(let number, let line): try received(line, number: number, at: now)
        case .had(let count, let hash): try had(count: count, hash: hash)
        case .note(let bytes): try received(note: bytes, at: now)
        case .command(let command): perform(command)
        case .parted: parted(nil)
        case .peerLeft(let code): parted(code)
        case .tick: late()
        case .refused, .storeFailed: []
        }
    }

    /// The match as it stands, for somebody who has seen nothing.
    private mutating func resumed() -> [Effect] {
        let moves = unconfirmed
        return (shown.summary(hasMoved: !moves.isEmpty) + moves).map(Effect.tell)
    }

    private mutating func parted(_ code: GoodbyeCode?) -> [Effect] {
        if case .apart = link { return [] }
        part()
        return [.tell(.apart(code))]
    }

    private mutating func late() -> [Effect] {
        guard case .refilling = link else { return [] }
        part()
        return [.tell(.apart(nil)), .hangUp(.tookTooLong, text: "")]
    }
}

extension JoinerStart {
    /// Takes what happens before the host has answered.
    mutating func handle<G>(
        _ input: MatchEngine<G>.Input, at now: Instant
    ) throws(Malformed) -> StartAction {
        switch input {
        case .begin: begin(at: now)
        case .note(let bytes): received(try MatchNote(bytes))
        case .command(.accept): accept(at: now)
        case .command(.decline): decline()
        case .command: .reject(.early, "No game has begun.")
        case .tick: timeout()
        case .packet, .had: throw Malformed("No match has begun.")
        case .met, .peerLeft, .parted, .refused, .storeFailed: .none
        }
    }
}

extension HostStart {
    /// Takes what happens before the joiner has revealed.
    mutating func handle<G>(
        _ input: MatchEngine<G>.Input, at now: Instant
    ) throws(Malformed) -> StartAction {
        switch input {
        case .begin: begin(at: now)
        case .note(let bytes): received(try MatchNote(bytes), at: now)
        case .command(.accept): accept(at: now)
        case .command(.decline): decline()
        case .command: .reject(.early, "No game has begun.")
        case .tick: timeout()
        case .packet, .had: throw Malformed("No match has begun.")
        case .met, .peerLeft, .parted, .refused, .storeFailed: .none
        }
    }
}
