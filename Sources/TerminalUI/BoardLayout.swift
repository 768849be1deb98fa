// SPDX-License-Identifier: MIT

/// Where the board and what belongs to it stand on a screen of a given size; drawing and clicking
/// ask the same value.
struct BoardLayout: Equatable {
    /// The smallest screen that shows a game.
    static let smallest = ScreenSize(rows: 15, columns: 30)
    /// The size of a square.
    let square: ScreenSize
    /// The board's first row.
    let top: Int
    /// The board's first column.
    let left: Int
    /// The first column of the players, the moves and the chat, or `nil` if there is no room.
    let panel: Int?
    /// The column after the panel.
    let right: Int
    /// The column after the players' figures, which on a wide screen stay near the names.
    var figures: Int { panel.map { min(right, $0 + 42) } ?? right }
    /// The row after the panel: on a tall screen that of the messages, so that much can be read.
    let panelEnd: Int
    /// The column that the turn ends before, which on a tall screen is beside the panel.
    let turnEnd: Int
    /// The row that says whose turn it is.
    let turnRow: Int
    /// The first row for messages and questions; they may take all down to the keys.
    let messageRow: Int
    /// The row that names the keys.
    let keysRow: Int
    /// Whether the panel reaches down beside the turn.
    let isTall: Bool
    /// Whether a message of more than one row covers something.
    var isTight: Bool { keysRow - messageRow < 2 }

    /// The layout, or `nil` if the screen is too small.
    init?(_ size: ScreenSize) {
        guard size.rows >= Self.smallest.rows, size.columns >= Self.smallest.columns else {
            return nil
        }
        let isLarge = size.rows >= 22 && size.columns >= 72
        square = isLarge ? ScreenSize(rows: 5, columns: 11) : ScreenSize(rows: 3, columns: 7)
        let width = square.columns * 3 + 2
        let height = square.rows * 3 + 2
        let used = min(size.columns, 132)
        let margin = (size.columns - used) / 2
        let hasPanel = size.columns >= 56
        left = hasPanel ? margin + 3 : (size.columns - width) / 2
        panel = hasPanel ? left + width + 4 : nil
        right = margin + used - 2
        // Head, board, turn, message and keys; what is left over goes around the board.
        let spare = size.rows - height - 4
        top = 1 + min(spare, 1) + max(0, spare - 4) / 2
        turnRow = top + height + (spare >= 2 ? 1 : 0)
        keysRow = size.rows - 1
        isTall = isLarge && size.rows >= 28
        // Below the panel, for messages are as wide as both.
        messageRow = isTall ? keysRow - 4 : turnRow + 1
        panelEnd = isTall ? messageRow - 1 : top + height
        turnEnd = isTall ? left + width + 2 : size.columns - 2
    }

    /// Where the chat stands, without its headline in the row above: in the panel, or where there is
    /// none over the board.
    var talk: (row: Int, column: Int, rows: Int, columns: Int) {
        guard let panel else { return (2, 1, turnRow - 2, right - 1) }
        return (top + 7, panel, panelEnd - top - 7, right - panel)
    }

    /// The first row and column of a square, from 0.
    func corner(of square: Int) -> (row: Int, column: Int) {
        (
            top + square / 3 * (self.square.rows + 1),
            left + square % 3 * (self.square.columns + 1)
        )
    }

    /// The square, from 0, at a place; `nil` on lines and beside the board.
    func square(row: Int, column: Int) -> Int? {
        let (y, x) = (row - top, column - left)
        let (high, wide) = (square.rows + 1, square.columns + 1)
        guard y >= 0, x >= 0, y / high < 3, x / wide < 3, y % high != high - 1, x % wide != wide - 1
        else { return nil }
        return y / high * 3 + x / wide
    }
}
