// SPDX-License-Identifier: MIT

import MatchEvents
import TicTacToe

extension Painter {
    /// The board, the players, and whose turn it is.
    mutating func game(_ layout: BoardLayout) {
        if layout.panel == nil, model.showsTalk {
            turn(layout)
            return talk(layout)
        }
        lines(layout)
        let won = winningSquares
        for square in 0..<9 { draw(square, layout, won: won.contains(square)) }
        if let column = layout.panel { panel(layout, column) }
        turn(layout)
        let corner = layout.corner(of: model.selected)
        canvas.cursor = (
            corner.row + layout.square.rows / 2, corner.column + layout.square.columns / 2
        )
    }

    // MARK: - Board

    private mutating func lines(_ layout: BoardLayout) {
        let (high, wide) = (layout.square.rows, layout.square.columns)
        for line in [high, 2 * high + 1] {
            let segment = String(repeating: glyphs.horizontal, count: wide)
            let row = [segment, segment, segment].joined(separator: String(glyphs.crossing))
            canvas.put(row, row: layout.top + line, column: layout.left, .dim)
        }
        for row in 0..<3 * high + 2 where row % (high + 1) != high {
            for line in [wide, 2 * wide + 1] {
                canvas.put(
                    String(glyphs.vertical), row: layout.top + row, column: layout.left + line,
                    .dim)
            }
        }
    }

    private mutating func draw(_ square: Int, _ layout: BoardLayout, won: Bool) {
        let (row, column) = layout.corner(of: square)
        let size = layout.square
        let isSelected = square == model.selected && situation.isOurTurn == true
        let reverse = isSelected || won
        let mark = situation.board[square]
        let ink = mark == "." ? Ink.dim : Self.ink(of: mark)
        canvas.fill(
            row: row, column: column, rows: size.rows, columns: size.columns,
            won ? ink : .plain, reverse: reverse)
        if mark != "." {
            glyph(mark, layout, row, column, ink, reverse: reverse)
            if situation.moves.last == square + 1, !reverse { corners(row, column, size, ink) }
        } else if square == model.pending, let own = situation.start?.you.first {
            glyph(own, layout, row, column, .dim, reverse: reverse)
        } else {
            canvas.put(
                "\(square + 1)", row: row + size.rows / 2, column: column + size.columns / 2,
                isSelected ? .plain : .dim, reverse: reverse)
        }
    }

    private mutating func glyph(
        _ mark: Character, _ layout: BoardLayout, _ row: Int, _ column: Int, _ ink: Ink,
        reverse: Bool
    ) {
        let top = row + (layout.square.rows - 3) / 2
        let left = column + (layout.square.columns - 5) / 2
        for (line, text) in glyphs.mark(mark).enumerated() {
            canvas.put(text, row: top + line, column: left, ink, reverse: reverse)
        }
    }

    /// Frames the square that was played last.
    private mutating func corners(_ row: Int, _ column: Int, _ size: ScreenSize, _ ink: Ink) {
        let inset = size.columns > 7 ? 1 : 0
        let (left, right) = (column + inset, column + size.columns - 1 - inset)
        let bottom = row + size.rows - 1
        let places = [(row, left), (row, right), (bottom, left), (bottom, right)]
        for (place, corner) in zip(places, glyphs.corners) {
            canvas.put(corner, row: place.0, column: place.1, ink)
        }
    }

    /// The squares, from 0, that won; the event says that a line did.
    private var winningSquares: [Int] {
        guard situation.end?.termination == "line" else { return [] }
        var board = Board()
        for (square, mark) in zip(Square.allCases, situation.board) {
            board[square] = Mark(rawValue: String(mark))
        }
        return Mark.allCases.flatMap(board.squaresInLine).map(\.index)
    }

    private static func ink(of mark: Character) -> Ink { mark == "X" ? .x : .o }

    // MARK: - Turn and panel

    private mutating func turn(_ layout: BoardLayout) {
        let left = layout.panel == nil ? 1 : layout.left
        let room = layout.turnEnd - left
        if let end = situation.endSentence {
            // What does not fit is told by the messages.
            guard fits(end, room) else { return }
            let won = situation.end?.winner == situation.start?.you
            canvas.put(
                fit(end, room), row: layout.turnRow, column: left, won ? .good : .strong)
        } else if let turn = situation.turnSentence {
            let ours = situation.isOurTurn == true
            let text = ours ? " \(glyphs.pointer) \(turn) " : turn
            canvas.put(
                fit(text, room), row: layout.turnRow, column: left, ours ? .good : .plain,
                reverse: ours)
        }
    }

    private mutating func panel(_ layout: BoardLayout, _ column: Int) {
        players(layout, column)
        moves(layout, layout.top + 4, column)
        talk(layout)
    }

    private mutating func moves(_ layout: BoardLayout, _ row: Int, _ column: Int) {
        guard !situation.moves.isEmpty else { return }
        canvas.put("Moves", row: row, column: column, .dim)
        for (index, square) in situation.moves.suffix(9).enumerated() {
            let ink = Self.ink(of: situation.mark(on: square))
            canvas.put(
                Situation.mark("\(square)"), row: row, column: column + 7 + 2 * index, ink)
        }
    }
}

extension Situation {
    /// The mark on a square, from 1.
    fileprivate func mark(on square: Int) -> Character {
        board.indices.contains(square - 1) ? board[square - 1] : "."
    }
}
