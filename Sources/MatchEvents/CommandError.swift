// SPDX-License-Identifier: MIT

/// Why a line is no command.
public struct CommandError: Error, Sendable, Equatable {
    /// What is wrong, as a stable word.
    public enum Code: String, Sendable, Equatable {
        /// Not one JSON object.
        case malformed
        /// `do` is missing or names nothing that can be done.
        case unknown
        /// A field is missing or has the wrong type.
        case type
        /// A field's value is not one of those allowed.
        case range
        /// The line has more than ``LineBuffer/longestLine`` bytes.
        case long
    }

    /// What is wrong.
    public let code: Code
    /// A sentence for people.
    public let message: String

    /// Makes the error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error as the player is told it.
    public var event: PlayerEvent { .failed(code: code.rawValue, message: message) }
}
