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

    /// The player's event, or `nil` for what only the program needs to know.
    func playerEvent(for event: MatchEvent<G>) -> PlayerEvent? {
        switch event {
        case .challenged:
            return .challenged(by: opponent, key: key, known: isKnown)
        case .started(let match, let game, let seat, _, let position, let resumed):
            return .started(
                GameStart(
                    match: hex(match), game: Int(game), you: G.mark(of: seat), opponent: opponent,
                    key: key, board: position.board, resumed: resumed))
        case .turn(let you, let ply):
            return .turn(you: you, ply: Int(ply))
        case .moved(let ply, let seat, let action, let position):
            return .moved(
                ply: Int(ply), mark: G.mark(of: seat), square: G.square(of: action),
                board: position.board)
        case .offered(let kind, let byYou):
            return .offered(kind: kind.rawValue, by: byYou ? .you : .opponent)
        case .answered(let kind, let accepted):
            return .answered(kind: kind.rawValue, accepted: accepted)
        case .said(let byYou, let text):
            return .said(by: byYou ? .you : .opponent, text: text)
        case .over(let result, let score, _):
            return .over(gameEnd(result, score))
        case .rejected(let rejection, let message):
            return .failed(code: rejection.rawValue, message: message)
        case .dropped(let rejection, let message):
            return .failed(code: rejection.rawValue, message: message)
        case .declined, .ended, .sending, .apart, .together, .timeUp, .claimed, .claimDeclined:
            return nil
        }
    }

    private func gameEnd(_ result: GameResult, _ score: MatchScore) -> GameEnd {
        var winner: String?
        if case .win(let seat) = result.outcome { winner = G.mark(of: seat) }
        return GameEnd(
            winner: winner, isDraw: result.outcome == .draw, termination: result.termination,
            score: Score(score))
    }
}

/// Lower-case hex digits.
func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The bytes of an even number of hex digits, or `nil`.
func bytes(hex text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    for index in stride(from: 0, to: text.count, by: 2) {
        guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return nil }
        result.append(high << 4 | low)
    }
    return result
}

private func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
    default: nil
    }
}
