// SPDX-License-Identifier: MIT

import Foundation
import MatchProtocol
import OnlinePlay
import Testing
import TurnBasedPlay

/// The examples of `docs/protocol.md` §5 with the real library, and what it must refuse.
@Suite struct OpenSSLCryptographyTests {
    let cryptography: OpenSSLCryptography
    let identity: Identity

    init() throws {
        identity = try Identity.ephemeral()
        cryptography = OpenSSLCryptography(identity: identity)
    }

    @Test func `hashes are SHA-256 and HMAC-SHA256`() {
        // FIPS 180-4's example and RFC 4231's second.
        #expect(
            Hex.encoded(cryptography.sha256(Array("abc".utf8)))
                == Array("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".utf8))
        let text = Array("what do ya want for nothing?".utf8)
        #expect(
            Hex.encoded(cryptography.hmac(key: Array("Jefe".utf8), text))
                == Array("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843".utf8))
    }

    @Test func `every signature of the document's match is the one of its key`() throws {
        let keys = try Dictionary(
            uniqueKeysWithValues: ["joiner", "host"].map { name in
                (String(name.prefix(1)).uppercased(), try key(name))
            })
        let lines = try block("match")
        #expect(lines.count > 10)
        for line in lines {
            let key = try #require(keys[String(line.prefix(1))])
            let entry = try Entry(line: Array(line.utf8.dropFirst(2)))
            #expect(entry.isSigned(by: key, cryptography: cryptography), "\(line)")
            let other = try #require(keys.values.first { $0 != key })
            #expect(!entry.isSigned(by: other, cryptography: cryptography))
        }
    }

    @Test func `what it signs it verifies, and nothing that differs in a bit`() throws {
        let text = Array("ttt-entry-v1\nhello".utf8)
        let signature = try #require(cryptography.sign(text))
        #expect(cryptography.verify(signature, of: text, by: identity.publicKey))
        for bit in 0..<(64 * 8) {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!cryptography.verify(changed, of: text, by: identity.publicKey))
        }
        #expect(!cryptography.verify(signature, of: text + [0], by: identity.publicKey))
    }

    @Test func `malformed signatures and keys are refused`() throws {
        let text: [UInt8] = [1]
        let signature = try #require(cryptography.sign(text))
        #expect(!cryptography.verify([], of: text, by: identity.publicKey))
        #expect(!cryptography.verify(signature + [0], of: text, by: identity.publicKey))
        #expect(!cryptography.verify(signature, of: text, by: []))
        #expect(!cryptography.verify(signature, of: text, by: identity.publicKey + [0]))
    }

    /// Under the neutral element as key, with R the neutral element and S = 0, every text verifies
    /// with the library alone.
    @Test func `keys of small order are refused`() {
        var neutral = [UInt8](repeating: 0, count: 32)
        neutral[0] = 1
        let signature = neutral + [UInt8](repeating: 0, count: 32)
        #expect(!cryptography.verify(signature, of: [1, 2, 3], by: neutral))
        neutral[31] |= 0x80
        #expect(!cryptography.verify(signature, of: [1, 2, 3], by: neutral))
    }

    private func key(_ name: String) throws -> [UInt8] {
        let line = try #require(try block("fair-start").first { $0.hasPrefix(name + " ") })
        return try #require(Hex.decoded(Array(line.utf8.dropFirst(name.utf8.count + 1))))
    }

    private func block(_ name: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex(of: "```\(name)"))
        return lines[(begin + 1)...].prefix { $0 != "```" }.map { $0 }
    }
}
