// SPDX-License-Identifier: MIT

/// Somebody at a board: a name to show and the key that signs.
public struct Player: Sendable, Hashable {
    /// What the player wants to be called: at most 64 bytes of UTF-8, shown, never trusted.
    public var name: String
    /// The raw Ed25519 public key: 32 bytes.
    public var publicKey: [UInt8]

    /// Makes a player.
    public init(name: String, publicKey: [UInt8]) {
        self.name = name
        self.publicKey = publicKey
    }
}
