// SPDX-License-Identifier: MIT

import COpenSSL
public import MatchProtocol
public import OnlinePlay

/// OpenSSL's SHA-256, HMAC and Ed25519 for MatchProtocol, which has none itself.
public struct OpenSSLCryptography: Cryptography {
    private let identity: Identity

    /// Signs with this identity's key.
    public init(identity: Identity) {
        self.identity = identity
    }

    /// SHA-256: 32 bytes.
    public func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &digest)
        return digest
    }

    /// HMAC-SHA256: 32 bytes.
    public func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &digest, nil)
        return digest
    }

    /// The signature of the identity: 64 bytes, or `nil` if OpenSSL fails.
    public func sign(_ bytes: [UInt8]) -> [UInt8]? {
        identity.sign(bytes)
    }

    /// Whether the signature is of that key; `false` for anything malformed.
    public func verify(
        _ signature: [UInt8], of bytes: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        guard signature.count == 64, publicKey.count == 32, !Self.isOfSmallOrder(publicKey),
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, 32)
        else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, 64, bytes, bytes.count) == 1
    }

    /// Whether the key is one of the points whose order divides 8, in any encoding: under such a
    /// key one signature fits many texts. The y coordinates, without the sign bit, are those of
    /// "Taming the many EdDSAs" (Chalkias, Garillot, Nikolaenko 2020), table 6.
    static func isOfSmallOrder(_ key: [UInt8]) -> Bool {
        guard key.count == 32 else { return true }
        var y = key
        y[31] &= 0x7f
        return smallOrder.contains(y)
    }

    private static let smallOrder: [[UInt8]] = {
        let zero = [UInt8](repeating: 0, count: 32)
        var one = zero
        one[0] = 1
        // p = 2^255 − 19, little-endian; y = p − 1, p and p + 1.
        var p = [UInt8](repeating: 0xff, count: 32)
        p[0] = 0xed
        p[31] = 0x7f
        var minusOne = p
        minusOne[0] = 0xec
        var plusOne = p
        plusOne[0] = 0xee
        let order8: [UInt8] = [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef,
            0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88,
            0x6d, 0x53, 0xfc, 0x05,
        ]
        let otherOrder8: [UInt8] = [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10,
            0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77,
            0x92, 0xac, 0x03, 0x7a,
        ]
        return [zero, one, minusOne, p, plusOne, order8, otherOrder8]
    }()
}
