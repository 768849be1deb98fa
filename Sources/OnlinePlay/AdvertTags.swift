// SPDX-License-Identifier: MIT

import COpenSSL

/// What an advert shows of one key after another under one salt: ``Fingerprint/advertTag(salt:)``
/// for many, without making everything anew for each.
struct AdvertTags: ~Copyable {
    private let context = EVP_MD_CTX_new()
    private let salt: [UInt8]
    private var digest = [UInt8](repeating: 0, count: 32)

    init(salt: [UInt8]) {
        self.salt = salt
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Whether this is the tag of this key.
    mutating func isTag(_ tag: [UInt8], of fingerprint: Fingerprint) -> Bool {
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1,
            EVP_DigestUpdate(context, salt, salt.count) == 1,
            EVP_DigestUpdate(context, fingerprint.bytes, fingerprint.bytes.count) == 1,
            EVP_DigestFinal_ex(context, &digest, nil) == 1
        else { return false }
        return digest.prefix(8).elementsEqual(tag)
    }
}
