// SPDX-License-Identifier: MIT

/// Something that is not allowed in the state in which its author was.
///
/// The same rules judge both players: for the one here it is a rejected command, for the one
/// there a broken protocol.
package struct Refused: Error, Sendable, Equatable {
    /// Which kind of mistake.
    package var code: Rejection
    /// A sentence that says what is wrong.
    package var reason: String

    /// Makes the error.
    package init(_ code: Rejection, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
