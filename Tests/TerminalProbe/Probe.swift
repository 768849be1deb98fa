// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import MatchEvents
import TerminalUI

/// A program that is only a screen: it shows scripted events and writes what the player asks.
///
/// File descriptor 3 is a socket: every byte that arrives is a step of the script, every command goes
/// back as a line. Signals are read from a descriptor, as `ttt` does it.
@main
struct Probe {
    static func main() {
        let front = Front.choose(json: false, plain: false) { environment($0) }
        guard case .screen = front, let terminal = try? Terminal(options, environment: environment)
        else {
            print("plain: \(front)")
            exit(3)
        }
        var probe = Probe(terminal)
        exit(probe.run())
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static var options: Terminal.Options {
        var options = Terminal.Options()
        options.ascii = CommandLine.arguments.contains("--ascii")
        options.mouse = !CommandLine.arguments.contains("--no-mouse")
        options.color = !CommandLine.arguments.contains("--no-color")
        return options
    }

    private let terminal: Terminal
    private var model = ScreenModel(
        purpose: .host, name: "Ann", key: "mfzwizltoq2tnnxgs5dinbsxezltoq2tnnxgs5dinbsxezltoq2t")
    private let signals: Int32
    private var now: UInt64 = 0

    private init(_ terminal: Terminal) {
        self.terminal = terminal
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP] {
            sigaddset(&set, signal)
        }
        // With --no-signals the guard alone stands between a signal and a broken terminal.
        if CommandLine.arguments.contains("--no-signals") { sigemptyset(&set) }
        sigprocmask(SIG_BLOCK, &set, nil)
        signals = signalfd(-1, &set, Int32(SFD_NONBLOCK))
        model.size = terminal.size
    }

    private mutating func run() -> Int32 {
        show()
        while true {
            var waiting = [0, 3, signals].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&waiting, 3, -1) > 0 else { continue }
            if waiting[2].revents != 0, let status = signalled() { return leave(status) }
            if waiting[0].revents != 0 {
                for key in terminal.read() where !take(key) { return leave(0) }
            }
            if waiting[1].revents != 0, !step() { return leave(1) }
            show()
        }
    }

    private func leave(_ status: Int32) -> Int32 {
        terminal.close()
        return status
    }

    private mutating func show() {
        terminal.draw(model.render(terminal.glyphs))
        terminal.setTitle(model.title(terminal.glyphs))
        if model.takeAttention() { terminal.ring() }
    }

    private mutating func take(_ key: Key) -> Bool {
        // Whoever plays here has read the screen.
        now += 1_000
        model.pass(to: now)
        switch model.apply(key) {
        case .none, .draw: break
        case .repaint: terminal.repaint()
        case .command(.quit): return false
        case .command(let command):
            let line = "\(command)\n"
            _ = line.withCString { write(3, $0, strlen($0)) }
        }
        return true
    }

    /// The next signal's exit status, or `nil` if the program goes on.
    private mutating func signalled() -> Int32? {
        var info = signalfd_siginfo()
        while read(signals, &info, MemoryLayout.size(ofValue: info)) > 0 {
            switch Int32(bitPattern: info.ssi_signo) {
            case SIGWINCH: model.size = terminal.resized()
            case SIGTSTP: terminal.suspend()
            case SIGCONT: model.size = terminal.resume()
            case let signal: return 128 + signal
            }
        }
        return nil
    }

    private mutating func step() -> Bool {
        var byte: UInt8 = 0
        guard read(3, &byte, 1) == 1 else { return false }
        switch Unicode.Scalar(byte) {
        case "h":
            model.apply(
                .hosting(
                    Hosting(
                        name: "Ann", port: 1, addresses: ["10.0.0.7:1"], key: "",
                        discovery: "own", code: nil))
            )
        case "c": model.apply(.challenged(by: "Bob", key: "k7q2", known: false))
        case "s":
            model.apply(
                .started(
                    GameStart(
                        match: "00", game: 1, you: "X", opponent: "Bob \u{65e5}", key: "k7q2",
                        known: true, compare: "0412345", board: ".........", resumed: nil)))
        case "t": model.apply(.turn(you: true, ply: 1))
        case "m": model.apply(.moved(ply: 1, mark: "X", square: 9, board: "........X"))
        case "l":
            for line in 1...30 {
                model.apply(.said(by: .opponent, text: "Line \(line)."))
            }
        case "A": abort()
        case "V": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case "T": preconditionFailure("a crash on purpose")
        case "E": exit(5)
        default: break
        }
        return true
    }
}
