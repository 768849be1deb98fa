// SPDX-License-Identifier: MIT

import MatchEvents

extension Painter {
    /// What was said: the end of it, or what the player has gone back to.
    mutating func talk(_ layout: BoardLayout) {
        let place = layout.talk
        let lines = model.talkLines(columns: place.columns, utf8: glyphs.isUnicode)
        let room = max(0, place.rows)
        let below = min(model.linesBelow, max(0, lines.count - room))
        let shown = lines.dropLast(below).suffix(room)
        headline(layout, isMoreAbove: shown.count + below < lines.count, isMoreBelow: below > 0)
        for (index, line) in shown.enumerated() {
            canvas.put(
                line.text, row: place.row + index, column: place.column,
                line.by == .you ? .dim : .plain)
        }
    }

    private mutating func headline(_ layout: BoardLayout, isMoreAbove: Bool, isMoreBelow: Bool) {
        let place = layout.talk
        let line = glyphs.horizontal
        let keys = (isMoreAbove ? " PgUp" : "") + (isMoreBelow ? " PgDn" : "")
        let end = keys.isEmpty ? "" : "\(keys) \(line)"
        let rule = String(repeating: line, count: max(0, place.columns - 7 - end.count))
        canvas.put("\(line) Talk \(rule)\(end)", row: place.row - 1, column: place.column, .dim)
    }
}

extension ScreenModel {
    /// Whether a screen without a panel shows the chat instead of the board.
    var showsTalk: Bool { readsTalk || draft != nil }

    /// The chat in lines of so many columns.
    func talkLines(columns: Int, utf8: Bool) -> [(text: String, by: Side)] {
        talk.flatMap { line in
            let text = display(talkLine(line), columns: 4000, utf8: utf8)
            return wrapped(text, columns: columns - 2).enumerated().map { index, part in
                (text: index == 0 ? part : "  " + part, by: line.by)
            }
        }
    }

    /// A text and who said it.
    func talkLine(_ line: (by: Side, text: String)) -> String {
        let start = situation.start
        let other = label(name: start?.opponent ?? "", key: start?.key, columns: 19)
        return "\(line.by == .you ? "You" : other): \(line.text)"
    }

    /// Goes back or forth in the chat by what is shown of it at once, but for one line.
    mutating func turnPage(isUp: Bool) -> Action {
        guard situation.start != nil, let layout = BoardLayout(size) else { return .none }
        let place = layout.talk
        let count = talkLines(columns: place.columns, utf8: true).count
        let step = max(1, place.rows - 1)
        if layout.panel == nil, !showsTalk {
            readsTalk = isUp && !talk.isEmpty
        } else if isUp {
            linesBelow = min(max(0, count - place.rows), linesBelow + step)
        } else if linesBelow > 0 {
            linesBelow = max(0, linesBelow - step)
        } else {
            readsTalk = false
        }
        return .draw
    }
}
