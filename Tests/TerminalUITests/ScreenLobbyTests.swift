// SPDX-License-Identifier: MIT

import MatchEvents
import TerminalUI
import Testing

@Suite struct ScreenLobbyTests {
    private func words(_ model: ScreenModel) -> String {
        let text = model.render(.unicode).text.joined(separator: " ")
        return text.split(separator: " ").joined(separator: " ")
    }

    @Test func `beside an open game the lobby says how to join it, not how to open one`() {
        let shown = words(Scene.joinChoosing.model)
        #expect(shown.contains("Choose one and press Enter.") && !shown.contains("ttt host"))
        #expect(words(Scene.joinSearching.model).contains("the other player types: ttt host"))
    }

    @Test func `who joins is told that the host may be asked, until something comes of it`() {
        let sentence = "The host may be asked first and has 60 s to answer."
        for size in ScreenMessageTests.sizes {
            var model = Scene.joinChoosing.model
            model.size = size
            #expect(!words(model).contains(sentence))
            _ = model.apply(.enter)
            #expect(words(model).contains(sentence))
            _ = model.apply(.down)
            #expect(words(model).contains(sentence))
            for event in [
                PlayerEvent.refused(code: "declined", message: "No."),
                .failed(code: "unreachable", message: "No."),
            ] {
                var after = model
                after.apply(event)
                #expect(!words(after).contains(sentence))
            }
        }
    }

    /// Bob, the second in the list, is being asked.
    private func asking() -> ScreenModel {
        var model = ScreenModel(purpose: .join, name: "Ann", key: Scene.ownKey)
        for game in [Self.zoe, Self.bob] { model.apply(.found(game)) }
        #expect(model.apply(.character("2")) == .command(.choose(id: Self.bob.id)))
        return model
    }

    private static let zoe = FoundGame(id: "a1", name: "Zo\u{eb}", key: nil, addresses: [])
    private static let bob = FoundGame(id: "b2", name: "Bob", key: Scene.otherKey, addresses: [])

    @Test func `who is asked is named, and not asked twice`() {
        var model = asking()
        for event in [PlayerEvent.gone(Self.bob), .gone(Self.zoe)] {
            #expect(model.apply(.enter) == .draw)
            #expect(words(model).contains("Asking Bob (k7q2)..."))
            #expect(!words(model).contains("Choose"))
            model.apply(event)
        }
        #expect(words(model).contains("Asking Bob (k7q2)..."))
        #expect(!words(model).contains("ttt host") && !words(model).contains("Looking"))
    }

    @Test func `the cursor stays with who is asked, and is on nobody else`() {
        var model = asking()
        #expect(words(model).contains("\u{25ba} 2 Bob"))
        // A host who is being asked is not announced as open.
        model.apply(.gone(Self.bob))
        #expect(!words(model).contains("\u{25ba}"))
        model.apply(.refused(code: "declined", message: "No."))
        #expect(words(model).contains("\u{25ba} 1 Zo"))
        model.apply(.found(Self.bob))
        #expect(words(model).contains("\u{25ba} 2 Bob"))
        #expect(model.apply(.enter) == .command(.choose(id: Self.bob.id)))
    }

    @Test func `who moves the cursor has it where it was moved`() {
        var model = asking()
        model.apply(.gone(Self.bob))
        _ = model.apply(.up)
        #expect(words(model).contains("\u{25ba} 1 Zo"))
        model.apply(.found(Self.bob))
        #expect(words(model).contains("\u{25ba} 1 Zo"))
    }

    @Test func `it is said who was turned away, and whose question has ended`() {
        for key in [Key.character("n"), .character("N"), .escape] {
            var model = Scene.challengeKnown.model
            _ = model.apply(key)
            #expect(words(model).contains("You said no to Bob (k7q2)."))
            model.apply(.challenged(by: "Eve", key: Scene.ownKey, known: true))
            #expect(!words(model).contains("You said no"))
        }
        var model = Scene.challengeKnown.model
        model.apply(.refused(code: "left", message: "You did not answer within a minute."))
        #expect(words(model).contains("Bob (k7q2): You did not answer within a minute."))
        model = Scene.challengeKnown.model
        _ = model.apply(.character("y"))
        #expect(!words(model).contains("You said no"))
    }

    @Test(arguments: [(24, 80), (20, 40), (15, 30)])
    func `what the other player types is told whole`(_ rows: Int, _ columns: Int) {
        var model = Scene.hostCode.model
        model.size = ScreenSize(rows: rows, columns: columns)
        #expect(words(model).contains("The code is 004 821."))
        #expect(words(model).contains("types one of: ttt join --code"))
        #expect(words(model).contains("ttt join 192.168.1.7:28888 --code"))
    }
}
