// SPDX-License-Identifier: MIT

/// How many rows and columns a terminal has.
package struct ScreenSize: Sendable, Equatable {
    /// Rows.
    package var rows: Int
    /// Columns.
    package var columns: Int

    /// Makes a size.
    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}

/// What a piece of text means; how that looks is the terminal's affair. Color is never the only
/// difference.
package enum Ink: Character, Sendable, Equatable {
    case plain = "."
    case dim = "d"
    case strong = "s"
    case bar = "b"
    case x = "x"
    case o = "o"
    case good = "g"
    case warning = "w"
}

/// The look of a cell.
package struct Style: Sendable, Equatable {
    /// What it means.
    package var ink: Ink
    /// Whether foreground and background are exchanged.
    package var reverse: Bool

    /// Makes a style.
    package init(_ ink: Ink, reverse: Bool = false) {
        self.ink = ink
        self.reverse = reverse
    }
}

/// Text in one style.
package struct Run: Sendable, Equatable {
    /// The text, harmless and of known width.
    package var text: String
    /// Its look.
    package var style: Style
}

/// A whole screen as a value.
package struct Picture: Sendable, Equatable {
    /// The rows from the top, each filled to its last column.
    package var rows: [[Run]]
    /// Where the cursor stands, so that screen readers and magnifiers can follow it.
    package var cursor: (row: Int, column: Int)

    /// Compares rows and cursor.
    package static func == (a: Self, b: Self) -> Bool {
        a.rows == b.rows && a.cursor == b.cursor
    }
}
