// SPDX-License-Identifier: MIT

package import MatchProtocol

/// Cryptography that is fast, always the same, and worth nothing: whoever knows a public key can
/// sign with it. It notices every change of what was hashed or signed, which is all that tests of
/// the machines need.
package struct FastCryptography: Cryptography {
    /// The key that signs: 32 bytes.
    package let publicKey: [UInt8]

    /// Signs as the player whose public key consists of `byte`.
    package init(key byte: UInt8) {
        publicKey = [UInt8](repeating: byte, count: 32)
    }

    /// A player with this key.
    package func player(named name: String) -> Player {
        Player(name: name, publicKey: publicKey)
    }

    package func sha256(_ bytes: [UInt8]) -> [UInt8] { Digest(bytes, start: 1).bytes }

    package func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        Digest(bytes, after: Digest(key, start: 2), start: 3).bytes
    }

    package func sign(_ bytes: [UInt8]) -> [UInt8]? { signature(of: bytes, by: publicKey) }

    package func verify(
        _ signature: [UInt8], of bytes: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        signature == self.signature(of: bytes, by: publicKey)
    }

    private func signature(of bytes: [UInt8], by key: [UInt8]) -> [UInt8] {
        let half = Digest(bytes, after: Digest(key, start: 4), start: 5).bytes
        return half + half
    }
}

/// 32 bytes that depend on every byte of what they are made of.
private struct Digest {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The digest of the bytes, as if another digest stood before them.
    init(_ bytes: [UInt8], after before: Digest? = nil, start: UInt64) {
        var state = start
        if let words = before?.words {
            for word in [words.0, words.1, words.2, words.3] { state = mixed(state ^ word) }
        }
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset + 8 <= raw.count {
                state = mixed(state ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < raw.count {
                state = mixed(state ^ UInt64(raw[offset]) &+ 0x100)
                offset += 1
            }
        }
        state = mixed(state ^ UInt64(bytes.count + (before == nil ? 0 : 32)))
        var random = SeededGenerator(seed: state)
        words = (random.next(), random.next(), random.next(), random.next())
    }

    var bytes: [UInt8] {
        withUnsafeBytes(of: (words.0, words.1, words.2, words.3)) { [UInt8]($0) }
    }
}

/// A bijection under which every input bit changes about half of the output bits (SplitMix64's).
private func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
}
