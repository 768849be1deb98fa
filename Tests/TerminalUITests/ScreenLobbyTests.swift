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

    @Test(arguments: [(24, 80), (20, 40), (15, 30)])
    func `what the other player types is told whole`(_ rows: Int, _ columns: Int) {
        var model = Scene.hostCode.model
        model.size = ScreenSize(rows: rows, columns: columns)
        #expect(words(model).contains("The code is 004 821."))
        #expect(words(model).contains("types one of: ttt join --code"))
        #expect(words(model).contains("ttt join 192.168.1.7:28888 --code"))
    }
}
