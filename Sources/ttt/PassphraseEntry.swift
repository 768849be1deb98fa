// SPDX-License-Identifier: MIT

import Glibc

/// Where a passphrase comes from: the person at the terminal, who does not see it, or the first line
/// of standard input; never the command line, where others can read it.
enum PassphraseEntry {
    /// The shortest passphrase for something new, in bytes: a file that is found can be tried on for
    /// as long as somebody likes.
    private static let shortest = 12
    /// The longest line that is read, in bytes.
    private static let longest = 1_024

    /// How often a person may type a new one that is refused.
    private static let attempts = 3

    /// A passphrase for something new; a person types it twice, and is asked again if it is refused.
    static func new() throws(Failure) -> [UInt8] {
        let tooShort = "A passphrase has \(shortest) bytes or more: some words do."
        guard isatty(STDIN_FILENO) == 1 else {
            let only = try line(nil)
            guard only.count >= shortest else { throw Failure(tooShort, .usage) }
            return only
        }
        var problem = tooShort
        for attempt in 1...attempts {
            let first = try line("New passphrase (\(shortest) bytes or more): ")
            if first.count < shortest {
                problem = tooShort
            } else if first == (try line("The same again: ")) {
                return first
            } else {
                problem = "The two passphrases differ."
            }
            if attempt < attempts { Program.complain(problem) }
        }
        throw Failure(problem, .usage)
    }

    /// A passphrase that exists.
    static func known() throws(Failure) -> [UInt8] {
        try line(isatty(STDIN_FILENO) == 1 ? "Passphrase: " : nil)
    }

    private static func line(_ prompt: String?) throws(Failure) -> [UInt8] {
        guard let prompt else { return try read() }
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else {
            throw Failure("The terminal does not hide what is typed.", .usage)
        }
        // A signal must not leave the terminal mute, so it waits until all is as it was.
        let held = HeldSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            Program.say("\n")
            held.release()
        }
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
            throw Failure("The terminal does not hide what is typed.", .usage)
        }
        Program.say(prompt)
        return try read(held)
    }

    private static func read(_ held: HeldSignals? = nil) throws(Failure) -> [UInt8] {
        guard let line = try inputLine(longest: longest, held: held) else {
            throw Failure("There is no passphrase.", .usage)
        }
        guard line.count < longest else {
            throw Failure("A passphrase has fewer than \(longest) bytes.", .usage)
        }
        return line
    }
}
