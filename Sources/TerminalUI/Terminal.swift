// SPDX-License-Identifier: MIT

import CTerminal
import Glibc

/// The terminal on standard input and output, drawn by ncurses.
///
/// There is one of it in a process, used from one thread at a time: ncurses has one screen and no
/// locks, and the compiler keeps a value that is not `Sendable` where it was made. It waits for
/// nothing: whoever owns it calls ``read()`` when standard input is readable, ``resized()`` on
/// SIGWINCH, ``suspend()`` on SIGTSTP and ``resume()`` on SIGCONT. However the process ends but for
/// SIGKILL, the terminal is put back.
package final class Terminal {
    /// What a player may choose.
    package struct Options: Sendable {
        /// Whether colors may be used; `NO_COLOR` in the environment forbids them too.
        package var color = true
        /// Whether to draw in ASCII whatever the locale.
        package var ascii = false
        /// Whether the mouse is listened to.
        package var mouse = true
        /// Whether the bell may ring.
        package var bell = true

        /// Makes the options of somebody who said nothing.
        package init() {}
    }

    /// What pictures should be made of here.
    package let glyphs: Glyphs
    private let options: Options
    private let hasColor: Bool
    /// Whether the terminal speaks xterm's sequences for title, focus and what is pasted.
    private let isXterm: Bool
    var isFocused = true
    var late = LateSequence()
    var paste = Paste()
    private var title = ""
    private var isOpen = true

    // Push the title; report focus; mark what is pasted. Undone in the reverse order.
    private static let enter = "\u{1b}[22;2t\u{1b}[?1004h\u{1b}[?2004h"
    private static let leave = "\u{1b}[?2004l\u{1b}[?1004l\u{1b}[23;2t"
    private static let mouseOff = "\u{1b}[?1000l\u{1b}[?1002l\u{1b}[?1003l\u{1b}[?1006l"
    static let focusIn: Int32 = 0x1001
    static let focusOut: Int32 = 0x1002
    static let pasteBegins: Int32 = 0x1003
    static let pasteEnds: Int32 = 0x1004

    /// Opens the screen.
    ///
    /// - Throws: ``TerminalError`` if this terminal cannot show one; nothing was changed then.
    package init(_ options: Options, environment: (String) -> String?) throws(TerminalError) {
        guard let name = Self.entry(environment) else { throw .cannotDraw }
        let isUTF8 = terminal_locale()
        terminal_keep()
        guard terminal_open(name) else { throw .cannotDraw }
        isXterm = !["linux", "ansi", "cons", "vt"].contains { name.hasPrefix($0) }
        let undo = isXterm ? Self.mouseOff + Self.leave : Self.mouseOff
        terminal_guard(name.hasPrefix("vt") ? "" : undo)
        guard terminal_prepare() else {
            endwin()
            terminal_in_use(false)
            throw .cannotDraw
        }
        self.options = options
        glyphs = isUTF8 && !options.ascii ? .unicode : .ascii
        hasColor = options.color && (environment("NO_COLOR") ?? "").isEmpty && Self.startColor()
        set_escdelay(25)
        if options.mouse {
            mouseinterval(0)
            mousemask(terminal_press, nil)
        }
        if isXterm {
            define_key("\u{1b}[I", Self.focusIn)
            define_key("\u{1b}[O", Self.focusOut)
            define_key("\u{1b}[200~", Self.pasteBegins)
            define_key("\u{1b}[201~", Self.pasteEnds)
            Self.write(Self.enter)
        }
    }

    deinit {
        close()
    }

    /// The terminal's size now.
    package var size: ScreenSize {
        ScreenSize(rows: Int(terminal_rows()), columns: Int(terminal_columns()))
    }

    // MARK: - Drawing

    /// Shows a picture; ncurses sends only what differs from what is shown.
    package func draw(_ picture: Picture) {
        guard isOpen, !isendwin() else { return }
        erase()
        for (row, runs) in picture.rows.enumerated() {
            move(Int32(clamping: row), 0)
            for run in runs {
                apply(run.style)
                addstr(run.text)
            }
        }
        attr_set(terminal_normal, 0, nil)
        move(Int32(clamping: picture.cursor.row), Int32(clamping: picture.cursor.column))
        refresh()
    }

    /// Makes the next ``draw(_:)`` paint every cell.
    package func repaint() {
        terminal_repaint()
    }

    /// Sets the terminal's title where there is one. Foreign parts must have been through
    /// ``display(_:columns:utf8:)``.
    package func setTitle(_ title: String) {
        guard isXterm, isOpen, title != self.title, !isendwin() else { return }
        self.title = title
        Self.write("\u{1b}]2;\(title)\u{7}")
    }

    /// Rings the bell if the player looks elsewhere.
    package func ring() {
        if options.bell, isOpen, !isFocused { beep() }
    }

    private func apply(_ style: Style) {
        var attributes = style.reverse ? terminal_reverse : terminal_normal
        let pair: Int16
        switch style.ink {
        case .plain: pair = 0
        case .dim: (attributes, pair) = (attributes | terminal_dim, 0)
        case .strong, .bar: (attributes, pair) = (attributes | terminal_bold, 0)
        case .x: (attributes, pair) = (attributes | terminal_bold, 1)
        case .o: (attributes, pair) = (attributes | terminal_bold, 2)
        case .good: (attributes, pair) = (attributes | terminal_bold, 3)
        case .warning: (attributes, pair) = (attributes | terminal_bold, 4)
        }
        attr_set(attributes, hasColor ? pair : 0, nil)
    }

    /// Whether there are colors; the terminal's own background stays.
    private static func startColor() -> Bool {
        guard has_colors(), start_color() == OK else { return false }
        let background: Int16 = use_default_colors() == OK ? -1 : Int16(COLOR_BLACK)
        let inks = [COLOR_CYAN, COLOR_YELLOW, COLOR_GREEN, COLOR_RED]
        for (index, ink) in inks.enumerated() {
            init_pair(Int16(index + 1), Int16(ink), background)
        }
        return true
    }

    // MARK: - Signals and the end

    /// Follows the terminal's new size; draw afterwards.
    package func resized() -> ScreenSize {
        var window = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0,
            window.ws_col > 0
        {
            resizeterm(Int32(window.ws_row), Int32(window.ws_col))
        }
        terminal_repaint()
        return size
    }

    /// Puts the terminal back and stops the process, as ^Z asks.
    package func suspend() {
        putBack()
        kill(getpid(), SIGSTOP)
    }

    /// Takes the terminal again after a stop, however that came about; draw afterwards.
    package func resume() -> ScreenSize {
        guard isOpen else { return size }
        putBack()
        refresh()
        terminal_in_use(true)
        if isXterm {
            Self.write(Self.enter)
            title = ""
        }
        return resized()
    }

    /// Puts the terminal back for good.
    package func close() {
        guard isOpen else { return }
        putBack()
        isOpen = false
    }

    private func putBack() {
        if isendwin() { return }
        if isXterm { Self.write(Self.leave) }
        endwin()
        terminal_in_use(false)
    }

    /// Writes what ncurses knows nothing of; it moves no cursor.
    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    /// The terminfo entry to draw with: the terminal's own, or xterm's for one that is newer than
    /// this system's list.
    private static func entry(_ environment: (String) -> String?) -> String? {
        guard let name = environment("TERM"), !Front.unable.contains(name) else { return nil }
        if terminal_can_draw(name) { return name }
        let isModern = name.hasPrefix("xterm-") || !(environment("COLORTERM") ?? "").isEmpty
        return isModern && terminal_can_draw("xterm-256color") ? "xterm-256color" : nil
    }

    /// Whether the terminal of this environment could show a screen.
    static func canDraw(_ environment: (String) -> String?) -> Bool {
        entry(environment) != nil
    }
}

/// Why there is no screen.
package enum TerminalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The terminal is unknown, or its cursor cannot be moved.
    case cannotDraw

    /// A sentence.
    package var description: String { "This terminal cannot show a screen." }
}
