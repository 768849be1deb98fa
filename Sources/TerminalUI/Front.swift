// SPDX-License-Identifier: MIT

import CTerminal
import Glibc

/// How events are shown and commands read.
package enum Front: Sendable, Equatable {
    /// The screen.
    case screen
    /// A line an event.
    case plain(Reason)
    /// JSON lines.
    case json

    /// Why lines are plain.
    package enum Reason: Sendable, Equatable {
        /// The player wants it so.
        case asked
        /// Standard input or output is no terminal.
        case noTerminal
        /// The terminal is unknown, or its cursor cannot be moved.
        case cannotDraw
    }

    /// Names of terminals that say themselves that they can do nothing.
    static let unable: Set<String> = ["", "dumb", "unknown"]

    /// Chooses by what the player asked for and what the terminal can do.
    ///
    /// - Parameters:
    ///   - json: Whether `--json` was given; it comes before everything.
    ///   - plain: Whether `--plain` was given.
    ///   - isTerminal: Whether standard input and output are both terminals.
    ///   - environment: Reads a variable.
    /// - Returns: The front end to start with; opening the screen may still fail.
    package static func choose(
        json: Bool, plain: Bool, isTerminal: Bool = isatty(0) == 1 && isatty(1) == 1,
        environment: (String) -> String?
    ) -> Front {
        if json { return .json }
        if plain { return .plain(.asked) }
        if !isTerminal { return .plain(.noTerminal) }
        return Terminal.canDraw(environment) ? .screen : .plain(.cannotDraw)
    }
}

/// Takes the environment's locale for characters; whether its encoding is UTF-8. Call it once,
/// before any text is shown.
package func takeLocale() -> Bool {
    terminal_locale()
}
