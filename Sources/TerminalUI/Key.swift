// SPDX-License-Identifier: MIT

/// What a person did at the terminal.
package enum Key: Sendable, Equatable {
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case enter
    case escape
    case backspace
    case home
    case end
    case delete
    /// Erase what is before the cursor (^U).
    case eraseLine
    /// Erase the word before the cursor (^W).
    case eraseWord
    /// A key that writes something.
    case character(Unicode.Scalar)
    /// The main mouse button was pressed here, counted from 0.
    case click(row: Int, column: Int)
    /// A text was pasted: one line, which may be longer than can be said.
    case paste(String)
    /// What comes until ``pasteEnds`` is pasted; ``Terminal`` makes a ``paste(_:)`` of it.
    case pasteBegins
    case pasteEnds
    /// The whole screen is to be painted anew (^L).
    case repaint
    /// The terminal went away, or ^D.
    case endOfInput
    /// Anything else; it has no meaning.
    case other
}
