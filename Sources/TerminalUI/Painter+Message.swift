// SPDX-License-Identifier: MIT

import MatchEvents

extension Painter {
    /// What is typed, asked, wrong, new or awaited: in the rows above the keys, and where they are
    /// too few, over what is above them. Nothing of it is cut that has room on the screen.
    mutating func message(_ layout: BoardLayout) {
        let left = layout.panel == nil ? 1 : layout.left
        let room = (showsBoard ? layout.right : canvas.size.columns - 2) - left
        if let draft = model.draft { return typing(draft, layout, left: left, room: room) }
        let overlong = overlong(layout.turnEnd - left)
        let lines = lines(overlong + messages, room)
        let usual = overlong.isEmpty || layout.isTall ? layout.messageRow : layout.turnRow
        // The question whether to play stands right above.
        let highest = situation.challenger == nil ? 1 : layout.messageRow
        let top = max(highest, min(usual, layout.keysRow - lines.count))
        canvas.fill(
            row: top, column: 0, rows: min(lines.count, layout.keysRow - top),
            columns: left + room, .plain)
        put(lines, from: top, to: layout.keysRow, left: left, room: room)
        if layout.panel == nil, showsBoard, !model.showsTalk, let last = model.talk.last {
            let free = top + lines.count..<max(top + lines.count, layout.keysRow)
            let said = self.lines([(model.talkLine(last), .plain)], room)
            // What does not fit is read in the chat.
            let isCut = said.count > free.count
            put(
                said, from: free.lowerBound, to: free.upperBound, left: left,
                room: isCut ? room - 5 : room)
            if isCut, let row = free.last {
                canvas.put("PgUp", row: row, column: left + room - 4, .strong)
            }
        }
        if model.question != nil, let last = lines.last {
            let row = min(top + lines.count, layout.keysRow) - 1
            canvas.cursor = (row, left + width(of: last.text))
        }
    }

    private func lines(
        _ messages: [(text: String, ink: Ink)], _ room: Int
    ) -> [(text: String, ink: Ink)] {
        messages.flatMap { message in
            wrap(message.text, room).map { (text: $0, ink: message.ink) }
        }
    }

    /// Puts down what there is room for; what is left out is marked.
    private mutating func put(
        _ lines: [(text: String, ink: Ink)], from top: Int, to bottom: Int, left: Int, room: Int
    ) {
        for (row, line) in zip(top..<max(top, bottom), lines) {
            let isCut = row == bottom - 1 && lines.count > bottom - top
            let text = isCut ? line.text + String(repeating: " ", count: room) + "." : line.text
            canvas.put(fit(text, room), row: row, column: left, line.ink)
        }
    }

    /// How the game ended, where that is too long for its own row.
    private func overlong(_ room: Int) -> [(text: String, ink: Ink)] {
        guard let end = situation.endSentence, !fits(end, room), !model.showsHelp else { return [] }
        return [(end, .strong)]
    }

    /// Everything that is to be told now: a question alone, or else first what is new and then what
    /// lasts.
    private var messages: [(text: String, ink: Ink)] {
        switch model.question {
        case .resign: return [("Resign this game? (y/n)", .strong)]
        case .quit: return [("Leave and keep the game for later? (y/n, r resigns)", .strong)]
        case nil: break
        }
        let warning = situation.challenger == nil ? model.warning.map { ($0, Ink.warning) } : nil
        return [warning, model.notice.map { ($0.text, $0.ink) }].compactMap { $0 } + standing
    }

    /// What lasts, until something is done about it.
    private var standing: [(text: String, ink: Ink)] {
        var told: [(text: String, ink: Ink)] = []
        if let trouble = model.shownTrouble {
            let sentence = situation.linkSentence(
                trouble, reason: model.linkReason,
                isShort: BoardLayout(model.size)?.isTight == true)
            told.append((sentence, .warning))
        }
        if let closed = situation.closed {
            if closed == .failed, let problem = model.lastProblem {
                told.append((problem, .warning))
            }
            told.append((situation.closeSentence(closed) + " Press any key.", .strong))
        }
        if let offer = situation.offer {
            let sentence = situation.offerSentence(kind: offer.kind, by: offer.by)
            told.append((sentence + (offer.by == .opponent ? " (y/n)" : ""), .strong))
        }
        if model.picked != nil {
            let sentence = "The host may be asked first and has 60 s to answer. Q quits."
            told.append((sentence, .strong))
        }
        if let caution { told.append((caution, .warning)) }
        guard situation.isRunning else { return told }
        if let claimant = situation.claimant {
            told.append((situation.claimSentence(by: claimant), .strong))
        } else if let late = situation.late {
            let key = late == .opponent ? " (C claims the win)" : ""
            told.append((situation.timeSentence(late) + key, .strong))
        }
        return told
    }

    /// What to be careful about with the chosen game, where the list has no room for it.
    private var caution: String? {
        guard situation.start == nil, BoardLayout(model.size)?.panel == nil,
            situation.games.indices.contains(model.choice)
        else { return nil }
        let game = situation.games[model.choice]
        return warning(of: game).map { "\(label(name: game.name, key: game.key)) \($0)" }
    }

    /// The line being typed; of a long one what is around the cursor. What lasts is told below it.
    private mutating func typing(_ draft: TextLine, _ layout: BoardLayout, left: Int, room: Int) {
        let row = layout.messageRow
        canvas.put("Say: ", row: row, column: left, .strong)
        let utf8 = glyphs.isUnicode
        var before = Substring(display(draft.before, columns: 4000, utf8: utf8))
        let after = Substring(display(draft.after, columns: 4000, utf8: utf8))
        // Of what is behind the cursor so much is shown that it is seen what comes.
        let behind = min(width(of: after), (room - 6) / 3)
        while width(of: before) > room - 6 - behind { before.removeFirst() }
        var shown = after
        while width(of: before) + width(of: shown) > room - 5 { shown.removeLast() }
        canvas.put(before + shown, row: row, column: left + 5)
        canvas.cursor = (row, left + 5 + width(of: before))
        let notice = model.notice.map { [(text: $0.text, ink: $0.ink)] } ?? []
        let lines = lines(notice + standing, room)
        put(lines, from: row + 1, to: layout.keysRow, left: left, room: room)
    }

    func fits(_ text: String, _ columns: Int) -> Bool { width(of: fit(text, 4000)) <= columns }
}
