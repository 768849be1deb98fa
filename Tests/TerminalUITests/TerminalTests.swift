// SPDX-License-Identifier: MIT

import CVTerm
import Glibc
import Testing

@Suite struct TerminalTests {
    private func open(
        _ environment: [String: String] = ["TERM": "xterm-256color", "LANG": "C.UTF-8"],
        _ arguments: [String] = []
    ) throws -> PseudoTerminal {
        try #require(PseudoTerminal(environment, arguments))
    }

    @Test(
        arguments: [
            "xterm-256color", "xterm", "screen-256color", "tmux-256color", "linux", "vt100",
            "vt220", "xterm-kitty",
        ])
    func `a game can be played with the keys of every terminal`(_ name: String) throws {
        let terminal = try open(["TERM": name, "LANG": "C.UTF-8"])
        #expect(terminal.wait(for: "Opening a game..."))
        terminal.script("h")
        #expect(terminal.wait(for: "ttt join 10.0.0.7:1"))
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        #expect(terminal.shows("\u{2502}") && terminal.shows("\u{2500}"))
        #expect(terminal.shows("Bob \u{65e5} (k7q2)"))
        #expect(terminal.cell(10, 20).isReverse)
        #expect(terminal.cursor == [10, 20])
        terminal.press(VTERM_KEY_DOWN)
        terminal.press(VTERM_KEY_RIGHT)
        terminal.press(VTERM_KEY_ENTER)
        #expect(terminal.wait { terminal.commands == "move(square: 9)\n" })
        terminal.script("m")
        #expect(terminal.wait(for: "\u{2580}\u{2584} \u{2584}\u{2580}"))
        terminal.type("q")
        #expect(terminal.wait(for: "Leave and keep"))
        terminal.type("y")
        #expect(terminal.end() == .exit(0))
        #expect(terminal.isAsBefore)
    }

    @Test func `a sequence that nobody knows, or that is late, plays and offers nothing`() throws {
        let terminal = try open()
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        terminal.send(Array("\u{1b}[1;59~\u{1b}[77;5u\u{1b}".utf8))
        terminal.press(VTERM_KEY_DOWN)
        #expect(terminal.wait { terminal.cursor != [10, 20] })
        terminal.send([0x1b])
        terminal.send(Array("[D".utf8))
        terminal.press(VTERM_KEY_ENTER)
        #expect(terminal.wait { terminal.commands.hasSuffix("\n") })
        #expect(terminal.commands == "move(square: 7)\n")
    }

    @Test func `a pasted text is never keys, and one line where something is said`() throws {
        let terminal = try open()
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        let lines = "5\rgood luck\nr\r\ny\u{4}\r"
        terminal.send(Array("\u{1b}[200~\(lines)\u{1b}[201~".utf8))
        #expect(terminal.wait(for: "Pasted text is not taken as keys."))
        terminal.type("t")
        #expect(terminal.wait(for: "Say: "))
        terminal.send(Array("\u{1b}[200~\(lines)\u{1b}[201~".utf8))
        #expect(terminal.wait(for: "Say: 5 good luck r y"))
        terminal.press(VTERM_KEY_ENTER)
        #expect(terminal.wait { terminal.commands == "say(\"5 good luck r y\")\n" })
    }

    @Test(arguments: ["xterm-256color", "screen-256color", "linux", "vt220"])
    func `the line that is typed has the keys of a line`(_ name: String) throws {
        let terminal = try open(["TERM": name, "LANG": "C.UTF-8"])
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        terminal.type("t")
        #expect(terminal.wait(for: "Say: "))
        terminal.type("one two")
        terminal.send([1])
        terminal.type("a ")
        terminal.press(VTERM_KEY_RIGHT)
        terminal.press(VTERM_KEY_DEL)
        terminal.send([5, 23])
        terminal.type("b")
        #expect(terminal.wait(for: "Say: a oe b"))
        terminal.send([21])
        terminal.type("c")
        terminal.press(VTERM_KEY_ENTER)
        #expect(terminal.wait { terminal.commands == "say(\"c\")\n" })
    }

    @Test(arguments: ["dumb", "unknown", "", "no-such-terminal", nil])
    func `a terminal that cannot draw gets plain lines and is left alone`(_ name: String?) throws {
        var environment = ["LANG": "C.UTF-8"]
        environment["TERM"] = name
        let terminal = try open(environment)
        #expect(terminal.end() == .exit(3))
        #expect(terminal.shows("plain(TerminalUI.Front.Reason.cannotDraw)"))
        #expect(terminal.written.allSatisfy { $0 != 0x1b })
        #expect(terminal.isAsBefore)
    }

    @Test func `a terminal newer than the system's list is taken for xterm if it knows colors`()
        throws
    {
        let terminal = try open([
            "TERM": "brand-new", "COLORTERM": "truecolor", "LANG": "C.UTF-8",
        ])
        #expect(terminal.wait(for: "Opening a game..."))
        terminal.type("q")
        #expect(terminal.end() == .exit(0))
    }

