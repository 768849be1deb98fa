// SPDX-License-Identifier: MIT

/// The text of `ttt help`, made from the tables of commands and options.
enum Help {
    static var overview: String {
        let width = Command.allCases.map(\.rawValue.count).max() ?? 0
        let commands = Command.allCases.map {
            "  ttt \(padded($0.rawValue, to: width))  \($0.summary)"
        }
        return """
            Usage: ttt [COMMAND] [OPTION…]

            Two people, two terminals, one network: a game of tic-tac-toe.
            Run 'ttt' in both terminals and play; 'ttt' alone is 'ttt play'.

            \(commands.joined(separator: "\n"))

            'ttt help COMMAND' shows a command's options.
            """
    }

    static func text(for command: Command) -> String {
        let options = command.options.map { option in
            let value = option.value.map { " \($0)" } ?? ""
            let short = option == .help ? "-h, " : ""
            return (short + "--" + option.rawValue + value, option.summary(for: command))
        }
        let width = options.map(\.0.count).max() ?? 0
        let lines = options.map { "  \(padded($0.0, to: width))  \($0.1)" }
        let operand = command.operand.map { " \($0)" } ?? ""
        let summary = command.summary
        return """
            Usage: ttt \(command.rawValue)\(operand) [OPTION…]

            \(summary.prefix(1).uppercased() + summary.dropFirst()).

            \(lines.joined(separator: "\n"))

            \(command.details)
            """
    }

    private static func padded(_ word: String, to width: Int) -> String {
        word + String(repeating: " ", count: max(0, width - word.count))
    }
}
