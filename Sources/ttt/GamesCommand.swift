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
            try Output.put(options.has(.json) ? match.jsonLine : line(match, among: matches))
        }
        if matches.isEmpty, !options.has(.json) {
            Program.complain("There are no matches in \(path).")
        }
        return 0
    }

    /// What a match is called: the beginning of its name, which a line has room for, unless that is
    /// another one's too.
    private func name(_ match: MatchSummary, among matches: [MatchSummary]) -> String {
        let short = match.match.prefix(8)
        return matches.count { $0.match.hasPrefix(short) } == 1
            ? String(short) : "\(match.match).\(match.seat)"
    }

    private func line(_ match: MatchSummary, among matches: [MatchSummary]) -> String {
        let opponent = label(
            name: display(match.opponent ?? "?", columns: 40, utf8: isUTF8), key: match.key)
        let score = "\(match.score.you):\(match.score.opponent):\(match.score.draws)"
        let state = match.problem.map { display($0, columns: 200, utf8: isUTF8) } ?? words(match)
        let name = name(match, among: matches)
        return
            "\(name)  \(date(match.touched))  \(opponent)  \(score)  \(state)"
    }

    private func words(_ match: MatchSummary) -> String {
        let why = match.termination.map { " (\(display($0, columns: 32)))" } ?? ""
        return switch match.state {
        case .beginning: "not begun yet; 'ttt resume' asks again"
        case .yourTurn: "your turn"
        case .theirTurn: "their turn"
        case .ending: "decided; a signature is missing" + why
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