    @Test(arguments: ["C", "POSIX", "no_SUCH.UTF-8"])
    func `in another locale everything is ASCII`(_ locale: String) throws {
        let terminal = try open(["TERM": "xterm-256color", "LANG": locale])
        terminal.script("st")
        #expect(terminal.wait(for: "> Your turn: you are X."))
        #expect(terminal.shows("Bob ? (k7q2)"))
        #expect(terminal.shows("-----------+-----------+-----------"))
        #expect(terminal.written.allSatisfy { $0 < 0x80 })
    }

    @Test func `ascii can be asked for in any locale`() throws {
        let terminal = try open(["TERM": "xterm-256color", "LANG": "C.UTF-8"], ["--ascii"])
        terminal.script("st")
        #expect(terminal.wait(for: "-----------+-----------+-----------"))
    }

    @Test(arguments: ["xterm-256color", "screen-256color"])
    func `a click selects a square and a second one plays it`(_ name: String) throws {
        let terminal = try open(["TERM": name, "LANG": "C.UTF-8"])
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        #expect(terminal.listensToMouse)
        terminal.click(16, 31)
        #expect(terminal.wait(for: "Click again or press Enter to play 9."))
        #expect(terminal.commands.isEmpty)
        terminal.click(14, 27)
        #expect(terminal.wait { terminal.commands == "move(square: 9)\n" })
    }

    @Test func `without the mouse nothing listens to it`() throws {
        let terminal = try open(
            ["TERM": "xterm-256color", "LANG": "C.UTF-8"], ["--no-mouse"])
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        #expect(!terminal.listensToMouse)
    }

    @Test func `every new size is drawn, also one that is too small`() throws {
        let terminal = try open()
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        terminal.resize(20, 60)
        #expect(
            terminal.wait(for: "\u{2500}\u{2500}\u{253c}")
                && terminal.wait { terminal.cell(0, 59).isReverse })
        #expect(terminal.wait { terminal.cursor == [7, 14] })
        terminal.resize(10, 20)
        #expect(terminal.wait(for: "Too small: 20x10"))
        terminal.resize(24, 80)
        #expect(terminal.wait { terminal.cursor == [10, 20] })
        #expect(terminal.shows("Your turn: you are X."))
    }

    @Test(
        arguments: [
            ["NO_COLOR": "1"], ["NO_COLOR": ""], [:],
        ])
    func `colors are used unless NO_COLOR has a value`(_ extra: [String: String]) throws {
        let environment = ["TERM": "xterm-256color", "LANG": "C.UTF-8"]
        let terminal = try open(environment.merging(extra) { $1 })
        #expect(terminal.wait(for: "\u{2580}\u{2584} \u{2584}\u{2580}"))
        #expect(terminal.cell(2, 3).isColored == (extra["NO_COLOR"] ?? "").isEmpty)
        #expect(terminal.cell(2, 3).isBold)
    }

    @Test func `the title says whose turn it is and the bell rings only for who looks elsewhere`()
        throws
    {
        let terminal = try open()
        terminal.script("st")
        #expect(terminal.wait { terminal.title == "ttt: your turn against Bob \u{65e5} (k7q2)" })
        #expect(terminal.bells == 0)
        terminal.focus(false)
        terminal.type("?")
        #expect(terminal.wait(for: "Any key goes on"))
        terminal.script("t")
        #expect(terminal.wait { terminal.bells == 1 })
    }

    @Test func `names that hold escape sequences write none`() throws {
        let terminal = try open()
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        terminal.type("t")
        #expect(terminal.wait(for: "Say: "))
        terminal.send(Array("e\u{301}\u{202e}\u{200b}x".utf8))
        #expect(terminal.wait(for: "Say: e\u{301}x"))
        terminal.press(VTERM_KEY_ENTER)
        #expect(terminal.wait { terminal.commands.hasPrefix("say(") })
    }

    @Test(arguments: ["xterm-256color", "screen-256color", "linux", "vt220"])
    func `what was said can be paged through`(_ name: String) throws {
        let terminal = try open(["TERM": name, "LANG": "C.UTF-8"])
        terminal.script("stl")
        #expect(terminal.wait(for: "Line 30."))
        #expect(!terminal.shows("Line 20."))
        terminal.press(VTERM_KEY_PAGEUP)
        #expect(terminal.wait { terminal.shows("Line 20.") && !terminal.shows("Line 30.") })
        terminal.press(VTERM_KEY_PAGEDOWN)
        #expect(terminal.wait(for: "Line 30."))
    }

    @Test func `Ctrl-L paints everything anew`() throws {
        let terminal = try open()
        #expect(terminal.wait(for: "Opening a game..."))
        let before = terminal.count("Opening a game")
        terminal.send([12])
        #expect(terminal.wait { terminal.count("Opening a game") > before })
    }
}
