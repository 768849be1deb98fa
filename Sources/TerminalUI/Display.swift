// SPDX-License-Identifier: MIT

import CTerminal
package import MatchEvents

/// Makes a string from the network, a file or the environment harmless to a terminal.
///
/// Controls, format characters (bidirectional overrides, zero-width ones, tags) and private ones are
/// dropped, a line break or tab becomes a space, a character keeps at most ``marksPerCharacter``
/// combining marks, and what is too long is cut and ends in an ellipsis.
///
/// - Parameters:
///   - text: Anything.
///   - columns: The most terminal columns the result takes.
///   - utf8: Whether the terminal's locale is UTF-8; if not, what is not ASCII becomes `?`.
/// - Returns: The text to show; put in again it comes out the same.
package func display(_ text: String, columns: Int, utf8: Bool = true) -> String {
    let columns = max(0, columns)
    var clean = CleanText(utf8: utf8)
    for scalar in text.unicodeScalars {
        clean.append(scalar)
        // One column beyond the limit decides that the text is cut; the rest need not be read.
        if clean.columns > columns { break }
    }
    return clean.columns <= columns ? clean.text : clean.cut(to: columns)
}

/// The most combining marks that ``display(_:columns:utf8:)`` leaves on one character.
package let marksPerCharacter = 3

/// A player as shown everywhere: the name, which proves nothing, and the first four letters of the
/// key, which do; without a key the name alone. Where there is little room, the name goes first.
package func label(
    name: String, key: String?, columns: Int = 24, utf8: Bool = true
) -> String {
    guard let key, !key.isEmpty else { return shownName(name, columns: columns, utf8: utf8) }
    let tag = "(\(display(String(key.prefix(4)), columns: 4, utf8: false)))"
    let room = columns - tag.utf8.count - 1
    return room > 2 ? "\(shownName(name, columns: room, utf8: utf8)) \(tag)" : tag
}

/// What the player is to be careful about with an open game, if there is something.
package func warning(of game: FoundGame) -> String? {
    game.resembles.map { "looks like \(shownName($0, columns: 24)), under another key." }
}

private func shownName(_ name: String, columns: Int, utf8: Bool = true) -> String {
    let shown = display(name, columns: columns, utf8: utf8)
    return shown.allSatisfy { $0 == " " }
        ? display("nameless", columns: columns, utf8: utf8) : shown
}

/// The terminal columns that `text` takes if it is harmless already.
func width(of text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { columns, scalar in
        let isASCII = (0x20..<0x7f).contains(scalar.value)
        return columns + (isASCII ? 1 : max(0, Int(terminal_width(scalar.value))))
    }
}

/// Text that is known to be harmless, and how wide it is.
private struct CleanText {
    let utf8: Bool
    private(set) var columns = 0
    /// Each character with its marks, and its width.
    private var cells: [(text: String.UnicodeScalarView, width: Int, marks: Int)] = []

    init(utf8: Bool) {
        self.utf8 = utf8
    }

    var text: String { Self.string(cells) }

    mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x20...0x7e: add(scalar, width: 1)
        case 0x09, 0x0a, 0x0d, 0x85, 0x2028, 0x2029: add(" ", width: 1)
        case 0...0x9f: break
        default: appendOther(scalar)
        }
    }

    /// The first characters that fit, with an ellipsis where there is room for one.
    func cut(to columns: Int) -> String {
        let ellipsis = utf8 ? "\u{2026}" : "..."
        let room = columns - (utf8 ? 1 : 3)
        var used = 0
        let kept = cells.prefix {
            used += $0.width
            return used <= max(room, 0)
        }
        return room > 0 ? Self.string(kept) + ellipsis : String(repeating: ".", count: columns)
    }

    private mutating func appendOther(_ scalar: Unicode.Scalar) {
        if scalar == "\u{2026}", !utf8 { return (0..<3).forEach { _ in add(".", width: 1) } }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: return
        case .privateUse, .unassigned: return add("?", width: 1)
        case .spaceSeparator: return add(" ", width: 1)
        default: break
        }
        let width = Int(terminal_width(scalar.value))
        if width == 0 {
            if utf8 { addMark(scalar) }
        } else if width < 0 || !utf8 {
            add("?", width: 1)
        } else {
            add(scalar, width: width)
        }
    }

    private mutating func add(_ scalar: Unicode.Scalar, width: Int) {
        cells.append((String.UnicodeScalarView([scalar]), width, 0))
        columns += width
    }

    /// Marks stand on a character; one with nothing to stand on is dropped.
    private mutating func addMark(_ scalar: Unicode.Scalar) {
        guard let last = cells.indices.last, cells[last].marks < marksPerCharacter else { return }
        cells[last].text.append(scalar)
        cells[last].marks += 1
    }

    private static func string(
        _ cells: some Sequence<(text: String.UnicodeScalarView, width: Int, marks: Int)>
    ) -> String {
        var result = String.UnicodeScalarView()
        for cell in cells { result.append(contentsOf: cell.text) }
        return String(result)
    }
}
