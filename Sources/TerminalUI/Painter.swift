// SPDX-License-Identifier: MIT

import MatchEvents

extension ScreenModel {
    /// Draws the screen at its ``size``.
    package func render(_ glyphs: Glyphs) -> Picture {
        var painter = Painter(self, glyphs)
        painter.paint()
        return painter.canvas.picture
    }
}

/// Draws a ``ScreenModel``; what every view shares is here, the views are in extensions.
struct Painter {
    let model: ScreenModel
    let glyphs: Glyphs
    var canvas: Canvas

    init(_ model: ScreenModel, _ glyphs: Glyphs) {
        self.model = model
        self.glyphs = glyphs
        canvas = Canvas(size: model.size)
    }

    var situation: Situation { model.situation }

    mutating func paint() {
        guard let layout = BoardLayout(model.size) else { return tooSmall() }
        bar(layout)
        if model.showsHelp {
            help(layout)
        } else if situation.challenger != nil {
            challenge(layout)
        } else if situation.start == nil {
            lobby(layout)
        } else {
            game(layout)
        }
        message(layout)
        keys(layout)
    }

    /// Makes text fit, for this terminal's characters.
    func fit(_ text: String, _ columns: Int) -> String {
        display(text, columns: max(0, columns), utf8: glyphs.isUnicode)
    }

