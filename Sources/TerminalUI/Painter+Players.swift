// SPDX-License-Identifier: MIT

import MatchEvents

/// What the panel says of a player.
private struct PlayerRow {
    var mark: String
    var name: String
    var key: String
    var isOwn: Bool
    var isToMove: Bool
    var time: String
    var score: Int

    /// The name and the key's tag in so many columns; of the own player the least.
    func title(_ columns: Int, utf8: Bool) -> String {
        guard isOwn else { return label(name: name, key: key, columns: columns, utf8: utf8) }
        // So many columns are left for the name only if they show something of it.
        let room = columns - 5
        if room >= 10 { return "You, " + label(name: name, key: key, columns: room, utf8: utf8) }
        return columns >= 10 ? "You " + label(name: "", key: key, columns: 0) : "You"
    }
}

extension Painter {
    /// Both players with their time and score, and below them the draws.
    mutating func players(_ layout: BoardLayout, _ column: Int) {
        guard let start = situation.start else { return }
        let (score, left) = (situation.score, situation.left)
        let rows = [
            PlayerRow(
                mark: start.you, name: model.ownName, key: model.ownKey, isOwn: true,
                isToMove: situation.isOurTurn == true,
                time: left.map { Countdown.text($0.you) } ?? "", score: score.you),
            PlayerRow(
                mark: situation.opponentMark, name: start.opponent, key: start.key, isOwn: false,
                isToMove: situation.isOurTurn == false,
                time: left.map { Countdown.text($0.opponent) } ?? "", score: score.opponent),
        ]
        // The times have a column of their own, and the score, of up to three digits, too.
        let clock = rows.map { width(of: $0.time) }.max() ?? 0
        let room = layout.figures - column - 9 - (clock == 0 ? 0 : clock + 2)
        for (index, player) in rows.enumerated() {
            draw(player, layout, row: layout.top + index, column, room)
        }
        let row = layout.top + rows.count
        canvas.put("Draws", row: row, column: column + 5, .dim)
        canvas.putRight("\(score.draws)", row: row, column: layout.figures, .dim)
    }

    private mutating func draw(
        _ player: PlayerRow, _ layout: BoardLayout, row: Int, _ column: Int, _ room: Int
    ) {
        if player.isToMove { canvas.put(glyphs.pointer, row: row, column: column, .good) }
        canvas.put(
            Situation.mark(player.mark), row: row, column: column + 2,
            player.mark == "X" ? .x : .o)
        canvas.put(
            fit(player.title(room, utf8: glyphs.isUnicode), room), row: row, column: column + 5,
            player.isToMove ? .strong : .plain)
        canvas.putRight(
            player.time, row: row, column: layout.figures - 5,
            player.isToMove ? .strong : .plain)
        canvas.putRight("\(player.score)", row: row, column: layout.figures, .strong)
    }
}
