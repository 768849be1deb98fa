// SPDX-License-Identifier: MIT

import Foundation
import TerminalUI
import Testing

/// Compares text with a file beside the tests; `UPDATE_GOLDEN=1` writes the file instead.
func expectGolden(
    _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/\(name).txt")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(
        text == expected, "UPDATE_GOLDEN=1 rewrites \(name).txt", sourceLocation: sourceLocation)
}

extension Picture {
    /// The text of the rows, without spaces at their ends.
    var text: [String] {
        rows.map { row in Self.trimmed(row.map(\.text).joined(), " ") }
    }

    /// One letter a column for its ink, upper case (or `#`) where it is reversed.
    var inks: [String] {
        rows.map { row in
            let letters = row.map { run in
                let letter = String(run.style.ink.rawValue)
                let shown =
                    run.style.reverse ? (letter == "." ? "#" : letter.uppercased()) : letter
                return String(repeating: shown, count: run.text.count)
            }
            return Self.trimmed(letters.joined(), ".")
        }
    }

    private static func trimmed(_ text: String, _ end: Character) -> String {
        var text = Substring(text)
        while text.last == end { text.removeLast() }
        return String(text)
    }
}

extension ScreenModel {
    /// The screen in every size and both styles, as one text.
    func portrait() -> String {
        var model = self
        var text = ""
        for (rows, columns) in [(24, 80), (20, 60), (15, 30), (10, 20)] {
            model.size = ScreenSize(rows: rows, columns: columns)
            for (name, glyphs) in [("UTF-8", Glyphs.unicode), ("ASCII", .ascii)] {
                let picture = model.render(glyphs)
                let cursor = "cursor \(picture.cursor.row),\(picture.cursor.column)"
                text += "=== \(columns)x\(rows) \(name), \(cursor)\n"
                text += picture.text.map { $0 + "\n" }.joined()
                if columns == 80, glyphs.isUnicode {
                    text += "--- inks\n" + picture.inks.map { $0 + "\n" }.joined()
                }
            }
        }
        return text
    }
}
