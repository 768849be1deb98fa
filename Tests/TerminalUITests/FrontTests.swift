// SPDX-License-Identifier: MIT

import TerminalUI
import Testing

@Suite struct FrontTests {
    private func choose(
        _ environment: [String: String], json: Bool = false, plain: Bool = false,
        isTerminal: Bool = true
    ) -> Front {
        .choose(json: json, plain: plain, isTerminal: isTerminal) { environment[$0] }
    }

    @Test(arguments: ["xterm-256color", "linux", "vt100", "xterm-no-such", "xterm-kitty"])
    func `a terminal that can draw gets the screen`(_ name: String) {
        #expect(choose(["TERM": name]) == .screen)
    }

    @Test(arguments: ["dumb", "unknown", "", "no-such", "../../etc/passwd"])
    func `one that cannot gets plain lines`(_ name: String) {
        #expect(choose(["TERM": name]) == .plain(.cannotDraw))
        #expect(choose([:]) == .plain(.cannotDraw))
    }

    @Test func `a terminal with colors that nobody knows is taken for xterm`() {
        #expect(choose(["TERM": "no-such", "COLORTERM": "truecolor"]) == .screen)
        #expect(choose(["TERM": "no-such", "COLORTERM": ""]) == .plain(.cannotDraw))
        #expect(choose(["TERM": "dumb", "COLORTERM": "truecolor"]) == .plain(.cannotDraw))
    }

    @Test func `what is asked for comes first, then what input and output are`() {
        let good = ["TERM": "xterm"]
        #expect(choose(good, json: true, plain: true, isTerminal: false) == .json)
        #expect(choose(good, plain: true) == .plain(.asked))
        #expect(choose(good, isTerminal: false) == .plain(.noTerminal))
    }
}
