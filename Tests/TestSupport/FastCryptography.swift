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

    package func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, start: 1) }

    package func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        digest(digest(key, start: 2) + bytes, start: 3)
    }

    package func sign(_ bytes: [UInt8]) -> [UInt8]? { signature(of: bytes, by: publicKey) }

    package func verify(
        _ signature: [UInt8], of bytes: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        signature == self.signature(of: bytes, by: publicKey)
    }

    private func signature(of bytes: [UInt8], by key: [UInt8]) -> [UInt8] {
        let half = digest(digest(key, start: 4) + bytes, start: 5)
        return half + half
    }

    private func digest(_ bytes: [UInt8], start: UInt64) -> [UInt8] {
        var state = start
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
        state = mixed(state ^ UInt64(bytes.count))
        var random = SeededGenerator(seed: state)
        var result: [UInt8] = []
        for _ in 0..<4 {
            let word = random.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                result.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return result
    }
}

/// A bijection under which every input bit changes about half of the output bits (SplitMix64's).
private func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
}
