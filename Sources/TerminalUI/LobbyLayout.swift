// SPDX-License-Identifier: MIT

/// Where the list of open games stands; drawing and clicking ask the same value.
struct LobbyLayout: Equatable {
    /// The first row of the list.
    let top: Int
    /// The first column of everything.
    let left: Int
    /// How many games are shown at once.
    let rows: Int
    /// The first game shown.
    let first: Int
    /// The number of games.
    let count: Int

    /// Lays out a list of `count` games below a row so that `choice` is visible.
    init(top: Int, left: Int, rows: Int, count: Int, choice: Int) {
        self.top = top
        self.left = left
        self.rows = max(0, min(rows, count))
        self.count = count
        first = max(0, min(choice - self.rows + 1, count - self.rows))
    }

    /// The game shown at a place.
    func game(row: Int, column: Int) -> Int? {
        let line = row - top
        return column >= left && line >= 0 && line < rows ? first + line : nil
    }
}
