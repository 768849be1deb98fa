// SPDX-License-Identifier: MIT

import CTerminal

/// A grid of cells that text is put on; what lies outside is cut off.
struct Canvas {
    /// The size of the grid.
    let size: ScreenSize
    private var cells: [[Cell]]
    /// Where the cursor will stand.
    var cursor = (row: 0, column: 0)

    private struct Cell {
        /// One character; empty in the right half of a wide one.
        var text = " "
        var style = Style(.plain)
    }

    init(size: ScreenSize) {
        self.size = size
        let row = [Cell](repeating: Cell(), count: max(0, size.columns))
        cells = Array(repeating: row, count: max(0, size.rows))
    }

    /// Puts harmless text down; a wide character that does not fit whole is left out.
    mutating func put(
        _ text: some StringProtocol, row: Int, column: Int, _ ink: Ink = .plain,
        reverse: Bool = false
    ) {
        guard cells.indices.contains(row) else { return }
        var at = column
        for character in text {
            let wide = width(of: String(character))
            guard wide > 0 else { continue }
            defer { at += wide }
            guard at >= 0, at + wide <= size.columns else { continue }
            let style = Style(ink, reverse: reverse)
            cells[row][at] = Cell(text: String(character), style: style)
            for rest in 1..<wide {
                cells[row][at + rest] = Cell(text: "", style: style)
            }
        }
    }

    /// Puts text down that ends at `column` (exclusive).
    mutating func putRight(
        _ text: String, row: Int, column: Int, _ ink: Ink = .plain, reverse: Bool = false
    ) {
        put(text, row: row, column: column - width(of: text), ink, reverse: reverse)
    }

    /// Fills a rectangle with one style and spaces.
    mutating func fill(
        row: Int, column: Int, rows: Int, columns: Int, _ ink: Ink, reverse: Bool = false
    ) {
        let blank = String(repeating: " ", count: max(0, columns))
        for line in row..<row + max(0, rows) {
            put(blank, row: line, column: column, ink, reverse: reverse)
        }
    }

    /// The grid as runs of one style each.
    var picture: Picture {
        Picture(rows: cells.map(Self.runs), cursor: cursor)
    }

    private static func runs(_ row: [Cell]) -> [Run] {
        var runs: [Run] = []
        for cell in row {
            if let last = runs.indices.last, runs[last].style == cell.style {
                runs[last].text += cell.text
            } else {
                runs.append(Run(text: cell.text, style: cell.style))
            }
        }
        return runs
    }
}
