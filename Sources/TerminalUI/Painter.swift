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

    /// Whether the board is shown, and what belongs to it.
    var showsBoard: Bool {
        !model.showsHelp && situation.challenger == nil && situation.start != nil
    }

    mutating func paint() {
        guard let layout = BoardLayout(model.size) else { return tooSmall() }
        bar(layout)
        if model.showsHelp {
            help(layout)
        } else if situation.challenger != nil {
            challenge(layout)
        } else if showsBoard {
            game(layout)
        } else {
            lobby(layout)
        }
        message(layout)
        keys(layout)
    }

    /// Makes text fit, for this terminal's characters.
    func fit(_ text: String, _ columns: Int) -> String {
        display(text, columns: max(0, columns), utf8: glyphs.isUnicode)
    }

    /// Breaks text into lines of so many columns.
    func wrap(_ text: String, _ columns: Int) -> [String] {
        wrapped(fit(text, 4000), columns: columns)
    }

    private mutating func tooSmall() {
        let size = "\(model.size.columns)x\(model.size.rows)"
        let needed = "\(BoardLayout.smallest.columns)x\(BoardLayout.smallest.rows)"
        let choices = [
            ["Too small: \(size)", "Needs \(needed)"],
            ["Too small:", size, "Needs \(needed)"], ["Too", "small:", size, "Needs", needed],
            ["Needs \(needed)"], ["Needs", needed], ["small"],
        ]
        // No figure is cut: a part of one would be another.
        let lines = choices.first { lines in
            lines.count <= canvas.size.rows
                && lines.allSatisfy { width(of: $0) <= canvas.size.columns }
        }
        for (row, line) in (lines ?? []).enumerated() {
            canvas.put(line, row: row, column: 0, row == 0 ? .strong : .plain)
        }
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
        let opponent = label(
            name: situation.start?.opponent ?? "", key: situation.start?.key, columns: room,
            utf8: glyphs.isUnicode)
        canvas.put(own, row: 0, column: 2, .bar, reverse: true)
        canvas.putRight(
            "\(fit(opponent, room)) \(time)", row: 0,
            column: canvas.size.columns - 2, .bar, reverse: true)
    }
}
