// SPDX-License-Identifier: MIT

import MatchEvents

/// How the list of games has moved under the player's hands.
enum ListShift: Sendable {
    case none
    /// Games have other numbers, and other places, than before.
    case numbers
    /// The chosen game is gone, and so another one is.
    case choice
}

extension ScreenModel {
    /// Keeps the choice on its game after the list of games, by their ids, was another one.
    mutating func follow(_ list: [String]) {
        let now = situation.games.map(\.id)
        guard now != list else { return }
        let chosen = list.indices.contains(choice) ? list[choice] : nil
        if let index = now.firstIndex(where: { $0 == wanted }) {
            choice = index
            if shift == .choice { shift = .numbers }
        } else if let index = now.firstIndex(where: { $0 == chosen }) {
            choice = index
        } else {
            choice = min(choice, max(0, now.count - 1))
            if chosen != nil { shift = .choice }
        }
        // What comes last moves nothing.
        if shift == .none, !now.starts(with: list) { shift = .numbers }
    }

    mutating func chooseGame(_ key: Key) -> Action {
        let count = situation.games.count
        let shift = shift
        self.shift = .none
        switch key {
        case .character("q"): return .command(.quit)
        case .up, .character("k"): point(at: count == 0 ? 0 : (choice + count - 1) % count)
        case .down, .character("j"): point(at: count == 0 ? 0 : (choice + 1) % count)
        case .enter: return join(choice, isSure: shift != .choice)
        case .click(let row, let column):
            guard let line = lobby.game(row: row, column: column) else { return .draw }
            return join(line, isSure: shift == .none)
        case .character(let digit):
            guard let number = Self.number(digit) else { return .draw }
            return join(number - 1, isSure: shift == .none)
        default: break
        }
        return .draw
    }

    private mutating func point(at line: Int) {
        choice = line
        wanted = nil
    }

    /// Whether the cursor is on the list: not while it has lost the game that is asked.
    var showsChoice: Bool {
        guard let picked, wanted == picked.id else { return true }
        return situation.games.contains { $0.id == picked.id }
    }

    /// Joins the game in a line of the list; if the player may have meant another one, it is only
    /// chosen.
    private mutating func join(_ line: Int, isSure: Bool) -> Action {
        guard situation.games.indices.contains(line) else {
            if !situation.games.isEmpty { say("There is no game \(line + 1) in the list.") }
            return .draw
        }
        point(at: line)
        let game = situation.games[line]
        if game.id == picked?.id { return .draw }
        guard isSure else {
            say("The list has changed. Enter joins \(label(name: game.name, key: game.key)).")
            return .draw
        }
        (picked, wanted) = (game, game.id)
        return .command(.choose(id: game.id))
    }
}
