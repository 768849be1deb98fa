// SPDX-License-Identifier: MIT

/// What commit and reveal give both players: neither could steer any of it.
package struct FairStart: Sendable, Equatable {
    /// Where the joiner sits.
    package let joiner: Seat
    /// The match id: 16 bytes.
    package let match: [UInt8]
    /// From which each game's seed is made: 32 bytes.
    package let seed: [UInt8]
    /// The 20-bit number that both screens can show.
    package let compare: UInt32

    /// Derives it all from both sides' random bytes (`docs/protocol.md` §5.1).
    package init(
        exporter: [UInt8], joinerRandom: [UInt8], hostRandom: [UInt8],
        cryptography: any Cryptography
    ) {
        let key = cryptography.hmac(key: exporter, joinerRandom + hostRandom)
        func derived(_ word: String) -> [UInt8] {
            cryptography.hmac(key: key, Array(word.utf8))
        }
        joiner = (derived("coin").last ?? 0).isMultiple(of: 2) ? .first : .second
        match = Array(derived("match").prefix(16))
        seed = derived("seed")
        compare = derived("compare").prefix(3).reduce(0) { $0 << 8 | UInt32($1) } >> 4
    }

    /// The promise that the joiner makes before it knows the host's bytes.
    package static func commitment(
        exporter: [UInt8], joinerRandom: [UInt8], cryptography: any Cryptography
    ) -> [UInt8] {
        cryptography.sha256(Array("ttt-commit-v1".utf8) + exporter + joinerRandom)
    }

    /// The 32-byte seed of game number `game`.
    package func seed(ofGame game: UInt32, cryptography: any Cryptography) -> [UInt8] {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: game >> (24 - 8 * $0)) }
        // cannot trap: these are bytes.
        return cryptography.sha256(Array("ttt-seed-v1".utf8) + seed + number)
    }
}
