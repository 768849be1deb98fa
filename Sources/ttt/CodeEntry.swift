// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay

/// Where a code that another player read out comes from: `TTT_CODE`, the person at the terminal, or
/// the first line of standard input.
struct CodeEntry {
    /// How often a person may mistype.
    private static let attempts = 3
    /// The longest line that is read, in bytes.
    private static let longest = 80

    private let given: String?

    /// Takes `TTT_CODE` out of the environment, so that no program started from here gets it.
    init() {
        given = Settings.variable("TTT_CODE")
        unsetenv("TTT_CODE")
    }

    /// The code, which must be there.
    func code() throws(Failure) -> Passcode {
        if let given { return try Self.parsed(given) }
        guard isatty(STDIN_FILENO) == 1 else {
            guard let line = try Self.line() else {
                throw Failure("--code needs the code: in TTT_CODE, or on standard input.", .usage)
            }
            return try Self.parsed(line)
        }
        let prompt = "The code that the host's screen shows: "
        guard let code = try Self.asked(prompt, isNeeded: true) else {
            throw Failure("There is no code.", .usage)
        }
        return code
    }

    /// The code, or `nil` if there is none, as nobody can be asked or a person says so.
    func codeIfAny() throws(Failure) -> Passcode? {
        if let given { return try Self.parsed(given) }
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        return try Self.asked(
            "The other player's code, or Enter to open a game with a new one: ", isNeeded: false)
    }

    private static func asked(
        _ prompt: String, isNeeded: Bool
    ) throws(Failure) -> Passcode? {
        for attempt in 1...attempts {
            var text = Array(prompt.utf8)
            write(STDERR_FILENO, &text, text.count)
            guard let line = try line() else {
                throw Failure("There is no code.", .usage)
            }
            if let code = Passcode(parsing: line) { return code }
            if line.isEmpty, !isNeeded { return nil }
            if attempt < attempts { Program.complain("A code has six digits.") }
        }
        return try parsed("")
    }

    private static func parsed(_ text: String) throws(Failure) -> Passcode {
        guard let code = Passcode(parsing: text) else {
            throw Failure("A code has six digits.", .usage)
        }
        return code
    }

    private static func line() throws(Failure) -> String? {
        try inputLine(longest: longest).map { String(decoding: $0, as: UTF8.self) }
    }
}
