// SPDX-License-Identifier: MIT

import MatchProtocol
import OnlinePlay
import TerminalUI

/// A record in words for people.
struct RecordReport {
    private let record: Record
    private let isUTF8: Bool

    init(_ record: Record, isUTF8: Bool) {
        self.record = record
        self.isUTF8 = isUTF8
    }

    /// What is proved.
    var verification: String {
        var lines = heading
        for game in record.games {
            lines.append("game \(game.number)  \(moves(game))")
            if let marks = marks(game) { lines.append("        \(marks)") }
            lines.append("        \(ending(game))")
        }
        lines.append("Every entry is signed, in its place, and allowed by the rules.")
        lines.append(conclusion)
        return lines.joined(separator: "\n")
    }

    /// The games with their boards.
    var games: String {
        var lines = heading
        for game in record.games {
            lines += ["", "game \(game.number)  \(moves(game))"]
            if let marks = marks(game) { lines.append("        \(marks)") }
            lines.append("")
            lines += board(game)
            lines += ["", ending(game)]
        }
        if record.isCut { lines += ["", conclusion] }
        return lines.joined(separator: "\n")
    }

    private var heading: [String] {
        let match = record.match.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let players = Seat.allCases.map { seat in
            let key = Fingerprint(publicKey: record.player(seat).publicKey)?.description ?? "?"
            return "seat \(seat.rawValue)  \(name(seat))  \(key)"
        }
        return ["match   \(match)", "rules   \(record.rules.name) version \(record.rules.version)"]
            + players
    }

    private var conclusion: String {
        if record.isCut { return "The record is unfinished: it ends in the middle of a line." }
        guard let last = record.games.last else {
            return "The record is unfinished: no game has begun."
        }
        if last.isFinished { return "The record is finished." }
        return last.result == nil
            ? "The record is unfinished: game \(last.number) goes on."
            : "The record is unfinished: not both have signed the end of game \(last.number)."
    }

    private func name(_ seat: Seat) -> String {
        record.player(seat).name.map { display($0, columns: 40, utf8: isUTF8) } ?? "?"
    }

    /// Who drew which mark, if the game has marks and they are known from a move.
    private func marks(_ game: RecordedGame) -> String? {
        let marks = [game.first, game.first.other].map { seat in
            game.moves.first { $0.by == seat }?.mark.map { "\($0) \(name(seat))" }
        }
        guard let first = marks[0] else { return nil }
        return [first, marks[1] ?? "then \(name(game.first.other))"].joined(separator: ", ")
    }

    private func moves(_ game: RecordedGame) -> String {
        guard !game.moves.isEmpty else { return "no moves" }
        return game.moves.map { move in
            guard let square = move.square else {
                return display(String(decoding: move.action, as: UTF8.self), columns: 80)
            }
            return "\(move.mark ?? "")\(square)"
        }.joined(separator: " ")
    }

    private func board(_ game: RecordedGame) -> [String] {
        let squares = Array(game.board ?? "")
        let size = (1...).first { $0 * $0 >= squares.count } ?? 1
        return stride(from: 0, to: squares.count, by: size).map { start in
            squares[start..<min(start + size, squares.count)].map(String.init)
                .joined(separator: " ")
        }
    }

    private func ending(_ game: RecordedGame) -> String {
        guard let result = game.result else {
            return "goes on; to move: " + game.toMove.map(name).joined(separator: ", ")
        }
        var words = display(result.termination, columns: 32)
        switch result.outcome {
        case .win(let seat)?: words = "\(name(seat)) won (\(words))"
        case .draw?: words = "a draw (\(words))"
        case nil: break
        }
        switch game.endedBy.count {
        case 2: words += "; both have signed the end"
        case 1: words += "; only \(game.endedBy.map(name).joined()) has signed the end"
        default: words += "; nobody has signed the end"
        }
        return words
    }
}
