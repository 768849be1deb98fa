// SPDX-License-Identifier: MIT

import SessionProtocol

/// The joiner's side of the fair start: promise, wait for the host, reveal.
struct JoinerStart: Sendable {
    private let challenge: Challenge
    private let random: [UInt8]
    private(set) var deadline: Instant?

    /// Prepares a challenge whose commitment is to `random`.
    init(challenge: Challenge, random: [UInt8]) {
        self.challenge = challenge
        self.random = random
    }

    /// Opens.
    mutating func begin(at now: Instant) -> StartAction {
        deadline = now.advanced(milliseconds: StartTime.patience)
        return .send(.challenge(challenge))
    }

    /// Takes a note of the host.
    mutating func received(_ note: MatchNote) -> StartAction {
        switch note {
        case .accept(let hostRandom):
            // The same bytes from both sides are a reflection, not chance.
            guard hostRandom != random else { return .fail("HOSTRANDOM is the joiner's.") }
            let start = FinishedStart(
                challenge: challenge, joinerRandom: random, hostRandom: hostRandom)
            return .play(start, note: .reveal(random: random))
        case .decline(let reason):
            return .decline(reason, note: nil)
        case .challenge, .unknownChallenge, .reveal, .cancel, .lost, .kept:
            return .fail("A host does not send this note.")
        }
    }

    /// Takes the challenge back.
    mutating func decline() -> StartAction { .decline(.cancelled, note: .cancel) }

    /// There is nothing to accept.
    mutating func accept(at now: Instant) -> StartAction {
        .reject(.nothing, "The host has not answered yet.")
    }

    /// The host did not answer.
    mutating func timeout() -> StartAction { .decline(.late, note: .cancel) }
}
