// SPDX-License-Identifier: MIT

/// A player on this user's list, as a list of players shows it.
public struct PeerSummary: Sendable, Equatable {
    /// The fingerprint.
    public var key: String
    /// What the player called itself when last met.
    public var name: String
    /// What the user calls it.
    public var petname: String?
    /// Whether the user wants nothing of it.
    public var isBlocked: Bool
    /// When it was first met, in seconds since 1970; 0 if it never was.
    public var first: Int64
    /// When it was last met, in seconds since 1970; 0 if it never was.
    public var last: Int64

    /// Makes the value.
    public init(
        key: String, name: String, petname: String?, isBlocked: Bool, first: Int64, last: Int64
    ) {
        self.key = key
        self.name = name
        self.petname = petname
        self.isBlocked = isBlocked
        self.first = first
        self.last = last
    }

    /// The summary as one JSON object in one line.
    public var jsonLine: String {
        var object = JSONObject()
        object.set("key", key)
        object.set("name", name)
        object.set("petname", petname)
        object.set("blocked", isBlocked)
        object.set("first", Int(first))
        object.set("last", Int(last))
        return object.line
    }
}
