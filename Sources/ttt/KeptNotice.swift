// SPDX-License-Identifier: MIT

import MatchEvents
import OnlinePlay
import TerminalUI
import TurnBasedPlay

/// What a player is told at the start of matches that were kept.
struct KeptNotice {
    /// How many matches are looked into for one that is not finished: those touched last, so that
    /// many do not make the start slow.
    private static let looked = 5

    private let settings: Settings
    private let games: String

    init(_ settings: Settings, _ games: String) {
        self.settings = settings
        self.games = games
    }

    /// That the last match is not finished, if it is not. What cannot be read is no reason not to
    /// play; `ttt games` says what is wrong.
    var ofUnfinished: String? {
        guard let stored = try? StoredMatches.ofThisProgram(),
            let match = try? stored.unfinished(in: games, among: Self.looked).first
        else { return nil }
        return "A match with \(opponent(of: match)) is not finished; "
            + "\(Settings.hints.resume) goes on with it."
    }

    /// Which of several matches goes on, so that the other player can name it too.
    func of(resumed match: MatchSummary) -> String {
        let name = match.match.prefix(8)
        return "This is match \(name) with \(opponent(of: match)), the last one played; "
            + "'ttt resume \(name)' names it, there as well as here."
    }

    private func opponent(of match: MatchSummary) -> String {
        let peers = try? KnownPeers(directory: settings.directory)
        let petname = match.key.flatMap { Fingerprint(parsing: $0) }
            .flatMap { peers?[$0]?.petname }
        return label(name: petname ?? match.opponent ?? "?", key: match.key, columns: 40)
    }
}
