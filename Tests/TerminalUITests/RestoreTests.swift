// SPDX-License-Identifier: MIT

import Glibc
import Testing

/// Whatever ends the program, the terminal is as it was.
@Suite struct RestoreTests {
    private func open(_ arguments: [String] = []) throws -> PseudoTerminal {
        let terminal = try #require(
            PseudoTerminal(["TERM": "xterm-256color", "LANG": "C.UTF-8"], arguments))
        terminal.script("st")
        #expect(terminal.wait(for: "Your turn: you are X."))
        #expect(!terminal.isAsBefore && terminal.isAlternate && terminal.listensToMouse)
        #expect(terminal.count("\u{1b}[?2004h") == 1)
        return terminal
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `signals that are read end the program in order`(_ signal: Int32) throws {
        let terminal = try open()
        terminal.signal(signal)
        #expect(terminal.end() == .exit(128 + signal))
        #expect(terminal.isAsBefore)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE])
    func `the guard puts the terminal back before a signal kills`(_ signal: Int32) throws {
        let terminal = try open(["--no-signals"])
        terminal.signal(signal)
        #expect(terminal.end() == .signal(signal))
        #expect(terminal.isAsBefore)
    }

    @Test func `keys that make signals do so`() throws {
        let terminal = try open()
        terminal.send([28])
        #expect(terminal.end() == .signal(SIGQUIT))
        #expect(terminal.isAsBefore)
    }

    @Test(
        arguments: [
            ("A", PseudoTerminal.End.signal(SIGABRT)), ("V", .signal(SIGSEGV)), ("E", .exit(5)),
        ])
    func `a crash or an exit in the middle puts it back`(
        _ step: String, _ end: PseudoTerminal.End
    ) throws {
        let terminal = try open()
        terminal.script(step)
        #expect(terminal.end() == end)
        #expect(terminal.isAsBefore)
    }

    @Test func `a failed precondition puts it back`() throws {
        let terminal = try open()
        terminal.script("T")
        let end = terminal.end()
        #expect(end == .signal(SIGILL) || end == .signal(SIGTRAP))
        #expect(terminal.isAsBefore)
    }

    // Under a sanitizer there is no such report.
    @Test(.enabled(if: getenv("TTT_SANITIZER") == nil))
    func `Swift's report of a crash stands on the ordinary screen`() throws {
        let terminal = try #require(
            PseudoTerminal([
                "TERM": "xterm-256color", "LANG": "C.UTF-8",
                "SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no,limit=2,images=none",
            ]))
        terminal.script("sT")
        #expect(terminal.end() != nil)
        #expect(terminal.isAsBefore)
        #expect(terminal.shows("crashed"))
    }

    @Test func `the end of input quits`() throws {
        let terminal = try open()
        terminal.send([4])
        #expect(terminal.end() == .exit(0))
        #expect(terminal.isAsBefore)
    }

    @Test func `a closed window ends the program`() throws {
        let terminal = try open()
        terminal.hangUp()
        #expect(terminal.end() == .exit(128 + SIGHUP) || terminal.end() == .exit(0))
    }

    @Test func `a stopped program leaves the terminal usable and comes back drawn`() throws {
        let terminal = try open()
        terminal.signal(SIGTSTP)
        #expect(terminal.waitForStop())
        #expect(terminal.isAsBefore)
        terminal.signal(SIGCONT)
        #expect(terminal.wait { terminal.isAlternate && terminal.listensToMouse })
        #expect(terminal.wait(for: "Your turn: you are X."))
        terminal.type("5")
        #expect(terminal.wait { terminal.commands == "move(square: 5)\n" })
        terminal.signal(SIGTERM)
        #expect(terminal.end() == .exit(128 + SIGTERM))
        #expect(terminal.isAsBefore)
    }
}
