// SPDX-License-Identifier: MIT

import CPty
import CVTerm
import Glibc

/// The probe under a pseudo-terminal whose screen libvterm models.
///
/// Waiting always ends on something that happened or fails after ten seconds.
final class PseudoTerminal {
    /// How the program ended.
    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    /// All that the program has written.
    private(set) var written: [UInt8] = []
    /// The commands that the program has reported.
    private(set) var commands = ""
    private var rows: Int32 = 24
    private var columns: Int32 = 80
    private var pty = CPty.pty()
    private var script: (ours: Int32, theirs: Int32) = (-1, -1)
    private let terminal: OpaquePointer
    private let screen: OpaquePointer
    private let seen = UnsafeMutablePointer<vterm_seen>.allocate(capacity: 1)

    init?(_ environment: [String: String], _ arguments: [String] = []) {
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0,
            let path = Self.probe, let terminal = vterm_new(24, 80)
        else { return nil }
        self.terminal = terminal
        script = (sockets[0], sockets[1])
        vterm_set_utf8(terminal, 1)
        screen = vterm_obtain_screen(terminal)
        seen.initialize(to: vterm_seen())
        vterm_watch(screen, seen)
        vterm_screen_enable_altscreen(screen, 1)
        vterm_screen_reset(screen, 1)
        var quiet = environment
        quiet["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
        // Built with a sanitizer, the probe must still die of a signal, not of its report.
        for sanitizer in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            quiet[sanitizer] =
                "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"
        }
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = quiet.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in argv + envp { free(string) } }
        guard pty_spawn(&pty, path, argv, envp, rows, columns, sockets[1]) else { return nil }
    }

    deinit {
        kill(pty.process, SIGKILL)
        waitpid(pty.process, nil, 0)
        for descriptor in [pty.slave, pty.ended, script.ours, script.theirs] { close(descriptor) }
        if pty.master >= 0 { close(pty.master) }
        vterm_free(terminal)
        seen.deallocate()
    }

    /// The probe lies beside the program that runs the tests.
    private static var probe: String? {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for folder in [own.split(separator: "/").dropLast().joined(separator: "/")]
            + CommandLine.arguments.map({
                $0.split(separator: "/").dropLast().joined(separator: "/")
            })
        {
            let candidate = "/\(folder)/terminal-probe"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return nil
    }

    // MARK: - What the person sees

    var text: [String] {
        (0..<rows).map { row in
            var bytes = [CChar](repeating: 0, count: Int(columns) * 12)
            let place = VTermRect(
                start_row: row, end_row: row + 1, start_col: 0, end_col: columns)
            let count = vterm_screen_get_text(screen, &bytes, bytes.count, place)
            return String(
                decoding: bytes[..<Int(count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    func shows(_ part: String) -> Bool { text.contains { $0.contains(part) } }

    func cell(_ row: Int32, _ column: Int32) -> (isReverse: Bool, isBold: Bool, isColored: Bool) {
        var cell = VTermScreenCell()
        vterm_screen_get_cell(screen, VTermPos(row: row, col: column), &cell)
        return (cell.attrs.reverse == 1, cell.attrs.bold == 1, vterm_is_colored(&cell) != 0)
    }

    var cursor: [Int32] {
        var place = VTermPos()
        vterm_state_get_cursorpos(vterm_obtain_state(terminal), &place)
        return [place.row, place.col]
    }

    var title: String { String(cString: vterm_seen_title(seen)) }
    var bells: Int32 { seen.pointee.bells }
    var isAlternate: Bool { seen.pointee.alternate != 0 }
    /// By what was written last: this libvterm takes no notice of two modes in one sequence.
    var listensToMouse: Bool {
        let text = String(decoding: written, as: UTF8.self)
        let last = ["1000h", "1000l"].map { text.ranges(of: $0).last?.lowerBound }
        guard let on = last[0] else { return false }
        return last[1].map { $0 < on } ?? true
    }

    /// Whether settings, cursor, screen, mouse, focus reports, marks around a paste and title are as they were found.
    var isAsBefore: Bool {
        pty_is_as_before(&pty) && seen.pointee.cursor == 1 && !isAlternate && !listensToMouse
            && count("\u{1b}[?1004h") <= count("\u{1b}[?1004l")
            && count("\u{1b}[?2004h") <= count("\u{1b}[?2004l")
            && count("\u{1b}[22;2t") <= count("\u{1b}[23;2t")
    }

    func count(_ sequence: String) -> Int {
        String(decoding: written, as: UTF8.self).ranges(of: sequence).count
    }

    // MARK: - What the person does

    func type(_ text: String) {
        for scalar in text.unicodeScalars {
            vterm_keyboard_unichar(terminal, scalar.value, VTERM_MOD_NONE)
        }
        answer()
    }

    func press(_ key: VTermKey) {
        vterm_keyboard_key(terminal, key, VTERM_MOD_NONE)
        answer()
    }

    func click(_ row: Int32, _ column: Int32) {
        vterm_mouse_move(terminal, row, column, VTERM_MOD_NONE)
        vterm_mouse_button(terminal, 1, true, VTERM_MOD_NONE)
        vterm_mouse_button(terminal, 1, false, VTERM_MOD_NONE)
        answer()
    }

    func focus(_ isIn: Bool) {
        let state = vterm_obtain_state(terminal)
        if isIn { vterm_state_focus_in(state) } else { vterm_state_focus_out(state) }
        answer()
    }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(pty.master, $0.baseAddress, $0.count) }
    }

    func resize(_ rows: Int32, _ columns: Int32) {
        (self.rows, self.columns) = (rows, columns)
        vterm_set_size(terminal, rows, columns)
        _ = pty_resize(&pty, rows, columns)
    }

    /// Sends steps of the probe's script.
    func script(_ steps: String) {
        _ = steps.withCString { write(script.ours, $0, strlen($0)) }
    }

    func signal(_ number: Int32) { kill(pty.process, number) }

    /// Closes the emulator's side, as when a window is closed.
    func hangUp() {
        close(pty.master)
        pty.master = -1
    }

    // MARK: - Waiting

    /// Waits until something is so; whether it became so.
    func wait(for condition: () -> Bool) -> Bool {
        let end = Self.now + 10
        while true {
            read()
            if condition() { return true }
            if Self.now > end { return false }
            var waiting = [pty.master, script.ours].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            poll(&waiting, 2, 50)
        }
    }

    func wait(for part: String) -> Bool { wait { shows(part) } }

    /// Waits for the program's end.
    func end() -> End? {
        var status: Int32 = 0
        guard wait(for: { waitpid(pty.process, &status, WNOHANG) == pty.process }) else {
            return nil
        }
        read()
        return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    /// Waits until the program has been stopped.
    func waitForStop() -> Bool {
        var status: Int32 = 0
        return wait {
            waitpid(pty.process, &status, WNOHANG | WUNTRACED) == pty.process
                && status & 0xff == 0x7f
        }
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while case let count = Glibc.read(pty.master, &bytes, bytes.count), count > 0 {
            written += bytes[..<count]
            _ = bytes.withUnsafeBytes {
                vterm_input_write(
                    terminal, $0.baseAddress?.assumingMemoryBound(to: CChar.self), count)
            }
            answer()
        }
        while case let count = recv(script.ours, &bytes, bytes.count, Int32(MSG_DONTWAIT)),
            count > 0
        {
            commands += String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    /// Sends what the modelled terminal has to say: keys, the mouse, answers to questions.
    private func answer() {
        var bytes = [CChar](repeating: 0, count: 4096)
        while case let count = vterm_output_read(terminal, &bytes, bytes.count), count > 0 {
            _ = write(pty.master, bytes, count)
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
