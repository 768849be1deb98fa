// SPDX-License-Identifier: MIT

import COpenSSL

/// An Ed25519 key that says who this player is, to peers and under records.
///
/// ```swift
/// import OnlinePlay
///
/// let me = try Identity.load(directory: "/home/ann/.config/game")
/// print(me.fingerprint)
/// ```
public struct Identity: Sendable {
    /// What OpenSSL knows of the key.
    // Sendable although the compiler cannot see it: OpenSSL counts references to these three
    // objects atomically, and nothing changes them after init.
    private final class Material: @unchecked Sendable {
        let key: OpaquePointer
        let certificate: OpaquePointer
        let context: TLSContext

        private let lock: LockedFile?

        init?(key: OpaquePointer, lock: LockedFile?) {
            self.lock = lock
            guard let certificate = Identity.makeCertificate(key) else {
                EVP_PKEY_free(key)
                return nil
            }
            guard let context = TLSContext(key: key, certificate: certificate) else {
                X509_free(certificate)
                EVP_PKEY_free(key)
                return nil
            }
            self.key = key
            self.certificate = certificate
            self.context = context
        }

        deinit {
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
    }

    /// The raw 32 bytes of the public key.
    public let publicKey: [UInt8]
    /// Who this is.
    public let fingerprint: Fingerprint
    private let material: Material

    /// Makes the identity whose private key is this 32-byte seed.
    init(seed: [UInt8], lock: LockedFile? = nil) throws(OnlineError) {
        guard openSSLOutlivesExit, seed.count == 32,
            let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count),
            let publicKey = rawPublicKey(key),
            let fingerprint = Fingerprint(publicKey: publicKey),
            let material = Material(key: key, lock: lock)
        else {
            throw OnlineError(.secrets, "OpenSSL makes no key: \(TLSChannel.errorText()).")
        }
        self.publicKey = publicKey
        self.fingerprint = fingerprint
        self.material = material
    }

    /// Makes an identity that nobody will see again after this process.
    public static func ephemeral() throws(OnlineError) -> Identity {
        try Identity(seed: randomBytes(32))
    }

    /// Reads the key from the file `identity` in `directory`, or makes both on first use.
    ///
    /// Several processes may do this at once; all get the same key. The file is locked, shared, for
    /// as long as the identity is in use, so that the key cannot be moved away meanwhile.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`, naming the path and the remedy, when the file
    ///   or the directory belongs to somebody else, is open to others, or is damaged; `inUse` while
    ///   the key is being moved away.
    public static func load(directory: String) throws(OnlineError) -> Identity {
        let (seed, lock) = try IdentityFile(directory: directory).seed()
        return try Identity(seed: seed, lock: lock)
    }

    /// The 64-byte Ed25519 signature over `message`, or `nil` if OpenSSL fails.
    public func sign(_ message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var length = 64
        guard EVP_DigestSignInit(context, nil, nil, nil, material.key) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1,
            length == 64
        else { return nil }
        return signature
    }

    var context: TLSContext { material.context }

    /// A certificate that carries the key and tells nothing: fixed name and dates.
    private static func makeCertificate(_ key: OpaquePointer) -> OpaquePointer? {
        guard let certificate = X509_new() else { return nil }
        var serial = randomBytes(16)
        serial[0] = serial[0] & 0x7f | 1
        let number = BN_bin2bn(serial, 16, nil)
        defer { BN_free(number) }
        let name = X509_get_subject_name(certificate)
        guard X509_set_version(certificate, 2) == 1, number != nil,
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            ASN1_TIME_set_string(X509_getm_notBefore(certificate), "20240101000000Z") == 1,
            ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "peer", -1, -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1,
            X509_set_pubkey(certificate, key) == 1,
            X509_sign(certificate, key, nil) > 0
        else {
            X509_free(certificate)
            return nil
        }
        return certificate
    }
}

/// The 32 bytes of an Ed25519 public key, or `nil` if it is of another kind.
func rawPublicKey(_ key: OpaquePointer) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 32)
    var length = 32
    guard EVP_PKEY_get_id(key) == EVP_PKEY_ED25519,
        EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == 32
    else { return nil }
    return bytes
}

/// How a session is protected.
public enum Security: Sendable {
    /// Not at all: anybody on the way reads and changes everything.
    case plaintext
    /// TLS 1.3 with this key; the other side shows its own.
    case identity(Identity)
}
