// SPDX-License-Identifier: MIT

import MatchEvents

/// A line that is being typed, and where in it the cursor is; never longer than can be said.
struct TextLine: Sendable, Equatable {
    /// What is before the cursor.
    private(set) var before: String
    /// What is behind it.
    private(set) var after = ""

    var text: String { before + after }

    /// A line with the cursor at its end.
    init(_ text: String) {
        before = text
    }

    /// Puts in as many characters of a text as there is room for; whether that was all.
    mutating func insert(_ text: String) -> Bool {
        for character in text {
            let bytes = before.utf8.count + after.utf8.count + character.utf8.count
            guard bytes <= PlayerCommand.longestText else { return false }
            before.append(character)
        }
        return true
    }

    /// Takes a key that moves the cursor or erases; whether it is one.
    mutating func edit(_ key: Key) -> Bool {
        switch key {
        case .left: if let character = before.popLast() { after = "\(character)\(after)" }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .home: (before, after) = ("", text)
        case .end: (before, after) = (text, "")
        case .backspace: _ = before.popLast()
        case .delete: if !after.isEmpty { after.removeFirst() }
        case .eraseLine: before = ""
        case .eraseWord:
            while before.last == " " { before.removeLast() }
            while let last = before.last, last != " " { before.removeLast() }
        default: return false
        }
        return true
    }
}
