// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import TerminalUI
import Testing

@Suite struct ScreenTalkTests {
    private static let sizes = [(24, 80), (20, 60), (20, 40), (15, 30), (60, 200)].map {
        ScreenSize(rows: $0.0, columns: $0.1)
    }

    private func text(_ model: ScreenModel, _ size: ScreenSize) -> [String] {
        var model = model
        model.size = size
        return model.render(.unicode).text
    }

    /// As long as a text can be: words, one word, and wide characters.
    private static let longest = [
        (1...84).map { "w\($0 + 100)," }.joined(separator: " "),
        (100..<266).map { "\($0)" }.joined(),
        (0x4e00..<0x4e00 + 166).compactMap { Unicode.Scalar($0).map { "\($0)" } }.joined(),
    ]

    private static func letters(_ text: String) -> String { text.filter { $0 != " " } }

    /// What a player reads who goes back line by line: every line of the chat once.
    private func read(_ model: ScreenModel, _ size: ScreenSize) -> String {
        var model = model
        model.size = size
        _ = model.apply(.pageUp)
        for _ in 0..<100 { _ = model.apply(.pageUp) }
        var lines: [String] = []
        for _ in 0..<100 {
            let page = talk(model)
            // A page begins with the last line of the one before, or is the last one.
            let known = (0...page.count).last { lines.suffix($0) == page.prefix($0) } ?? 0
            lines += page.dropFirst(known)
            _ = model.apply(.pageDown)
        }
        return Self.letters(lines.joined())
    }

    /// The lines below the headline.
    private func talk(_ model: ScreenModel) -> [String] {
        let text = model.render(.unicode).text
        guard let row = text.firstIndex(where: { $0.contains("\u{2500} Talk ") }),
            let place = text[row].ranges(of: "\u{2500} Talk ").first
        else { return [] }
        let column = text[row].distance(from: text[row].startIndex, to: place.lowerBound)
        let end =
            column == 1
            ? text.firstIndex { $0.contains("Your turn") } ?? row : text.count - 1
        return text[(row + 1)..<max(end, row + 1)].map { String($0.dropFirst(column)) }
            .filter { !$0.isEmpty }
    }

    @Test(arguments: longest, sizes)
    func `the longest text can be read on every screen`(_ long: String, _ size: ScreenSize) {
        var model = Scene.ourTurn.model
        model.apply(.said(by: .opponent, text: "first"))
        model.apply(.said(by: .opponent, text: long))
        if size.columns == 30 || size.columns == 40 { _ = model.apply(.character("t")) }
        #expect(read(model, size).contains(Self.letters(long)))
    }

    @Test func `a large screen shows many long texts at once`() {
        var model = Scene.ourTurn.model
        for _ in 1...4 { model.apply(.said(by: .opponent, text: Self.longest[0])) }
        let shown = text(model, Self.sizes[4]).joined(separator: "\n")
        #expect(shown.ranges(of: "w101,").count == 4 && shown.ranges(of: "w184,").count == 4)
        #expect(text(model, ScreenSize(rows: 40, columns: 80)).joined().contains("w101,"))
    }

    @Test func `the end of what is too long is shown, and that there is more`() {
        var model = Scene.ourTurn.model
        model.apply(.said(by: .opponent, text: Self.longest[0]))
        let lines = text(model, Self.sizes[0])
        #expect(lines.contains { $0.contains("w184,") } && !lines.contains { $0.contains("w101,") })
        #expect(lines.contains { $0.contains("Talk") && $0.contains("PgUp") })
        _ = model.apply(.pageUp)
        let earlier = text(model, Self.sizes[0])
        #expect(earlier.contains { $0.contains("w101,") })
        #expect(earlier.contains { $0.contains("PgDn") && !$0.contains("PgUp") })
        model.apply(.said(by: .opponent, text: "news"))
        #expect(text(model, Self.sizes[0]).contains { $0.contains("news") })
    }

    @Test func `on a small screen the chat is over the board until a key is pressed`() {
        var model = Scene.middle.model
        model.size = ScreenSize(rows: 15, columns: 30)
        let board = model.render(.ascii)
        for open in [Key.pageUp, .character("t")] {
            _ = model.apply(open)
            #expect(model.render(.ascii).text.contains { $0.contains("Hello! Is") })
            #expect(model.apply(open == .pageUp ? .character("4") : .escape) == .draw)
            #expect(model.render(.ascii) == board)
        }
        #expect(model.apply(.character("4")) == .command(.move(square: 4)))
    }

    @Test func `what was said last and is cut says with which key it is read`() {
        for (rows, columns) in [(15, 40), (15, 30), (16, 40)] {
            for (text, isCut) in [(Self.longest[0], true), ("One more?", false)] {
                var model = Scene.ourTurn.model
                model.size = ScreenSize(rows: rows, columns: columns)
                model.apply(.said(by: .opponent, text: text))
                let row = model.render(.ascii).text[rows - 2]
                #expect(row.hasSuffix("... PgUp") == isCut, "\(row)")
                #expect(!row.contains("PgUp") || isCut)
            }
        }
    }

