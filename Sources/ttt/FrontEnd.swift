// SPDX-License-Identifier: MIT

import Glibc
import MatchEvents
import TerminalUI

/// What shows events to a player and reads what the player wants; used on the main thread alone.
protocol FrontEnd: AnyObject {
    /// Shows an event.
    func show(_ event: PlayerEvent)
    /// Reads what standard input holds; call it when that is readable.
    func read() -> [PlayerCommand]
    /// Follows SIGWINCH, SIGTSTP or SIGCONT.
    func follow(signal: Int32)
    /// In how many milliseconds what is shown changes by itself, then to be drawn with ``redraw()``;
    /// `nil`: not at all.
    var nextChange: UInt64? { get }
    /// Shows what has changed by itself.
    func redraw()
    /// Why output cannot be written, as the system's error number; not if its reader has gone.
    var refusal: Int32? { get }
    /// Whether the player is to see how it ended before this is closed: until a ``PlayerCommand/quit``.
    var keepsEnd: Bool { get }
    /// Puts the terminal back.
    func close()
}

/// Lines on standard output, commands as lines on standard input: plain or JSON.
final class LineFrontEnd: FrontEnd {
    /// How events become lines and lines commands.
    enum Form {
        case json
        case plain(PlainFront)
    }

    private(set) var refusal: Int32?
    private var form: Form
    private var input = LineBuffer()
    private var hasEnded = false

    init(_ form: Form) {
        self.form = form
    }

    func show(_ event: PlayerEvent) {
        // Who forgot to give the program an input wants to know why it ends.
        let event = event == .closed(.quit) && hasEnded ? .closed(.input) : event
        switch form {
        case .json: write(event.jsonLine.map { [$0] } ?? [])
        case .plain(var front):
            front.pass(to: MainLoop.milliseconds())
            write(front.lines(for: event))
            form = .plain(front)
        }
    }

    func read() -> [PlayerCommand] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        hasEnded = count <= 0
        if count > 0 { input.append(buffer[..<count]) } else { input.finish() }
        if case .plain(var front) = form {
            front.pass(to: MainLoop.milliseconds())
            form = .plain(front)
        }
        var commands: [PlayerCommand] = []
        while let line = input.next() {
            if let command = command(line) { commands.append(command) }
        }
        return count > 0 ? commands : commands + [.quit]
    }

    func follow(signal: Int32) {
        if signal == SIGTSTP { kill(getpid(), SIGSTOP) }
    }

    var nextChange: UInt64? { nil }

    func redraw() {}

    let keepsEnd = false

    func close() {}

    private func command(_ line: LineBuffer.Line) -> PlayerCommand? {
        switch (form, line) {
        case (.json, .line(let bytes)):
            do throws(CommandError) {
                return try PlayerCommand(jsonLine: bytes)
            } catch {
                show(error.event)
                return nil
            }
        case (.json, .tooLong):
            show(CommandError.tooLong.event)
            return nil
        case (.plain(let front), .line(let bytes)): return answer(front.read(bytes))
        case (.plain(let front), .tooLong): return answer(front.readTooLong())
        }
    }

    private func answer(_ answer: PlainFront.Answer) -> PlayerCommand? {
        switch answer {
        case .command(let command): return command
        case .lines(let lines):
            write(lines)
            return nil
        }
    }

    private func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        let reason = Output.write(Array((lines.joined(separator: "\n") + "\n").utf8))
        if reason != 0, reason != EPIPE { refusal = reason }
    }
}

/// The screen.
final class ScreenFrontEnd: FrontEnd {
    let refusal: Int32? = nil
    private let terminal: Terminal
    private var model: ScreenModel

    init(_ terminal: Terminal, model: ScreenModel) {
        self.terminal = terminal
        self.model = model
        self.model.size = terminal.size
        draw()
    }

    func show(_ event: PlayerEvent) {
        model.pass(to: MainLoop.milliseconds())
        model.apply(event)
        if model.takeAttention() { terminal.ring() }
        draw()
    }

    func read() -> [PlayerCommand] {
        var commands: [PlayerCommand] = []
        model.pass(to: MainLoop.milliseconds())
        for key in terminal.read() {
            switch model.apply(key) {
            case .none: continue
            case .draw: break
            case .repaint: terminal.repaint()
            case .command(let command): commands.append(command)
            }
        }
        draw()
        return commands
    }

    func follow(signal: Int32) {
        switch signal {
        case SIGWINCH: model.size = terminal.resized()
        case SIGTSTP:
            terminal.suspend()
            model.size = terminal.resume()
        case SIGCONT: model.size = terminal.resume()
        default: return
        }
        draw()
    }

    func close() {
        terminal.close()
        for line in model.farewell(utf8: terminal.glyphs.isUnicode) { print(line) }
    }

    var nextChange: UInt64? { model.nextChange(after: MainLoop.milliseconds()) }

    func redraw() { draw() }

    var keepsEnd: Bool { model.keepsEnd }

    private func draw() {
        model.pass(to: MainLoop.milliseconds())
        terminal.draw(model.render(terminal.glyphs))
        terminal.setTitle(model.title(terminal.glyphs))
    }
}
