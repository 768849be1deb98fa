// SPDX-License-Identifier: MIT

import Testing

@testable import TerminalUI

@Suite struct LateSequenceTests {
    /// The keys as ncurses hands a sequence over that it gave up.
    private func keys(_ text: String) -> [Key] {
        var late = LateSequence()
        return text.unicodeScalars.compactMap {
            late.take($0 == "\u{1b}" ? .escape : .character($0))
        }
    }

    @Test(
        arguments: [
            ("\u{1b}[D", [.escape, .left]), ("\u{1b}OB", [.escape, .down]),
            ("\u{1b}[1;5B", [.escape, .down]), ("\u{1b}[59~d", [.escape, .character("d")]),
            (
                "\u{1b}[200~5\u{1b}[201~",
                [.escape, .pasteBegins, .character("5"), .escape, .pasteEnds]
            ),
            ("\u{1b}\u{1b}[A", [.escape, .escape, .up]),
            ("\u{1b}d[D", [.escape, .character("d"), .character("["), .character("D")]),
            ("[D", [.character("["), .character("D")]),
            ("\u{1b}[1\u{1b}5", [.escape, .escape, .character("5")]),
        ] as [(String, [Key])])
    func `a late sequence is an arrow or nothing`(_ text: String, _ expected: [Key]) {
        #expect(keys(text) == expected)
    }

    @Test func `no sequence swallows keys for ever`() {
        let fives = String(repeating: "5", count: 40)
        #expect(keys("\u{1b}[" + fives).count > 25)
    }

    @Test func `what is no character ends a sequence`() {
        var late = LateSequence()
        _ = late.take(.escape)
        _ = late.take(.character("["))
        #expect(late.take(.enter) == .enter)
        #expect(late.take(.character("d")) == .character("d"))
    }
}
