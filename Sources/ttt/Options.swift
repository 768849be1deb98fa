// SPDX-License-Identifier: MIT

import CArguments
import Glibc
import OnlinePlay

/// A command line that cannot be obeyed; `message` is one sentence.
struct UsageError: Error {
    var message: String
}

/// What a person may write behind a command.
enum Option: String, CaseIterable {
    case name, port, bind, hidden, accept, code, clock, plain, json, ascii, sgf, from
    case noColor = "no-color"
    case noMouse = "no-mouse"
    case noBell = "no-bell"
    case help, version

    /// The word for the option's value, or `nil` if it takes none.
    var value: String? {
        switch self {
        case .name: "NAME"
        case .port: "PORT"
        case .bind: "ADDRESS"
        case .accept: "ask|known|all"
        case .clock: "TIME+MORE"
        case .from: "FILE"
        default: nil
        }
    }

    /// What it does with a command.
    func summary(for command: Command) -> String {
        switch (self, command) {
        case (.code, .host): "let in only who types the code that is shown here"
        case (.code, .join): "the host wants a code, which you are asked for"
        case (.name, .id): "keep this name for later games"
        default: summary
        }
    }

    private var summary: String {
        switch self {
        case .name: "what the other player sees you as"
        case .port: "listen on this port (28888, or a free one)"
        case .bind: "listen on this address only"
        case .hidden: "do not advertise the game"
        case .code: "type their code, or let in only who types yours"
        case .accept: "whom to play: ask first, known players, or all"
        case .clock: "time for a game, and more for each move: 5m+3"
        case .plain: "lines of text instead of the screen"
        case .json: "one JSON object a line, for programs"
        case .ascii: "draw with ASCII only"
        case .sgf: "write SGF, for other programs"
        case .from: "take in the identity that another machine moved into FILE"
        case .noColor: "no color"
        case .noMouse: "leave the mouse to the terminal"
        case .noBell: "no bell"
        case .help: "show this help"
        case .version: "show the version"
        }
    }
}

/// The commands of the program.
enum Command: String, CaseIterable {
    case play, host, join, resume, list, games, peers, verify, show, id, help

    var operand: String? {
        switch self {
        case .join: "[NAME | HOST[:PORT] | ttt://HOST:PORT]"
        case .resume: "[MATCH]"
        case .peers: "[name KEY NAME | forget KEY | block KEY | unblock KEY]"
        case .verify: "FILE|MATCH [FILE|MATCH]"
        case .show: "FILE|MATCH"
        case .id: "[move FILE | move --from FILE]"
        case .help: "[COMMAND]"
        default: nil
        }
    }

    /// How many operands it takes.
    var operands: ClosedRange<Int> {
        switch self {
        case .join, .resume, .help: 0...1
        case .peers: 0...3
        case .id: 0...2
        case .verify: 1...2
        case .show: 1...1
        default: 0...0
        }
    }

    var summary: String {
        switch self {
        case .play: "join the open game on this network, or open one and wait"
        case .host: "open a game and wait for somebody to join"
        case .join: "join a game by its name or address, or one that is found"
        case .resume: "go on with a match that was kept, the last one if none is named"
        case .list: "list the open games on this network"
        case .games: "list the matches on this disk"
        case .peers: "list the players you have met; name, forget, block or unblock one"
        case .verify: "say what a record proves, or what two of one match prove together"
        case .show: "print the games of a record"
        case .id: "show your name and fingerprint, or move to another machine"
        case .help: "show help on a command"
        }
    }

    var options: [Option] {
        let front: [Option] = [.plain, .json, .ascii, .noColor, .noMouse, .noBell]
        switch self {
        case .play, .host:
            return [.name, .port, .bind, .hidden, .accept, .code, .clock] + front + [.help]
        case .join: return [.name, .code, .clock] + front + [.help]
        case .resume: return [.name, .port, .bind, .hidden] + front + [.help]
        case .list, .games, .peers, .verify: return [.json, .help]
        case .show: return [.sgf, .help]
        case .id: return [.name, .from, .help]
        case .help: return [.help]
        }
    }
}

