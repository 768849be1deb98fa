// SPDX-License-Identifier: MIT

import MatchEvents

extension ScreenModel {
    /// Where the list of games stands.
    var lobby: LobbyLayout {
        let text = lobbyTop + lobbyText.count + 2
        let left = BoardLayout(size).map { $0.panel == nil ? 1 : $0.left } ?? 1
        return LobbyLayout(
            top: text + 1, left: left, rows: size.rows - text - 4, count: situation.games.count,
            choice: choice)
    }

    /// The row of the headline: lower where there is room for the big marks above it.
    var lobbyTop: Int { size.rows >= 20 ? 7 : 2 }

    /// What the lobby says below its headline, in lines where they need not leave room for a list.
    var lobbyText: [(text: String, ink: Ink)] {
        let columns = size.columns - (BoardLayout(size).map { $0.panel == nil ? 1 : $0.left } ?? 1)
        guard situation.games.isEmpty else { return lobbyParagraphs }
        return lobbyParagraphs.flatMap { paragraph in
            width(of: paragraph.text) <= columns - 2
                ? [paragraph]
                : wrapped(paragraph.text, columns: columns - 2).map { ($0, paragraph.ink) }
        }
    }

    private var lobbyParagraphs: [(text: String, ink: Ink)] {
        if case .reach = purpose {
            return [("The host may be asked first, and has 60 s to answer.", .plain)]
        }
        if picked != nil, situation.games.isEmpty { return [] }
        guard let hosting = situation.hosting else {
            let appear = ("Games on this network appear here by themselves.", Ink.plain)
            guard situation.games.isEmpty else {
                return picked != nil ? [appear] : [appear, ("Choose one and press Enter.", .plain)]
            }
            return [
                appear,
                ("To open one, the other player types:", .plain), ("", .plain),
                ("    ttt host", .good),
            ]
        }
        let isSeen = hosting.discovery != "none"
        let option = hosting.code == nil ? "" : " --code"
        let commands =
            (isSeen ? ["ttt join\(option)"] : [])
            + hosting.addresses.map { "ttt join \($0)\(option)" }
        let first =
            isSeen
            ? "Your game is open on this network as \(display(hosting.name, columns: 30))."
            : "Your game is open, but not announced on this network."
        let code =
            hosting.code.map { [("The code is \(Situation.grouped($0)).", Ink.strong)] } ?? []
        return [(first, .plain)] + code
            + [("The other player types one of:", .plain), ("", .plain)]
            + commands.prefix(size.rows >= 20 ? 4 : 2).map { ("    \($0)", .good) }
    }

    /// What the lobby waits for.
    var lobbyHeadline: String {
        if let picked { return "Asking \(label(name: picked.name, key: picked.key))..." }
        return switch purpose {
        case .host: situation.hosting == nil ? "Opening a game..." : "Waiting for an opponent..."
        case .join: situation.games.isEmpty ? "Looking for open games..." : "Choose a game."
        case .reach(let name): "Joining \(display(name, columns: 40))..."
        case .play: "Looking for somebody to play with..."
        }
    }
}

extension Painter {
    /// The time before a game: waiting, searching, choosing.
    mutating func lobby(_ layout: BoardLayout) {
        let left = model.lobby.left
        if model.lobbyTop > 2 { emblem(row: 2, column: left) }
        let room = canvas.size.columns - left - 2
        canvas.put(fit(model.lobbyHeadline, room), row: model.lobbyTop, column: left, .strong)
        let rows = model.lobbyTop + 2..<layout.keysRow
        for (row, line) in zip(rows, model.lobbyText) {
            canvas.put(fit(line.text, room), row: row, column: left, line.ink)
        }
        canvas.cursor = (model.lobbyTop, left)
        if !situation.games.isEmpty { games(model.lobby, room: room) }
    }

    /// Somebody wants to play.
    mutating func challenge(_ layout: BoardLayout) {
        guard let challenger = situation.challenger else { return }
        let left = layout.panel == nil ? 1 : layout.left
        let room = canvas.size.columns - left - 2
        if model.lobbyTop > 2 { emblem(row: 2, column: left) }
        let who = label(name: challenger.name, key: challenger.key, columns: 30)
        canvas.put(
            fit("\(who) wants to play.", room), row: model.lobbyTop, column: left, .strong)
        let key = display(challenger.key, columns: 60, utf8: false)
        let text =
            challenger.isKnown
            ? ["You know this key: it has played here before."]
            : [
                "First contact: this key has never been here.",
                "A name proves nothing; the key tells who it is.",
            ]
        let warning = model.warning.map { wrap($0, room) } ?? []
        let facts = ((warning.isEmpty ? text : []) + ["Key \(key)"]).flatMap { wrap($0, room) }
        var row = model.lobbyTop + 2
        for (index, line) in (warning + facts).enumerated() where row < layout.messageRow - 2 {
            canvas.put(line, row: row, column: left, index < warning.count ? .warning : .plain)
            row += 1
        }
        canvas.put("Play? (y/n) ", row: row + 1, column: left, .strong)
        canvas.cursor = (row + 1, left + 12)
    }

    /// All keys.
    mutating func help(_ layout: BoardLayout) {
        let left = layout.panel == nil ? 1 : layout.left
        let lines = [
            ("Arrows, hjkl", "move the cursor"), ("Enter, Space", "play the square"),
            ("1 to 9", "play that square"), ("Mouse", "click selects, again plays"),
            ("t or /", "talk; Esc cancels"),
            ("PgUp, PgDn", "read the talk"), ("r", "resign, or another game"),
            ("d", "propose a draw"), ("c", "claim on time"), ("y, n", "answer a question"),
            ("v", "compare numbers"), ("Ctrl-L, q", "repaint; quit"),
        ]
        canvas.put("Keys", row: 1, column: left, .strong)
        // On the smallest screen the last line is just above the keys.
        let top = min(3, layout.keysRow - lines.count)
        for (index, line) in lines.enumerated() {
            canvas.put(line.0, row: top + index, column: left, .strong)
            canvas.put(
                fit(line.1, canvas.size.columns - left - 14), row: top + index, column: left + 14)
        }
        canvas.cursor = (1, left)
    }

    /// Three big marks.
    private mutating func emblem(row: Int, column: Int) {
        for (index, mark) in ["X", "O", "X"].enumerated() {
            for (line, text) in glyphs.mark(Character(mark)).enumerated() {
                canvas.put(
                    text, row: row + line, column: column + 8 * index, mark == "X" ? .x : .o)
            }
        }
    }

    private mutating func games(_ list: LobbyLayout, room: Int) {
        canvas.put("Open games", row: list.top - 1, column: list.left, .dim)
        for line in 0..<list.rows {
            let index = list.first + line
            let game = situation.games[index]
            let isChosen = index == model.choice && model.showsChoice
            let number = index < 9 ? "\(index + 1)" : " "
            let name = label(name: game.name, key: game.key)
            let pad = String(repeating: " ", count: max(1, 26 - width(of: fit(name, 24))))
            let caution = warning(of: game)
            let text = "\(number)  \(name)\(pad)\(caution ?? game.addresses.first ?? "")"
            let row = list.top + line
            if isChosen {
                canvas.put(glyphs.pointer, row: row, column: list.left, .good)
                canvas.cursor = (row, list.left + 2)
            }
            canvas.put(
                fit(" \(text) ", room - 2), row: row, column: list.left + 1,
                caution != nil ? .warning : isChosen ? .strong : .plain, reverse: isChosen)
        }
    }
}
