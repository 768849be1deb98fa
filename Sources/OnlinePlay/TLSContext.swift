// SPDX-License-Identifier: MIT

import COpenSSL

/// The settings that all TLS connections with one key share (`docs/protocol.md` §2).
// Sendable although the compiler cannot see it: after init OpenSSL only reads an SSL_CTX, apart
// from reference counts, which are atomic.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// OpenSSL's macros of these names do not reach Swift.
    private static let modeCommand: Int32 = 33
    private static let releaseBuffers = 0x10
    private static let noCompression: UInt64 = 1 << 17
    private static let noRenegotiation: UInt64 = 1 << 30

    /// `online-play/1` with its length before it, as the wire has it.
    static let protocolName: [UInt8] = [13] + Array("online-play/1".utf8)

    init?(key: OpaquePointer, certificate: OpaquePointer) {
        guard let context = SSL_CTX_new(TLS_method()) else { return nil }
        pointer = context
        SSL_CTX_set_options(context, Self.noCompression | Self.noRenegotiation)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // A peer's certificate has less than 400 bytes; OpenSSL's limit would be 100 KiB.
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, 4_096, nil)
        // An idle session keeps no buffers.
        SSL_CTX_ctrl(context, Self.modeCommand, Self.releaseBuffers, nil)
        guard Self.setVersion(context, SSL_CTRL_SET_MIN_PROTO_VERSION),
            Self.setVersion(context, SSL_CTRL_SET_MAX_PROTO_VERSION),
            SSL_CTX_set_ciphersuites(
                context, "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256") == 1,
            Self.setList(context, SSL_CTRL_SET_GROUPS_LIST, "X25519"),
            Self.setList(context, SSL_CTRL_SET_SIGALGS_LIST, "ed25519"),
            Self.setList(context, SSL_CTRL_SET_CLIENT_SIGALGS_LIST, "ed25519"),
            SSL_CTX_set_num_tickets(context, 0) == 1,
            SSL_CTX_set_max_early_data(context, 0) == 1,
            SSL_CTX_use_certificate(context, certificate) == 1,
            SSL_CTX_use_PrivateKey(context, key) == 1,
            SSL_CTX_set_alpn_protos(
                context, Self.protocolName, UInt32(Self.protocolName.count)) == 0
        else { return nil }
        SSL_CTX_set_verify(
            context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(context, { store, _ in verify(store) }, nil)
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, count, _ in select(chosen, length, offered, count) }, nil)
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    private static func setVersion(_ context: OpaquePointer, _ which: Int32) -> Bool {
        SSL_CTX_ctrl(context, which, Int(TLS1_3_VERSION), nil) == 1
    }

    private static func setList(_ context: OpaquePointer, _ which: Int32, _ list: String) -> Bool {
        list.withCString { text in
            SSL_CTX_ctrl(context, which, 0, UnsafeMutableRawPointer(mutating: text)) == 1
        }
    }
}

/// Judges the peer's certificate in place of OpenSSL's chain building: there must be one, with an
/// Ed25519 key. Names, dates and extensions are not looked at.
private func verify(_ store: OpaquePointer?) -> Int32 {
    guard let store, let leaf = X509_STORE_CTX_get0_cert(store),
        let key = X509_get0_pubkey(leaf), EVP_PKEY_get_id(key) == EVP_PKEY_ED25519
    else { return 0 }
    let chain = X509_STORE_CTX_get0_untrusted(store)
    guard chain == nil || OPENSSL_sk_num(chain) == 1 else { return 0 }
    X509_STORE_CTX_set_error(store, X509_V_OK)
    return 1
}

/// Agrees to `online-play/1` if the client offers it, and else ends the handshake.
private func select(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ count: UInt32
) -> Int32 {
    guard let chosen, let length, let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let name = TLSContext.protocolName
    var index = 0
    // OpenSSL has checked that the lengths add up; the bounds are checked here all the same.
    while index < Int(count) {
        let size = Int(offered[index])
        guard index + 1 + size <= Int(count) else { break }
        let found = UnsafeBufferPointer(start: offered + index, count: 1 + size)
        if found.elementsEqual(name) {
            chosen.pointee = offered + index + 1
            // cannot trap: it was one byte.
            length.pointee = UInt8(size)
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + size
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
