// SPDX-License-Identifier: MIT

/// The characters that pictures are made of: Unicode, or ASCII for `--ascii` and other locales.
package struct Glyphs: Sendable, Equatable {
    /// Whether characters outside ASCII may be drawn.
    package let isUnicode: Bool
    let horizontal: Character
    let vertical: Character
    let crossing: Character
    let pointer: String
    let separator: String
    let corners: [String]
    private let x: [String]
    private let o: [String]

    /// Lines and half blocks; all are in the fonts of the Linux console too.
    package static let unicode = Glyphs(
        isUnicode: true, horizontal: "\u{2500}", vertical: "\u{2502}", crossing: "\u{253c}",
        pointer: "\u{25ba}", separator: " \u{b7} ",
        corners: ["\u{250c}", "\u{2510}", "\u{2514}", "\u{2518}"],
        x: [
            "\u{2580}\u{2584} \u{2584}\u{2580}", "  \u{2588}  ",
            "\u{2584}\u{2580} \u{2580}\u{2584}",
        ],
        o: [
            "\u{2584}\u{2580}\u{2580}\u{2580}\u{2584}", "\u{2588}   \u{2588}",
            "\u{2580}\u{2584}\u{2584}\u{2584}\u{2580}",
        ])

    /// ASCII only.
    package static let ascii = Glyphs(
        isUnicode: false, horizontal: "-", vertical: "|", crossing: "+", pointer: ">",
        separator: " - ", corners: ["+", "+", "+", "+"],
        x: ["\\   /", "  X  ", "/   \\"], o: [".---.", "|   |", "'---'"])

    /// A mark as three rows of five columns; an unknown one is written in the middle.
    func mark(_ mark: Character) -> [String] {
        switch mark {
        case "X": x
        case "O": o
        default: ["     ", "  \(mark)  ", "     "]
        }
    }
}
