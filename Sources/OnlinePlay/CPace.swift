// SPDX-License-Identifier: MIT

import CSodium

/// One side of CPACE-RISTR255-SHA512 (draft-irtf-cfrg-cpace-21, initiator-responder setting): two
/// who know one short code get one key, and who does not know it learns from a try only whether it
/// was right.
///
/// Party A speaks first. Names and numbers of sections are the draft's.
package struct CPace {
    /// What each side shows the other to prove that it has the key (§10.4), 64 bytes each.
    package struct Tags {
        /// What this side sends.
        package var own: [UInt8]
        /// What the other side must send.
        package var other: [UInt8]
    }

    /// Which side.
    package enum Party {
        case a
        case b
    }

    /// What the other side is sent, 32 bytes.
    package let share: [UInt8]

    private let secret: [UInt8]
    private let session: [UInt8]
    private let data: [UInt8]
    private let party: Party

    /// Draws a secret, or `nil` if the library fails.
    ///
    /// - Parameters:
    ///   - party: Which side this is.
    ///   - password: The code (PRS).
    ///   - channel: What the code is for (CI).
    ///   - session: Bytes that no other session has (sid).
    ///   - data: What this side wants to be bound to the key (ADa or ADb).
    package init?(
        _ party: Party, password: [UInt8], channel: [UInt8], session: [UInt8], data: [UInt8]
    ) {
        guard Sodium.isReady else { return nil }
        var secret = [UInt8](repeating: 0, count: Self.size)
        crypto_core_ristretto255_scalar_random(&secret)
        self.init(
            party, password: password, channel: channel, session: session, data: data,
            secret: secret)
    }

    /// The same with a given secret, for the draft's test vectors.
    init?(
        _ party: Party, password: [UInt8], channel: [UInt8], session: [UInt8], data: [UInt8],
        secret: [UInt8]
    ) {
        let generator = Self.generator(password: password, channel: channel, session: session)
        guard Sodium.isReady, let share = Self.product(secret, generator) else { return nil }
        self.share = share
        self.secret = secret
        self.session = session
        self.data = data
        self.party = party
    }

    /// The tags, or `nil` if the other side's share is none (§7.2): not 32 bytes, no canonical
    /// point, or the neutral one.
    package func tags(otherShare: [UInt8], otherData: [UInt8]) -> Tags? {
        guard let key = key(otherShare: otherShare, otherData: otherData) else { return nil }
        let macKey = sha512(Array("CPaceMac".utf8) + session + key)
        return Tags(
            own: hmac(macKey, Self.joined(share, data)),
            other: hmac(macKey, Self.joined(otherShare, otherData)))
    }

    /// The intermediate session key ISK, 64 bytes (§7.2).
    func key(otherShare: [UInt8], otherData: [UInt8]) -> [UInt8]? {
        guard let common = Self.product(secret, otherShare) else { return nil }
        let own = Self.joined(share, data)
        let other = Self.joined(otherShare, otherData)
        let name = Self.name + Array("_ISK".utf8)
        return sha512(
            Self.joined(name, session, common) + (party == .a ? own + other : other + own))
    }

    /// The point that both sides compute from the code (§8.1, §7.1).
    static func generator(password: [UInt8], channel: [UInt8], session: [UInt8]) -> [UInt8] {
        let used = joined(password).count + joined(name).count + 1
        let padding = [UInt8](repeating: 0, count: max(0, hashBlock - used))
        let hash = sha512(joined(name, password, padding, channel, session))
        var point = [UInt8](repeating: 0, count: size)
        crypto_core_ristretto255_from_hash(&point, hash)
        return point
    }

    /// Each part behind its length in LEB128 (§6.3).
    static func joined(_ parts: [UInt8]...) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            var rest = UInt(part.count)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
            bytes += part
        }
        return bytes
    }

    private static func product(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8]? {
        guard scalar.count == size, point.count == size else { return nil }
        var result = [UInt8](repeating: 0, count: size)
        // It fails for points that are not canonical and where the result is the neutral one.
        return crypto_scalarmult_ristretto255(&result, scalar, point) == 0 ? result : nil
    }

    private static let name = Array("CPaceRistretto255".utf8)
    private static let size = 32
    /// The input block of SHA-512, in bytes.
    private static let hashBlock = 128
}

/// libsodium as a whole.
enum Sodium {
    /// Whether it can be used; the first look makes it ready.
    static let isReady = sodium_init() >= 0
}

private func sha512(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 64)
    crypto_hash_sha512(&digest, bytes, UInt64(bytes.count))
    return digest
}

private func hmac(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: 64)
    var state = crypto_auth_hmacsha512_state()
    crypto_auth_hmacsha512_init(&state, key, key.count)
    crypto_auth_hmacsha512_update(&state, bytes, UInt64(bytes.count))
    crypto_auth_hmacsha512_final(&state, &tag)
    return tag
}

/// Compares in a time that does not depend on where the two differ.
func areEqualInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && sodium_memcmp(a, b, a.count) == 0
}
