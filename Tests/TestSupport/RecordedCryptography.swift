// SPDX-License-Identifier: MIT

import MatchProtocol

/// Real hashes with signatures that were made elsewhere.
package struct RecordedCryptography: Cryptography {
    /// Signatures by what they sign.
    package let signatures: [[UInt8]: [UInt8]]

    /// Signs what is in `signatures` and nothing else.
    package init(signatures: [[UInt8]: [UInt8]]) { self.signatures = signatures }

    package func sha256(_ bytes: [UInt8]) -> [UInt8] { TestSupport.sha256(bytes) }

    package func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { hmacSHA256(key: key, bytes) }

    package func sign(_ bytes: [UInt8]) -> [UInt8]? { signatures[bytes] }

    package func verify(
        _ signature: [UInt8], of bytes: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        signatures[bytes] == signature
    }
}
