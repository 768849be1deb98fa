// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import TurnBasedPlay

/// Which of the matches on disk `ttt resume` goes on with.
struct ResumeChoice {
    private let directory: GameDirectory?
    private let matches: [MatchSummary]

    init() throws(Failure) {
        let stored = try StoredMatches.ofThisProgram()
        let path = try Settings.games()
        do throws(StoreError) {
            directory = try GameDirectory.existing(path)
            matches = try stored.list(in: path)
        } catch {
            throw Failure(error.description, .disk)
        }
    }

    /// The last one touched that is not over and that no process has open; with an operand the
    /// last one whose name begins with it, over or not.
    ///
    /// Two terminals of one user may play each other: then both journals of the match are here,
    /// and each terminal takes the seat that nobody holds.
    ///
    /// - Returns: The journal, its match, and whether it was chosen from several that nobody named.
    func choose(
        _ operand: String?
    ) throws(Failure) -> (journal: JournalName, match: MatchSummary, isOneOfMany: Bool) {
        let wanted = matches.filter { match in
            guard let operand else { return !match.isOver }
            return "\(match.match).\(match.seat)".hasPrefix(operand.lowercased())
        }
        guard !wanted.isEmpty else {
            if let operand { throw Failure("There is no match \(operand) here.", .usage) }
            throw Failure(
                "There is no match to go on with; 'ttt games' lists them.", .unavailable)
        }
        for match in Self.inOrder(wanted) {
            guard let name = JournalName(match) else { continue }
            do throws(StoreError) {
                _ = try directory?.lock(name.lock)
                let matches = Set(wanted.map(\.match))
                return (name, match, operand == nil && matches.count > 1)
            } catch {
                guard error.code == .inUse else { throw Failure(error.description, .disk) }
            }
        }
        throw Failure("This match is open in another process.", .inUse)
    }
}

extension ResumeChoice {
    /// A damaged journal is mended when it is opened, and of what cannot be opened the error says
    /// why; but sound ones come first, and among these games that have begun.
    private static func inOrder(_ matches: [MatchSummary]) -> [MatchSummary] {
        let sound = matches.filter { $0.problem == nil }
        return sound.filter { $0.state != .beginning } + sound.filter { $0.state == .beginning }
            + matches.filter { $0.problem != nil }
    }
}

extension MatchSummary {
    /// Whether nothing is left to be done in it.
    fileprivate var isOver: Bool {
        switch state {
        case .beginning, .yourTurn, .theirTurn, .ending: false
        case .won, .lost, .drawn: true
        }
    }
}
