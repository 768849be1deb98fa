// SPDX-License-Identifier: MIT

import SessionProtocol

/// The host's side of the fair start: wait for a challenge, answer it, check what is revealed.
struct HostStart: Sendable {
    private enum State: Sendable {
        case waiting
        case asking(Challenge)
        case accepted(Challenge)
    }

    private let rules: RulesID
    private let options: [UInt8]
    private let clock: MoveClock?
    private let asks: Bool
    private let exporter: [UInt8]
    private let random: [UInt8]
    private let cryptography: any Cryptography
    private var state = State.waiting
    private(set) var deadline: Instant?

    /// Waits for a challenge to these rules with these options and this clock.
    init(
        rules: RulesID, options: [UInt8], clock: MoveClock?, asks: Bool, exporter: [UInt8],
        random: [UInt8],
        cryptography: any Cryptography
    ) {
        self.rules = rules
        self.options = options
        self.clock = clock
        self.asks = asks
        self.exporter = exporter
        self.random = random
        self.cryptography = cryptography
    }

    /// Begins to wait.
    mutating func begin(at now: Instant) -> StartAction {
        deadline = now.advanced(milliseconds: StartTime.step)
        return .none
    }

    /// Takes a note of the joiner.
    mutating func received(_ note: MatchNote, at now: Instant) -> StartAction {
        switch (state, note) {
        case (.waiting, .challenge(let challenge)):
            return challenged(challenge, at: now)
        case (.waiting, .unknownChallenge):
            return .decline(.rules, note: .decline(.rules))
        // Also after accept, which a cancel may have crossed.
        case (.asking, .cancel), (.accepted, .cancel):
            return .decline(.cancelled, note: nil)
        case (.accepted(let challenge), .reveal(let joinerRandom)):
            return revealed(joinerRandom, challenge)
        case (.waiting, _), (.asking, _), (.accepted, _):
            return .fail("The joiner does not send this note now.")
        }
    }

    /// Plays.
    mutating func accept(at now: Instant) -> StartAction {
        guard case .asking(let challenge) = state else {
            return .reject(.nothing, "Nobody waits for an answer.")
        }
        state = .accepted(challenge)
        deadline = now.advanced(milliseconds: StartTime.step)
        return .send(.accept(random: random))
    }

    /// Does not play.
    mutating func decline() -> StartAction {
        guard case .asking = state else {
            return .reject(.nothing, "Nobody waits for an answer.")
        }
        return .decline(.declined, note: .decline(.declined))
    }

    /// The player did not answer, or the joiner's program did not go on.
    mutating func timeout() -> StartAction {
        switch state {
        case .asking: .decline(.late, note: .decline(.late))
        case .waiting, .accepted: .giveUp
        }
    }

    private mutating func challenged(_ challenge: Challenge, at now: Instant) -> StartAction {
        guard challenge.rules == rules, challenge.options == options else {
            return .decline(.rules, note: .decline(.rules))
        }
        guard challenge.clock == clock else { return .decline(.clock, note: .decline(.clock)) }
        state = .asking(challenge)
        guard asks else { return accept(at: now) }
        deadline = now.advanced(milliseconds: StartTime.answer)
        return .ask
    }

    private func revealed(_ joinerRandom: [UInt8], _ challenge: Challenge) -> StartAction {
        let promised = FairStart.commitment(
            exporter: exporter, joinerRandom: joinerRandom, cryptography: cryptography)
        guard promised == challenge.commitment else {
            return .fail("JOINERRANDOM is not what the commitment promised.")
        }
        // The same bytes from both sides are a reflection, not chance.
        guard joinerRandom != random else { return .fail("JOINERRANDOM is the host's.") }
        let start = FinishedStart(
            challenge: challenge, joinerRandom: joinerRandom, hostRandom: random)
        return .play(start, note: nil)
    }
}