    @Test func `who reads the chat or the help talks with the key for it`() {
        for open in [Key.pageUp, .character("?")] {
            for key in ["t", "T", "/"] {
                var model = Scene.middle.model
                model.size = ScreenSize(rows: 15, columns: 30)
                _ = model.apply(open)
                #expect(model.render(.ascii).text[14] == Self.pageKeys[open == .pageUp ? 0 : 1])
                for scalar in (key + "r y").unicodeScalars {
                    #expect(model.apply(.character(scalar)) == .draw)
                }
                #expect(model.apply(.enter) == .command(.say("r y")))
            }
            // What acts on the board is not done unseen.
            for key in "5ryd".unicodeScalars {
                var model = Scene.middle.model
                model.size = ScreenSize(rows: 15, columns: 30)
                let before = model.render(.ascii)
                _ = model.apply(open)
                #expect(model.apply(.character(key)) == .draw)
                #expect(model.render(.ascii) == before)
            }
        }
        var lobby = Scene.hostWaiting.model
        _ = lobby.apply(.character("?"))
        #expect(lobby.apply(.character("t")) == .draw)
        #expect(!lobby.render(.ascii).text.contains { $0.contains("Say: ") })
    }

    private static let pageKeys = [" PgUp back  Any key goes on", " T talk  Any key goes on"]

    @Test func `on a small screen what was said last has the rows that are free`() {
        var model = Scene.rematchOffered.model
        model.apply(.said(by: .opponent, text: "One more?"))
        let shown = text(model, Self.sizes[2])
        #expect(shown.contains { $0.contains("You propose another game.") })
        #expect(shown.contains { $0.contains("Bob (k7q2): One more?") })
    }

    @Test func `reading what was said leaves the text that is being typed`() {
        var model = Scene.talking.model
        _ = model.apply(.pageUp)
        _ = model.apply(.pageDown)
        #expect(model.apply(.enter) == .command(.say("Good luck")))
    }

    @Test(arguments: sizes)
    func `a name is clipped before its key and beside its clock`(_ size: ScreenSize) {
        for name in [
            "vivid salmon", "a very long name with many words", "\u{65e5}\u{672c}\u{8a9e}",
        ] {
            var model = ScreenModel(purpose: .host, name: name, key: Scene.ownKey)
            let clock = MoveClock(seconds: 7_200, increment: 3)
            for case .event(let event) in Scene.game([5, 1], opponent: name, clock: clock) {
                model.apply(event)
            }
            model.apply(
                .turn(you: true, ply: 3, left: TimeLeft(you: 20_000, opponent: 3_723_000)))
            for glyphs in [Glyphs.unicode, .ascii] {
                model.size = size
                let text = model.render(glyphs).text
                #expect(text.contains { $0.contains("(k7q2)") && $0.contains(" 1:02:03") })
                guard size.columns > 55 else { continue }
                #expect(text.contains { $0.contains("(mfzw)") && $0.contains(" 0:20") })
            }
        }
    }
}

/// A text that is not taken.
@Suite struct ScreenUnsaidTests {
    private func press(_ text: String, _ model: inout ScreenModel) -> ScreenModel.Action {
        text.unicodeScalars.map { model.apply(.character($0)) }.last ?? .none
    }

    private let tooMany = PlayerEvent.failed(
        code: "early",
        message: "Not sent: you said 50 things since the other player wrote. "
            + "Wait for an answer or a move.")

    @Test func `a text that is rejected is there again to be sent later`() {
        var model = Scene.talking.model
        #expect(model.apply(.enter) == .command(.say("Good luck")))
        model.apply(tooMany)
        let told = model.render(.ascii).text.joined(separator: " ")
        #expect(told.contains("Not sent: you said 50") && told.contains("T has the text again."))
        #expect(model.farewell(utf8: true).last == "Not sent: Good luck")
        // It is no line yet: keys are still the board's.
        #expect(press("3", &model) == .command(.move(square: 3)))
        _ = press("t!", &model)
        #expect(model.apply(.enter) == .command(.say("Good luck!")))
        #expect(!model.farewell(utf8: true).contains { $0.contains("luck") })
        model.apply(.said(by: .you, text: "Good luck!"))
        _ = press("t", &model)
        #expect(model.apply(.enter) == .draw)
    }

    @Test func `what goes wrong after a text was said has nothing to do with it`() {
        var model = Scene.talking.model
        _ = model.apply(.enter)
        model.apply(.said(by: .you, text: "Good luck"))
        model.apply(.failed(code: "illegal", message: "Square 1 is taken."))
        #expect(!model.render(.ascii).text.contains { $0.contains("T has the text") })
        // Nor has it with one that the program keeps.
        model = Scene.talking.model
        _ = model.apply(.enter)
        model.apply(.kept("say"))
        model.apply(.failed(code: "illegal", message: "Square 1 is taken."))
        #expect(!model.render(.ascii).text.contains { $0.contains("T has the text") })
        // Nor does what goes wrong between keep a text that is said after all.
        model = Scene.talking.model
        _ = model.apply(.enter)
        model.apply(.failed(code: "illegal", message: "Square 1 is taken."))
        model.apply(.said(by: .you, text: "Good luck"))
        _ = press("tx", &model)
        #expect(model.apply(.enter) == .command(.say("x")))
    }
}
