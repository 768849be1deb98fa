// SPDX-License-Identifier: MIT

import COpenSSL

/// Who a peer is: the SHA-256 of its public key (`docs/protocol.md` §2).
public struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Makes a fingerprint, or `nil` if there are not exactly 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The fingerprint of an Ed25519 public key; `nil` unless that has 32 bytes.
    public init?(publicKey: [UInt8]) {
        guard publicKey.count == 32 else { return nil }
        self.init(sha256(Self.keyPrefix + publicKey))
    }

    /// Reads the written form, in either case; `nil` if it is none.
    public init?(parsing text: String) {
        guard text.utf8.count == 52 else { return nil }
        var bytes: [UInt8] = []
        var bits = 0
        var buffer: UInt32 = 0
        for letter in text.utf8 {
            guard let value = Self.value(of: letter) else { return nil }
            buffer = (buffer << 5 | value) & 0xfff
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        // 52 letters are 260 bits: the last four must be nothing.
        guard buffer & 0xf == 0 else { return nil }
        self.init(bytes)
    }

    /// 52 letters of lower-case base32.
    public var description: String {
        var text: [UInt8] = []
        var bits = 0
        var buffer: UInt32 = 0
        for byte in bytes + [0] {
            buffer = (buffer << 8 | UInt32(byte)) & 0xfff
            bits += 8
            while bits >= 5, text.count < 52 {
                bits -= 5
                text.append(Self.letters[Int(buffer >> UInt32(bits)) & 31])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The first four letters, for showing beside a name.
    public var tag: String { String(description.prefix(4)) }

    /// What an advert shows of this fingerprint: the first 8 bytes of SHA-256(`salt` ‖ bytes).
    public func advertTag(salt: [UInt8]) -> [UInt8] {
        Array(sha256(salt + bytes).prefix(8))
    }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter) - 0x61
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter) - 0x41
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(letter) - 0x32 + 26
        default: nil
        }
    }

    /// What stands before the 32 bytes of an Ed25519 key in a DER SubjectPublicKeyInfo.
    private static let keyPrefix: [UInt8] = [
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
}

/// SHA-256 of `bytes`.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    _ = openSSLOutlivesExit
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256(bytes, bytes.count, &digest)
    return digest
}
