// SPDX-License-Identifier: MIT

import Glibc
import MatchEvents
import MatchProtocol
import TerminalUI
import TicTacToe
import TurnBasedPlay

/// `ttt games`: the matches on this disk.
struct GamesCommand {
    private let options: Options
    private let isUTF8: Bool

    init(_ options: Options, isUTF8: Bool) {
        self.options = options
        self.isUTF8 = isUTF8
    }

    func run() throws(Failure) -> Int32 {
        let path = try Settings.games()
        let stored = try StoredMatches.ofThisProgram()
        let matches: [MatchSummary]
        do throws(StoreError) {
            matches = try stored.list(in: path)
        } catch {
            throw Failure(error.description, .disk)
        }
        for match in matches {
            try Output.put(options.has(.json) ? match.jsonLine : line(match))
        }
        if matches.isEmpty, !options.has(.json) {
            Program.complain("There are no matches in \(path).")
        }
        return 0
    }

    private func line(_ match: MatchSummary) -> String {
        let opponent = label(
            name: display(match.opponent ?? "?", columns: 40, utf8: isUTF8), key: match.key)
        let score = "\(match.score.you):\(match.score.opponent):\(match.score.draws)"
        let state = match.problem.map { display($0, columns: 200, utf8: isUTF8) } ?? words(match)
        return
            "\(match.match).\(match.seat)  \(date(match.touched))  \(opponent)  \(score)  \(state)"
    }

    private func words(_ match: MatchSummary) -> String {
        let why = match.termination.map { " (\(display($0, columns: 32)))" } ?? ""
        return switch match.state {
        case .beginning: "the other player has not answered yet; 'ttt resume' asks again"
        case .yourTurn: "your turn"
        case .theirTurn: "the other player's turn"
        case .ending: "decided, and a signature under the end is missing" + why
        case .won: "you won" + why
        case .lost: "you lost" + why
        case .drawn: "a draw" + why
        }
    }

    /// The local time to the minute.
    private func date(_ seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
