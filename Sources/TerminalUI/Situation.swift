// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol

/// What a player knows after the events so far; both front ends keep one.
struct Situation: Sendable, Equatable {
    /// An open game of one's own.
    private(set) var hosting: Hosting?
    /// Open games of others, in the order in which they were found.
    private(set) var games: [FoundGame] = []
    /// Who waits for an answer to a challenge.
    private(set) var challenger: Challenger?
    /// Who was asked to play and has not answered.
    private(set) var asked: FoundGame?
    /// The game that began last.
    private(set) var start: GameStart?
    /// Nine squares; `.` is empty.
    private(set) var board = Self.emptyBoard
    /// The squares played, from 1, in order.
    private(set) var moves: [Int] = []
    /// Whether the player is to move; `nil` if nobody is.
    private(set) var isOurTurn: Bool?
    /// How the match stands.
    private(set) var score = Score()
    /// How the game ended.
    private(set) var end: GameEnd?
    /// The proposal that waits for an answer.
    private(set) var offer: Offer?
    /// How the connection fares while it is not as it should be.
    private(set) var trouble: LinkState?
    /// When the other player was last heard, while the connection is not as it should be.
    private var heardAt: UInt64?
    /// Both players' time, if there is a clock.
    private(set) var time: Countdown?
    /// Whose time is up, by the last word.
    private(set) var late: Side?
    /// Who claims that the other's time is up.
    private(set) var claimant: Side?
    /// The caller's monotonic clock, in milliseconds.
    private(set) var now: UInt64 = 0
    /// Whether there is no connection, so that no time runs.
    private var isApart = false
    /// Set once everything is over.
    private(set) var closed: CloseReason?

    /// Somebody who wants to play.
    struct Challenger: Sendable, Equatable {
        var name: String
        var key: String
        var isKnown: Bool
    }

    /// A proposal and who made it.
    struct Offer: Sendable, Equatable {
        var kind: String
        var by: Side
    }

    /// More open games than this are not kept: anybody on the network can announce any number.
    static let mostGames = 256

    static let emptyBoard = [Character](repeating: ".", count: 9)

    /// Whether a game has begun and not ended.
    var isRunning: Bool { start != nil && end == nil && closed == nil }

    /// Whether the other player's key was never here before the match.
    var isFirstContact: Bool { start.map { !$0.known && $0.resumed == nil } ?? false }

    /// The other player's mark.
    var opponentMark: String { start?.you == "X" ? "O" : "X" }

    /// What is left of both players' time, if there is a clock.
    var left: TimeLeft? { time?.left(at: now) }

    /// How long nothing has been heard from the other player, in milliseconds, while the connection
    /// is not as it should be.
    var silence: UInt64? { heardAt.map { now - min($0, now) } }

    /// Whether the player may claim the game.
    var canClaim: Bool { isRunning && late == .opponent && claimant == nil }

    /// Takes that time has passed.
    mutating func pass(to now: UInt64) { self.now = max(self.now, now) }

    /// Takes an event.
    mutating func apply(_ event: PlayerEvent) {
        take(event)
        takeTime(of: event)
    }

    private mutating func take(_ event: PlayerEvent) {
        switch event {
        case .hosting(let value): hosting = value
        case .found(let game): found(game)
        case .gone(let game): games.removeAll { $0.id == game.id }
        case .asking(let id, let name, let key):
            asked = FoundGame(id: id, name: name, key: key, addresses: [])
        case .challenged(let by, let key, let known):
            challenger = Challenger(name: by, key: key, isKnown: known)
        case .started(let value): started(value)
        case .turn(let you, _, _): isOurTurn = you
        case .moved(_, _, let square, let text):
            board = Self.squares(text)
            moves.append(square)
        case .link(let state, _, _, let silence): link(state, silence)
        case .offered(let kind, let by): offer = Offer(kind: kind, by: by)
        case .answered: offer = nil
        case .over(let value): ended(value)
        case .refused: (challenger, asked) = (nil, nil)
        case .failed("unreachable", _), .failed("protocol", _): asked = nil
        case .closed(let reason): close(reason)
        case .said, .warned, .failed, .sending, .kept, .timeUp, .claimed, .claimDeclined: break
        }
    }

    private mutating func takeTime(of event: PlayerEvent) {
        switch event {
        case .started(let start):
            let most = start.clock.map { UInt64($0.seconds) * 1_000 }
            time = most.map { Countdown(TimeLeft(you: $0, opponent: $0), at: now) }
            isApart = start.resumed != nil
            (late, claimant) = (nil, nil)
        case .turn(_, _, let left):
            (late, claimant) = (nil, nil)
            if let left { time = Countdown(left, at: now) }
        case .link(let state, _, let left, _):
            switch state {
            case .lost, .trying: isApart = true
            case .restored: isApart = false
            case .silent, .heard: break
            }
            if let left { time = Countdown(left, at: now) }
        case .timeUp(let side): late = side
        case .claimed(let side): claimant = side
        case .claimDeclined(let by):
            claimant = nil
            // It is told again when the game can be claimed again.
            if by == .opponent { late = nil }
        default: break
        }
        let mover = isOurTurn.map { $0 ? Side.you : .opponent }
        time?.run(isApart ? nil : mover, at: now)
    }

    /// Takes the answer to the challenge as given; what follows is told by events.
    mutating func answeredChallenge() {
        challenger = nil
    }

    private mutating func found(_ game: FoundGame) {
        if let at = games.firstIndex(where: { $0.id == game.id }) {
            games[at] = game
        } else if games.count < Self.mostGames {
            games.append(game)
        }
    }

    private mutating func started(_ value: GameStart) {
        if value.match != start?.match { score = Score() }
        if let earlier = value.resumed { score = earlier.score }
        start = value
        (challenger, asked) = (nil, nil)
        board = Self.squares(value.board)
        moves = value.resumed?.moves ?? []
        isOurTurn = nil
        end = nil
        offer = nil
        (trouble, heardAt) = (nil, nil)
    }

    private mutating func link(_ state: LinkState, _ silence: UInt64?) {
        switch state {
        case .restored, .heard: (trouble, heardAt) = (nil, nil)
        case .silent, .lost, .trying:
            trouble = state
            heardAt = silence.map { now - min($0, now) } ?? heardAt ?? now
        }
    }

    private mutating func ended(_ value: GameEnd) {
        end = value
        score = value.score
        isOurTurn = nil
        offer = nil
    }

    private mutating func close(_ reason: CloseReason) {
        closed = reason
        isOurTurn = nil
        challenger = nil
        offer = nil
    }

    /// A board as text, made nine squares whatever it is.
    private static func squares(_ text: String) -> [Character] {
        let squares = text.map { "XO".contains($0) ? $0 : "." }
        return squares.count == 9 ? squares : emptyBoard
    }
}
