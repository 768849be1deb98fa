// SPDX-License-Identifier: MIT

public import SessionProtocol

/// What was told of a running match before it was taken up again.
public struct GameSoFar<G: Game>: Sendable, Equatable {
    /// The moves of the last game, in their order.
    public var actions: [G.Action] = []
    /// The games that are over.
    public var score = MatchScore()
}

/// What one side of a match is to be told, in this order: started, turn 1, moved 1, turn 2, …
/// moved n, over; then offered, answered, started again.
///
/// ``challenged``, ``offered(_:byYou:)``, ``said(byYou:text:)``, ``rejected(_:message:)``,
/// ``sending(ply:by:action:position:)``, ``dropped(_:message:)``, ``apart(_:)`` and ``together``
/// may stand anywhere; one of ``declined(_:)`` and ``ended(_:)`` is the last. Seats are those of
/// the running game: ``Seat/first`` moves first.
///
/// A match that is taken up from a journal is told as it stands: started with `resumed`, then the
/// turn (not if the player's own move for it waits to be confirmed: that is told as sending), then
/// an offer that waits, or how the game ended. What was not told before the end of the last process
/// follows as usual.
public enum MatchEvent<G: Game>: Sendable, Equatable {
    /// The joiner waits, for 60 seconds, for accept or decline.
    case challenged
    /// There will be no match, because of either side.
    case declined(DeclineReason)
    /// A game begins. `match` is the match id (16 bytes), `game` counts from 1, `seat` is the own
    /// one, and `compare` is the 20-bit number that both screens can show. With `resumed` it has
    /// begun before and stands as `position` says.
    case started(
        match: [UInt8], game: UInt32, seat: Seat, compare: UInt32, position: G,
        resumed: GameSoFar<G>?)
    /// Who is to move ply `ply` (from 1); both where both choose at once.
    case turn(you: Bool, ply: UInt32)
    /// A move of the player here that the other side has not confirmed, perhaps not even been sent;
    /// `position` is as it will be with it. It is told as moved later, or as dropped.
    case sending(ply: UInt32, by: Seat, action: G.Action, position: G)
    /// A move that is on both disks.
    case moved(ply: UInt32, by: Seat, action: G.Action, position: G)
    /// One side proposes something.
    case offered(OfferKind, byYou: Bool)
    /// The proposal was answered.
    case answered(OfferKind, accepted: Bool)
    /// Chat.
    case said(byYou: Bool, text: String)
    /// A game ended.
    case over(GameResult, score: MatchScore, position: G)
    /// A command of this side was a mistake and changed nothing.
    case rejected(Rejection, message: String)
    /// Something that was wished for while apart, and accepted then, is not allowed any more.
    case dropped(Rejection, message: String)
    /// The match is kept and the other side awaited: the connection is gone, or the other side left
    /// with this goodbye.
    case apart(GoodbyeCode?)
    /// The other side is back, and nothing of the own log is missing.
    case together
    /// The time of a player is up, as it was measured here; the other one may claim the game. Of the
    /// other player's time it is told once the clock there must have run out too, and again if a
    /// claim was declined and it has still not moved.
    case timeUp(you: Bool)
    /// One side claims that the other's time is up.
    case claimed(byYou: Bool)
    /// The claim was declined; if it is accepted, the game is over.
    case claimDeclined(byYou: Bool)
    /// The match is over, or cannot go on in this process.
    case ended(MatchEnd)
}

/// Why a challenge did not become a match; the raw value is the word on the wire.
public enum DeclineReason: String, Sendable, Hashable, CaseIterable {
    /// The player said no.
    case declined
    /// The player plays with somebody else, or is not to be asked now.
    case busy
    /// Another game, another version of its rules, or other options.
    case rules
    /// The same game, but another clock, or a clock on one side only.
    case clock
    /// Nobody answered within 60 seconds.
    case late
    /// The joiner took the challenge back.
    case cancelled
}

/// What can be proposed; the raw value is the word on the wire.
public enum OfferKind: String, Sendable, Hashable, CaseIterable {
    case draw
    case rematch
}

/// How a game ended.
public struct GameResult: Sendable, Hashable {
    /// The winner's seat in this game, or a draw; `nil` if nothing was decided.
    public var outcome: Outcome?
    /// The rules' word (for example `line`), or `resign`, `agreed`, `timeout` or `abort`.
    public var termination: String

    /// Makes a result.
    public init(_ outcome: Outcome?, termination: String) {
        self.outcome = outcome
        self.termination = termination
    }
}

/// Games won and drawn in a match, seen from here.
public struct MatchScore: Sendable, Hashable {
    /// Games won here.
    public var you: UInt32
    /// Games won by the other player.
    public var opponent: UInt32
    /// Games drawn.
    public var draws: UInt32

    /// Makes a score.
    public init(you: UInt32 = 0, opponent: UInt32 = 0, draws: UInt32 = 0) {
        self.you = you
        self.opponent = opponent
        self.draws = draws
    }
}

/// Which kind of mistake a command was; the raw value is a stable word.
public enum Rejection: String, Sendable, Hashable, CaseIterable {
    /// The rules or a limit forbid it.
    case illegal
    /// Not yet: it is the other side's turn, or there is no game yet.
    case early
    /// The game is over.
    case over
    /// There is nothing to answer.
    case nothing
}

/// The one reason why a match ended.
public enum MatchEnd: Sendable, Hashable {
    /// The other side said goodbye.
    case left(GoodbyeCode)
    /// The connection went before anything of a match was written.
    case lost
    /// The two sides hold different entries under one number: one of them has played on elsewhere,
    /// or from a copy.
    case forked
    /// The other side broke the protocol; the text says how.
    case protocolError(String)
    /// The other side's program did not go on with the fair start.
    case tookTooLong
    /// An own entry could not be stored or signed, or the options are not the game's.
    case failed(String)
}
