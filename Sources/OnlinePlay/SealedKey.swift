// SPDX-License-Identifier: MIT

import COpenSSL

/// A player's key under a passphrase, as text that any OpenSSL can read: PKCS #8, encrypted by
/// PBES2 (RFC 8018) with AES-256 and scrypt (RFC 7914).
///
/// Before it stands for whom it is: the cipher does not notice a changed bit by itself.
enum SealedKey {
    /// scrypt's N, r and p: 16 MiB and about a quarter of a second for each guess. (OWASP's advice
    /// for what fits in the 32 MiB that OpenSSL allows.)
    private static let cost: UInt64 = 1 << 14
    private static let blockSize: UInt64 = 8
    private static let lanes: UInt64 = 5
    /// The longest text that is read, in bytes.
    static let longest = 16_384

    private static let label = "fingerprint "

    /// Puts a 32-byte seed under a passphrase, with a few words for people before it; `nil` if
    /// OpenSSL fails.
    static func seal(_ seed: [UInt8], _ passphrase: [UInt8], words: String) -> [UInt8]? {
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count),
            let fingerprint = rawPublicKey(key).flatMap({ Fingerprint(publicKey: $0) })
        else { return nil }
        defer { EVP_PKEY_free(key) }
        guard let plain = EVP_PKEY2PKCS8(key) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(plain) }
        var salt = randomBytes(16)
        let means = PKCS5_pbe2_set_scrypt(
            EVP_aes_256_cbc(), &salt, Int32(salt.count), nil, cost, blockSize, lanes)
        guard let means else { return nil }
        let sealed = characters(passphrase) {
            // Takes `means` over.
            PKCS8_set0_pbe($0, Int32(clamping: passphrase.count), plain, means)
        }
        guard let sealed else {
            X509_ALGOR_free(means)
            return nil
        }
        defer { X509_SIG_free(sealed) }
        guard let output = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(output) }
        guard PEM_write_bio_PKCS8(output, sealed) == 1 else { return nil }
        var text = [UInt8](repeating: 0, count: longest)
        let count = BIO_read(output, &text, Int32(text.count))
        guard count > 0 else { return nil }
        let head = "\(words)\n\(label)\(fingerprint)\n"
        return Array(head.utf8) + text[..<Int(count)]
    }

    /// Why a sealed key is not opened.
    enum Failure: Error {
        /// It is no such key.
        case noKey
        /// The passphrase is another one.
        case wrongPassphrase
        /// It is not the key that the text says it is.
        case damaged
    }

    /// The seed that was sealed.
    static func open(_ text: [UInt8], _ passphrase: [UInt8]) throws(Failure) -> [UInt8] {
        guard let input = BIO_new_mem_buf(text, Int32(clamping: text.count)) else { throw .noKey }
        defer { BIO_free(input) }
        defer { ERR_clear_error() }
        guard let sealed = PEM_read_bio_PKCS8(input, nil, nil, nil) else { throw .noKey }
        defer { X509_SIG_free(sealed) }
        guard hasOurCost(sealed) else { throw .noKey }
        let plain = characters(passphrase) {
            PKCS8_decrypt(sealed, $0, Int32(clamping: passphrase.count))
        }
        guard let plain else { throw .wrongPassphrase }
        defer { PKCS8_PRIV_KEY_INFO_free(plain) }
        guard let key = EVP_PKCS82PKEY(plain) else { throw .wrongPassphrase }
        defer { EVP_PKEY_free(key) }
        var seed = [UInt8](repeating: 0, count: 32)
        var length = seed.count
        guard let publicKey = rawPublicKey(key),
            EVP_PKEY_get_raw_private_key(key, &seed, &length) == 1, length == 32
        else { throw .noKey }
        guard let said = fingerprint(of: text) else { return seed }
        guard said == Fingerprint(publicKey: publicKey) else { throw .damaged }
        return seed
    }

    /// Whether it takes as long to open as what is sealed here: whoever wrote it could else have it
    /// take hours. Of what says how it was sealed only salt and initial vector, 16 bytes each, may
    /// be others; where they stand shows in what two pairs of them change.
    private static func hasOurCost(_ sealed: OpaquePointer) -> Bool {
        var means: UnsafePointer<X509_ALGOR>?
        X509_SIG_get0(sealed, &means, nil)
        guard let low = encoded(salt: 0), let high = encoded(salt: 0xff),
            let given = encoded(means), given.count == low.count
        else { return false }
        return given.indices.allSatisfy { low[$0] != high[$0] || given[$0] == low[$0] }
    }

    /// How a key is sealed here, in DER, with every byte of salt and initial vector this one.
    private static func encoded(salt byte: UInt8) -> [UInt8]? {
        var bytes = [UInt8](repeating: byte, count: 16)
        var vector = bytes
        let means = PKCS5_pbe2_set_scrypt(
            EVP_aes_256_cbc(), &bytes, 16, &vector, cost, blockSize, lanes)
        defer { X509_ALGOR_free(means) }
        return encoded(means)
    }

    private static func encoded(_ means: UnsafePointer<X509_ALGOR>?) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_ALGOR(means, &start)
        defer { CRYPTO_free(start, #file, 0) }
        guard count > 0, let start else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// Whose key a sealed one says it is.
    static func fingerprint(of text: [UInt8]) -> Fingerprint? {
        let line = text.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }.first { $0.hasPrefix(label) }
        return line.flatMap { Fingerprint(parsing: String($0.dropFirst(label.count))) }
    }

    private static func characters<Result>(
        _ bytes: [UInt8], _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress) }
    }
}
