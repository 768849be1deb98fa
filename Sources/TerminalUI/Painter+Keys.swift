// SPDX-License-Identifier: MIT

import MatchEvents

extension Painter {
    /// What goes first where there is no room for all keys; answers, help and quit always stay.
    private static let dispensable = ["1-9", "V", "T", "R", "Enter", "Arrows"]

    /// The last row: which keys do what here, as many as there is room for.
    mutating func keys(_ layout: BoardLayout) {
        var column = layout.panel == nil ? 1 : layout.left
        var keys = currentKeys(isShort: layout.panel == nil)
        for key in Self.dispensable
        where column + Self.room(for: keys) > canvas.size.columns && model.question == nil {
            keys.removeAll { $0.0 == key }
        }
        for (key, meaning) in keys {
            canvas.put(key, row: layout.keysRow, column: column, .strong)
            column += width(of: key) + 1
            canvas.put(meaning, row: layout.keysRow, column: column, .dim)
            column += width(of: meaning) + 2
        }
    }

    private static func room(for keys: [(String, String)]) -> Int {
        keys.reduce(-2) { $0 + $1.0.utf8.count + $1.1.utf8.count + 3 }
    }

    private func currentKeys(isShort: Bool) -> [(String, String)] {
        switch model.meaning {
        case .help where situation.start != nil: return [("T", "talk"), ("Any key", "goes on")]
        case .closed, .help: return [("Any key", "goes on")]
        case .talk: return [("PgUp", "back"), ("T", "talk"), ("Any key", "goes on")]
        case .typing: return [("Enter", "send"), ("Esc", "cancel")]
        case .question(.quit):
            return [
                ("Y", isShort ? "leave" : "leave, keep the game"), ("R", "resign"), ("N", "stay"),
            ]
        case .question(.resign): return [("Y", "yes"), ("N", "no")]
        case .challenge: return [("Y", "accept"), ("N", "decline"), ("Q", "quit")]
        case .lobby:
            let choice = [("Arrows", "choose"), ("Enter", "join")]
            return (situation.games.isEmpty ? [] : choice) + Self.always
        case .offer, .running, .ended: return gameKeys(isShort)
        }
    }

    private static let always = [("?", "help"), ("Q", "quit")]

    private func gameKeys(_ isShort: Bool) -> [(String, String)] {
        let answers = situation.offer?.by == .opponent ? [("Y", "yes"), ("N", "no")] : []
        // Who has met the other before has no need of it.
        let compare = situation.isFirstContact ? [("V", "compare")] : []
        if situation.end != nil {
            let again = situation.offer == nil ? [("R", isShort ? "again" : "another game")] : []
            return answers + again + [("T", "talk")] + compare + Self.always
        }
        let claim = situation.canClaim ? [("C", "claim")] : []
        return claim + answers
            + [("Arrows", "move"), ("Enter", "play"), ("1-9", "square"), ("T", "talk")]
            + compare + [("R", "resign")] + Self.always
    }
}
