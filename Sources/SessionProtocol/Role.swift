// SPDX-License-Identifier: MIT

/// Which end of a connection this is; nothing else distinguishes the two.
public enum Role: Sendable, Hashable {
    /// Opened the connection.
    case initiator
    /// Accepted it.
    case responder
}