/// A command line, taken apart.
struct Options {
    var command = Command.play
    var values: [Option: String] = [:]
    var operands: [String] = []
    /// Whether no command was named.
    var isBare = true

    func has(_ option: Option) -> Bool { values[option] != nil }

    /// Takes the words behind the program's name apart with getopt_long.
    init(_ words: [String]) throws(UsageError) {
        var words = words
        if let first = words.first, !first.hasPrefix("-") {
            guard let command = Command(rawValue: first) else {
                throw UsageError.unknown(command: first)
            }
            self.command = command
            isBare = false
            words.removeFirst()
        }
        let allowed = command.options + [.version]
        try scan(words, allowed: allowed)
        if has(.code), operands.contains(where: { Passcode(parsing: $0) != nil }) {
            throw .codeInArguments
        }
        // What a shell makes of DIRECTORY/* has the locks of the records too, which are empty.
        if command == .verify || command == .show { operands.removeAll { $0.hasSuffix(".lock") } }
        if operands.count > command.operands.upperBound {
            throw UsageError(message: "I do not know what to do with '\(operands.last ?? "")'.")
        }
        // Help and version are given without operands too.
        if operands.count < command.operands.lowerBound, !has(.help), !has(.version) {
            throw UsageError(
                message: "'ttt \(command.rawValue)' needs a file or a match: "
                    + "ttt \(command.rawValue) \(command.operand ?? "")")
        }
    }

    private mutating func scan(_ words: [String], allowed: [Option]) throws(UsageError) {
        let names = allowed.map { strdup($0.rawValue) }
        var argv = (["ttt"] + words).map { strdup($0) } + [nil]
        defer {
            names.forEach { free($0) }
            argv.forEach { free($0) }
        }
        var table = zip(allowed, names).enumerated().map { index, entry in
            option(
                name: UnsafePointer(entry.1), has_arg: entry.0.value == nil ? 0 : 1, flag: nil,
                val: Int32(index + 1))
        }
        table.append(option())
        // getopt_long may reorder argv, so what is freed later are the pointers wherever they are.
        let count = Int32(argv.count - 1)
        arguments_reset()
        while true {
            let found = getopt_long(count, &argv, ":h", table, nil)
            if found == -1 { break }
            if found == Int32(UInt8(ascii: "h")) {
                values[.help] = ""
            } else if found >= 1, Int(found) <= allowed.count {
                let value = arguments_value().map { String(cString: $0) }
                values[allowed[Int(found) - 1]] = value ?? ""
            } else {
                let index = max(1, min(Int(arguments_index()) - 1, argv.count - 2))
                let word = argv[index].map { String(cString: $0) } ?? ""
                guard !word.utf8.starts(with: "--code=".utf8) else { throw .codeInArguments }
                let needsValue = found == Int32(UInt8(ascii: ":"))
                throw UsageError(
                    message: needsValue
                        ? "\(word) needs a value."
                        : "'ttt \(command.rawValue)' has no option \(word).")
            }
        }
        operands = argv[min(Int(arguments_index()), argv.count - 1)...]
            .compactMap { $0.map { String(cString: $0) } }
    }
}

extension UsageError {
    /// Everybody on the machine can read command lines.
    static var codeInArguments: UsageError {
        UsageError(
            message: "A code does not belong on a command line, where others can read it. "
                + "Type it when you are asked, or set TTT_CODE.")
    }

    /// There is no such command; names the nearest one.
    static func unknown(command word: String) -> UsageError {
        let near = Command.allCases.map(\.rawValue).min {
            distance($0, word) < distance($1, word)
        }
        if let near, distance(near, word) <= 2 {
            return UsageError(message: "There is no '\(word)'. Did you mean 'ttt \(near)'?")
        }
        return UsageError(message: "There is no command '\(word)'. 'ttt help' lists them.")
    }

    /// The edit distance of two words (Levenshtein 1966), for "did you mean".
    private static func distance(_ a: String, _ b: String) -> Int {
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var previous = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let cost = x == y ? previous : min(previous, row[j], row[j + 1]) + 1
                previous = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[b.count]
    }
}
