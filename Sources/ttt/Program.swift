// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import TerminalUI

/// Why the program cannot go on: a sentence for standard error, and the exit code.
struct Failure: Error {
    var message: String
    var code: ExitCode

    init(_ message: String, _ code: ExitCode) {
        self.message = message
        self.code = code
    }

    init(_ error: OnlineError) {
        let code: ExitCode =
            switch error.code {
            case .secrets: .disk
            case .inUse: .inUse
            default: .unavailable
            }
        self.init(error.description, code)
    }
}

@main
struct Program {
    static let version = "0.1.0"

    static func main() {
        // A reader of the output that goes is told by the write, or not at all.
        signal(SIGPIPE, SIG_IGN)
        do throws(Failure) {
            exit(try run())
        } catch {
            complain(error.message)
            exit(error.code.rawValue)
        }
    }

    private static func run() throws(Failure) -> Int32 {
        let options: Options
        do throws(UsageError) {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            throw Failure(error.message, .usage)
        }
        if options.has(.version) {
            try Output.put("ttt \(version)")
            return 0
        }
        if options.has(.help) {
            try Output.put(options.isBare ? Help.overview : Help.text(for: options.command))
            return 0
        }
        let isUTF8 = takeLocale()
        switch options.command {
        case .play, .host, .join, .resume: return try PlayCommand(options, isUTF8: isUTF8).run()
        case .list: return try ListCommand(options, isUTF8: isUTF8).run()
        case .games: return try GamesCommand(options, isUTF8: isUTF8).run()
        case .peers: return try PeersCommand(options, isUTF8: isUTF8).run()
        case .verify, .show: return try RecordCommand(options, isUTF8: isUTF8).run()
        case .id: return try IDCommand(options).run()
        case .help: return try help(options.operands.first)
        }
    }

    private static func help(_ word: String?) throws(Failure) -> Int32 {
        guard let word else {
            try Output.put(Help.overview)
            return 0
        }
        guard let command = Command(rawValue: word) else {
            throw Failure(UsageError.unknown(command: word).message, .usage)
        }
        try Output.put(Help.text(for: command))
        return 0
    }

    /// Writes to standard error.
    static func say(_ text: String) {
        var bytes = Array(text.utf8)
        write(STDERR_FILENO, &bytes, bytes.count)
    }

    /// Writes one line to standard error.
    static func complain(_ message: String) {
        var line = Array("ttt: \(display(message, columns: 400))\n".utf8)
        write(STDERR_FILENO, &line, line.count)
    }
}
