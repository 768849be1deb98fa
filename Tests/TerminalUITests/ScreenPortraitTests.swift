// SPDX-License-Identifier: MIT

import CPty
import TerminalUI
import Testing

@Suite struct ScreenPortraitTests {
    @Test(arguments: Scene.allCases)
    func `the screen looks as its file says in every size and style`(_ scene: Scene) throws {
        try expectGolden(scene.model.portrait(), scene.rawValue)
    }

    @Test(arguments: Scene.allCases)
    func `every row has the screen's width and nothing in it moves the cursor`(_ scene: Scene) {
        var model = scene.model
        for (rows, columns) in [
            (24, 80), (22, 72), (20, 60), (15, 30), (15, 200), (60, 31), (3, 5),
        ] {
            model.size = ScreenSize(rows: rows, columns: columns)
            for glyphs in [Glyphs.unicode, .ascii] {
                let picture = model.render(glyphs)
                #expect(picture.rows.count == rows)
                for row in picture.rows {
                    let text = row.map(\.text).joined()
                    #expect(display(text, columns: columns, utf8: glyphs.isUnicode) == text)
                    #expect(columnCount(text) == columns)
                }
                #expect(picture.cursor.row < rows && picture.cursor.column < columns)
            }
        }
    }

    @Test func `no size makes drawing fail`() {
        for scene in Scene.allCases {
            var model = scene.model
            for rows in [0, 1, 2, 14, 15, 16, 19, 20, 21, 22, 23, 30] {
                for columns in [0, 1, 2, 7, 29, 30, 31, 55, 56, 57, 71, 72, 73, 100] {
                    model.size = ScreenSize(rows: rows, columns: columns)
                    #expect(model.render(.unicode).rows.count == rows)
                }
            }
        }
    }

    @Test func `left, resigned, lost and back are told in different words`() {
        let scenes = [Scene.away, .leftClosed, .resigned, .lost, .back]
        let told = scenes.map { $0.model.render(.ascii).text.joined(separator: "\n") }
        let words = [
            "has left for now", "has left.", "resigned. You win", "is lost. Trying", "is back",
        ]
        for (index, word) in words.enumerated() {
            for (other, text) in told.enumerated() {
                #expect(text.contains(word) == (index == other), "\(word) in \(scenes[other])")
            }
        }
    }
}

/// Columns as the C library counts them.
private func columnCount(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + Int(pty_columns($1.value)) }
}