    /// Breaks text into lines at spaces; a word that is too long is cut.
    func wrap(_ text: String, _ columns: Int) -> [String] {
        guard columns > 0 else { return [] }
        var lines: [String] = []
        for word in fit(text, 4000).split(separator: " ").map({ fit(String($0), columns) }) {
            if let last = lines.last, width(of: last) + 1 + width(of: word) <= columns {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    private mutating func tooSmall() {
        let (rows, columns) = (model.size.rows, model.size.columns)
        let smallest = BoardLayout.smallest
        canvas.put("Too small: \(columns)x\(rows)", row: 0, column: 0, .strong)
        canvas.put("Needs \(smallest.columns)x\(smallest.rows)", row: 1, column: 0)
    }

    /// The top row: the game on the left, the match or the player on the right.
    private mutating func bar(_ layout: BoardLayout) {
        canvas.fill(
            row: 0, column: 0, rows: 1, columns: canvas.size.columns, .bar, reverse: true)
        if layout.panel == nil, situation.isRunning, let left = situation.left {
            return clockBar(left)
        }
        canvas.put("Tic-Tac-Toe", row: 0, column: 2, .bar, reverse: true)
        let right: String
        if let start = situation.start {
            let score = situation.score
            let game = layout.panel == nil ? "" : "Game \(start.game)\(glyphs.separator)"
            right = "\(game)\(score.you) : \(score.opponent)"
        } else {
            right = label(name: model.ownName, key: model.ownKey)
        }
        canvas.putRight(
            fit(right, canvas.size.columns - 17), row: 0, column: canvas.size.columns - 2, .bar,
            reverse: true)
    }

    /// The top row of a small screen while a clock runs: both players and their time.
    private mutating func clockBar(_ left: TimeLeft) {
        let own = "You \(Countdown.text(left.you))"
        let time = Countdown.text(left.opponent)
        let room = canvas.size.columns - 4 - width(of: own) - width(of: time) - 3
        canvas.put(own, row: 0, column: 2, .bar, reverse: true)
        canvas.putRight(
            "\(fit(situation.opponent, room)) \(time)", row: 0,
            column: canvas.size.columns - 2, .bar, reverse: true)
    }

    /// The row above the keys: what is typed, asked, wrong or new, in this order.
    private mutating func message(_ layout: BoardLayout) {
        let row = layout.messageRow
        let left = layout.panel == nil ? 1 : layout.left
        let room = canvas.size.columns - left - 2
        if let draft = model.draft { return typing(draft, row: row, left: left, room: room) }
        guard let (text, ink) = currentMessage else { return }
        let shown = fit(text, room)
        canvas.put(shown, row: row, column: left, ink)
        if model.question != nil { canvas.cursor = (row, left + width(of: shown)) }
    }

    private var currentMessage: (String, Ink)? {
        switch model.question {
        case .resign: return ("Resign this game? (y/n)", .strong)
        case .quit: return ("Leave and keep the game for later? (y/n, r resigns)", .strong)
        case nil: break
        }
        if let warning = model.warning, situation.challenger == nil {
            return (warning, .warning)
        }
        if let notice = model.notice { return notice }
        if let trouble = model.shownTrouble {
            let sentence = situation.linkSentence(
                trouble, reason: model.linkReason, isShort: BoardLayout(model.size)?.panel == nil)
            return (sentence, .warning)
        }
        if let closed = situation.closed {
            return (situation.closeSentence(closed) + " Press any key.", .strong)
        }
        if let offer = situation.offer {
            let sentence = situation.offerSentence(kind: offer.kind, by: offer.by)
            return (sentence + (offer.by == .opponent ? " (y/n)" : ""), .strong)
        }
        if let claimant = situation.claimant, situation.isRunning {
            return (situation.claimSentence(by: claimant), .strong)
        }
        if let late = situation.late, situation.isRunning {
            let key = late == .opponent ? " (C claims the win)" : ""
            return (situation.timeSentence(late) + key, .strong)
        }
        guard BoardLayout(model.size)?.panel == nil, let last = model.talk.last else { return nil }
        return (talkLine(last), .plain)
    }

    /// The line being typed; of a long one the end is shown.
    private mutating func typing(_ draft: String, row: Int, left: Int, room: Int) {
        canvas.put("Say: ", row: row, column: left, .strong)
        var text = Substring(display(draft, columns: 4000, utf8: glyphs.isUnicode))
        while width(of: text) > room - 6 { text.removeFirst() }
        canvas.put(text, row: row, column: left + 5)
        canvas.cursor = (row, left + 5 + width(of: text))
    }

    func talkLine(_ line: (by: Side, text: String)) -> String {
        let start = situation.start
        let other = label(name: start?.opponent ?? "", key: start?.key, columns: 19)
        return "\(line.by == .you ? "You" : other): \(line.text)"
    }

    /// The last row: which keys do what here, as many as there is room for.
    private mutating func keys(_ layout: BoardLayout) {
        var column = layout.panel == nil ? 1 : layout.left
        var keys = currentKeys
        // The last ones, help and quit, are the last to go.
        while keys.count > 2, column + Self.room(for: keys) > canvas.size.columns {
            keys.remove(at: keys.count - 3)
        }
        for (key, meaning) in keys {
            canvas.put(key, row: layout.keysRow, column: column, .strong)
            column += width(of: key) + 1
            canvas.put(meaning, row: layout.keysRow, column: column, .dim)
            column += width(of: meaning) + 2
        }
    }

    private static func room(for keys: [(String, String)]) -> Int {
        keys.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 3 }
    }

    private var currentKeys: [(String, String)] {
        if model.showsHelp || situation.closed != nil { return [("Any key", "goes on")] }
        if model.draft != nil { return [("Enter", "send"), ("Esc", "cancel")] }
        if model.question == .quit {
            return [("Y", "leave, keep the game"), ("R", "resign"), ("N", "stay")]
        }
        if model.question != nil { return [("Y", "yes"), ("N", "no")] }
        if situation.challenger != nil {
            return [("Y", "accept"), ("N", "decline"), ("Q", "quit")]
        }
        let always = [("?", "help"), ("Q", "quit")]
        if situation.start == nil {
            return situation.games.isEmpty
                ? always : [("Arrows", "choose"), ("Enter", "join")] + always
        }
        let answers = situation.offer?.by == .opponent ? [("Y", "yes"), ("N", "no")] : []
        if situation.end != nil {
            let again = situation.offer == nil ? [("R", "another game")] : []
            return answers + again + [("T", "talk")] + always
        }
        let claim = situation.canClaim ? [("C", "claim")] : []
        return claim + answers
            + [("Arrows", "move"), ("Enter", "play"), ("1-9", "square"), ("T", "talk")]
            + [("R", "resign")] + always
    }
}
