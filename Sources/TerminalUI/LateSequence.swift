// SPDX-License-Identifier: MIT

/// Takes escape sequences together that come as single characters.
///
/// ncurses gives a sequence up that it does not know, or whose rest is late on a slow line, and
/// hands over its characters: without this, half an arrow key would offer a draw, and the numbers in
/// a sequence would play squares. An arrow is told even then, and that a paste begins or ends; other
/// sequences mean nothing.
struct LateSequence {
    private enum Place {
        case outside
        /// Behind ESC.
        case escape
        /// Behind ESC and `[`, and these characters.
        case bracket(String)
        /// Behind ESC and `O`.
        case letter
    }

    /// No sequence that a key sends is longer.
    private static let longest = 12
    private var place = Place.outside

    /// Takes a key as it was read; gives it as it is meant, or `nil` if it is part of something.
    mutating func take(_ key: Key) -> Key? {
        switch (place, key) {
        case (_, .escape): place = .escape
        case (.escape, .character("[")):
            place = .bracket("")
            return nil
        case (.escape, .character("O")):
            place = .letter
            return nil
        case (.bracket(let inside), .character(let character)):
            let isInside = (0x20...0x3f).contains(character.value) && inside.count < Self.longest
            place = isInside ? .bracket("\(inside)\(character)") : .outside
            return isInside ? nil : Self.paste("\(inside)\(character)") ?? Self.arrow(character)
        case (.letter, .character(let character)):
            place = .outside
            return Self.arrow(character)
        default: place = .outside
        }
        return key
    }

    private static func paste(_ sequence: String) -> Key? {
        switch sequence {
        case "200~": .pasteBegins
        case "201~": .pasteEnds
        default: nil
        }
    }

    private static func arrow(_ last: Unicode.Scalar) -> Key? {
        switch last {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        default: nil
        }
    }
}
