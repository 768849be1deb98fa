// SPDX-License-Identifier: MIT

/// What one step of the fair start asks for.
enum StartAction: Sendable, Equatable {
    /// Nothing.
    case none
    /// Send a note.
    case send(MatchNote)
    /// Tell the player that a joiner waits.
    case ask
    /// There is no match; send the note first.
    case decline(DeclineReason, note: MatchNote?)
    /// The fair start is done; send the note first.
    case play(FinishedStart, note: MatchNote?)
    /// A command was a mistake.
    case reject(Rejection, String)
    /// The other side broke the protocol.
    case fail(String)
    /// The other side's program did not go on.
    case giveUp
}

/// What both sides know after the fair start.
struct FinishedStart: Sendable, Equatable {
    var challenge: Challenge
    var joinerRandom: [UInt8]
    var hostRandom: [UInt8]
}

/// How long the fair start may take, in milliseconds.
enum StartTime {
    /// For the player at the host to answer a challenge.
    static let answer: UInt64 = 60_000
    /// For a joiner to wait: a little longer, so that the host's word comes first.
    static let patience: UInt64 = 65_000
    /// For a program to take the next step.
    static let step: UInt64 = 10_000
}
