// SPDX-License-Identifier: MIT

/// What a player draws; X moves first.
public enum Mark: String, Sendable, Hashable, CaseIterable {
    case x = "X"
    case o = "O"

    /// The other player's mark.
    public var other: Mark { self == .x ? .o : .x }
}
