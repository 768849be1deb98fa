// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol

/// Puts what the engine tells of a match into the words that every front end shows.
struct Translator<G: BoardGame> {
    /// The other player's name, as it came.
    var opponent: String
    /// The other player's fingerprint.
    var key: String
    /// Whether the other player was met before.
    var isKnown: Bool
    /// Whether the player waits for the other side to come back.
    var isApart = false

    /// The player's event, or `nil` for what only the program needs to know; with a clock, also what
    /// is left of it now.
    mutating func playerEvent(
        for event: MatchEvent<G>, clock: MoveClock?, left: TimeLeft?
    ) -> PlayerEvent? {
        switch event {
        case .challenged:
            return .challenged(by: opponent, key: key, known: isKnown)
        case .started(let match, let game, let seat, let compare, let position, let resumed):
            return .started(
                GameStart(
                    match: String(decoding: Hex.encoded(match), as: UTF8.self), game: Int(game),
                    you: G.mark(of: seat), opponent: opponent,
                    key: key, known: isKnown, compare: Self.digits(of: compare),
                    board: position.board, resumed: resumed.map(Self.earlier), clock: clock))
        case .turn(let you, let ply):
            return .turn(you: you, ply: Int(ply), left: left)
        case .moved(let ply, let seat, let action, let position):
            return .moved(
                ply: Int(ply), mark: G.mark(of: seat), square: G.square(of: action),
                board: position.board)
        case .offered(let kind, let byYou):
            return .offered(kind: kind.rawValue, by: side(byYou))
        case .answered(let kind, let accepted):
            return .answered(kind: kind.rawValue, accepted: accepted)
        case .said(let byYou, let text):
            return .said(by: side(byYou), text: text)
        case .over(let result, let score, _):
            return .over(gameEnd(result, score))
        case .rejected(let rejection, let message):
            return .failed(code: rejection.rawValue, message: message)
        case .dropped(let rejection, let message):
            return .failed(code: rejection.rawValue, message: message)
        case .apart(let code):
            isApart = true
            return .link(.lost, reason: code == nil ? "lost" : "left", left: left)
        case .together:
            // From one connection to the next there is nothing to tell.
            guard isApart else { return nil }
            isApart = false
            return .link(.restored, reason: "", left: left)
        case .sending(_, _, let action, _):
            return .sending(square: G.square(of: action))
        case .timeUp(let you): return .timeUp(of: side(you))
        case .claimed(let byYou): return .claimed(by: side(byYou))
        case .claimDeclined(let byYou): return .claimDeclined(by: side(byYou))
        case .declined, .ended: return nil
        }
    }

    private static func earlier(_ soFar: GameSoFar<G>) -> GameStart.Earlier {
        GameStart.Earlier(
            moves: soFar.actions.map { G.square(of: $0) }, score: Score(soFar.score))
    }

    /// The number to compare, as seven digits.
    private static func digits(of compare: UInt32) -> String {
        let digits = String(compare)
        return String(repeating: "0", count: max(0, 7 - digits.utf8.count)) + digits
    }

    private func side(_ isYou: Bool) -> Side { isYou ? .you : .opponent }

    private func gameEnd(_ result: GameResult, _ score: MatchScore) -> GameEnd {
        var winner: String?
        if case .win(let seat) = result.outcome { winner = G.mark(of: seat) }
        return GameEnd(
            winner: winner, isDraw: result.outcome == .draw, termination: result.termination,
            score: Score(score))
    }
}
