// SPDX-License-Identifier: MIT

import SessionProtocol

/// How each phase takes the engine's inputs.
extension MatchPlay {
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
        case .replaced: replaced()
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
        if case .apart = link, !isBetween { return [] }
        part()
        return [.tell(.apart(code))]
    }

    private mutating func replaced() -> [Effect] {
        if case .apart = link { return [] }
        let wasTogether = !isRefilling
        part()
        // Without company the player knows already that the other side is not there.
        isBetween = wasTogether
        return []
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
        case .met, .peerLeft, .parted, .replaced, .refused, .storeFailed: .none
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
        case .met, .peerLeft, .parted, .replaced, .refused, .storeFailed: .none
        }
    }
}
