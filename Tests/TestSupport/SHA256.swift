// SPDX-License-Identifier: MIT

/// SHA-256 (FIPS 180-4), for the vectors where OpenSSL is not to be linked.
package func sha256(_ message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    let bits = UInt64(message.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    for start in stride(from: 0, to: padded.count, by: 64) {
        compress(padded[start..<start + 64], into: &state)
    }
    return state.flatMap { word in
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    }
}

/// HMAC-SHA256 (RFC 2104).
package func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var block = key.count > 64 ? sha256(key) : key
    block += [UInt8](repeating: 0, count: 64 - block.count)
    return sha256(block.map { $0 ^ 0x5c } + sha256(block.map { $0 ^ 0x36 } + message))
}

private func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words: [UInt32] = stride(from: block.startIndex, to: block.endIndex, by: 4).map {
        block[$0..<$0 + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for t in 16..<64 {
        let (x, y) = (words[t - 15], words[t - 2])
        let s0 = rotated(x, 7) ^ rotated(x, 18) ^ x >> 3
        let s1 = rotated(y, 17) ^ rotated(y, 19) ^ y >> 10
        words.append(words[t - 16] &+ s0 &+ words[t - 7] &+ s1)
    }
    var v = state
    for t in 0..<64 {
        let s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)
        let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
        let t1 = v[7] &+ s1 &+ choice &+ constants[t] &+ words[t]
        let s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)
        let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
        v = [t1 &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
    }
    for index in 0..<8 { state[index] &+= v[index] }
}

private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
private let constants: [UInt32] = primes(64).map { prime in
    // Of the cube root times 2³², found bit by bit in integers of 128 bits.
    var root: UInt128 = 0
    for bit in stride(from: 34, through: 0, by: -1) {
        let trial = root | 1 << UInt128(bit)
        let (cube, overflow) = (trial * trial).multipliedReportingOverflow(by: trial)
        if !overflow, cube <= UInt128(prime) << 96 { root = trial }
    }
    return UInt32(truncatingIfNeeded: root)
}

private func primes(_ count: Int) -> [Int] {
    var found: [Int] = []
    var candidate = 2
    while found.count < count {
        if found.allSatisfy({ !candidate.isMultiple(of: $0) }) { found.append(candidate) }
        candidate += 1
    }
    return found
}
