// SPDX-License-Identifier: MIT

/// The four functions that the pure modules need from a cryptographic library.
///
/// The real conformance is OpenSSL's; tests also use a fast deterministic one.
public protocol Cryptography: Sendable {
    /// SHA-256: 32 bytes.
    func sha256(_ bytes: [UInt8]) -> [UInt8]
    /// HMAC-SHA256: 32 bytes.
    func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]
    /// Ed25519 with the local player's key: 64 bytes, or `nil` if the library failed.
    func sign(_ bytes: [UInt8]) -> [UInt8]?
    /// Whether `signature` is `publicKey`'s (32 raw bytes) over `bytes`; `false` for anything
    /// malformed and for keys of small order.
    func verify(_ signature: [UInt8], of bytes: [UInt8], by publicKey: [UInt8]) -> Bool
}
