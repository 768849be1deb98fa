// SPDX-License-Identifier: MIT

import MatchEvents
import Testing

@testable import TerminalUI

@Suite struct PasteTests {
    private func keys(_ text: String) -> [Key] {
        text.unicodeScalars.map { $0 == "\r" || $0 == "\n" ? .enter : .character($0) }
    }

    private func take(_ keys: [Key], _ paste: inout Paste, at now: UInt64) -> [Key] {
        keys.flatMap { paste.take($0, at: now) }
    }

    @Test func `what is pasted is one text, in which line ends are spaces`() {
        var paste = Paste()
        let pasted = [.pasteBegins] + keys("good luck\r\nr\ny\n") + [.pasteEnds]
        #expect(take(pasted + keys("r"), &paste, at: 0) == [.paste("good luck r y")] + keys("r"))
    }

    @Test func `no key within a paste is one`() {
        var paste = Paste()
        let inside: [Key] = [
            .character("a"), .escape, .up, .click(row: 1, column: 1), .endOfInput, .repaint,
            .backspace, .pageUp, .other, .character("b"),
        ]
        let pasted = [.pasteBegins] + inside + [.pasteEnds]
        #expect(take(pasted, &paste, at: 0) == [.paste("a b")])
    }

    @Test func `a paste without an end does not lock the keyboard for ever`() {
        var paste = Paste()
        #expect(take([.pasteBegins] + keys("hi\n"), &paste, at: 1_000).isEmpty)
        #expect(take(keys("r"), &paste, at: 5_999).isEmpty)
        #expect(take(keys("d"), &paste, at: 10_999) == [.paste("hi r")] + keys("d"))
        // Nor if somebody goes on pressing keys.
        #expect(take([.pasteBegins], &paste, at: 20_000).isEmpty)
        for now in 20_000..<20_015 {
            #expect(take(keys("x"), &paste, at: UInt64(20_000 + (now - 20_000) * 1_000)).isEmpty)
        }
        #expect(take(keys("d"), &paste, at: 35_000).last == .character("d"))
    }

    @Test func `a paste is bounded`() {
        var paste = Paste()
        let pasted = [.pasteBegins] + keys(String(repeating: "x", count: 100_000)) + [.pasteEnds]
        guard case .paste(let text)? = take(pasted, &paste, at: 0).first else {
            Issue.record("no paste")
            return
        }
        #expect(text.utf8.count > PlayerCommand.longestText && text.utf8.count < 600)
    }

    @Test(arguments: Scene.allCases)
    func `a paste asks for nothing and changes nothing but a notice`(_ scene: Scene) {
        var model = scene.model
        let before = model.meaning
        for text in ["y", "r", "5", "q", "good luck r y", ""] {
            #expect(model.apply(.paste(text)) == .draw)
            #expect(model.meaning == before)
        }
    }

    @Test func `a paste goes into the line that is typed, as far as there is room`() {
        var model = Scene.talking.model
        _ = model.apply(.paste(" and so on"))
        var other = model
        #expect(other.apply(.enter) == .command(.say("Good luck and so on")))
        _ = model.apply(.paste(String(repeating: "\u{65e5}", count: 200)))
        #expect(model.render(.ascii).text.contains { $0.contains("as long as a line can be") })
        guard case .command(.say(let text)) = model.apply(.enter) else {
            Issue.record("nothing is said")
            return
        }
        #expect(text.utf8.count == 499)
    }
}
