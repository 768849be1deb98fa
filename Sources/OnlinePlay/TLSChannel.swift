// SPDX-License-Identifier: MIT

import COpenSSL
package import SessionProtocol

/// TLS 1.3 as a machine for bytes: it does not know what carries them.
///
/// Inputs: ``receive(_:scratch:deliver:)``, `encrypt(_:)`, `close()`.
/// Output: ``withCiphertext(scratch:_:)``, which holds something after any of them.
package final class TLSChannel {
    /// What came of received bytes.
    package enum Outcome: Equatable {
        /// More may come.
        case going
        /// The peer has said, in TLS, that nothing more comes.
        case finished
        /// The peer broke TLS, or would not have our certificate or protocol.
        case failed(String)
    }

    /// What an exporter is for.
    enum ExporterLabel: String {
        case opening = "EXPORTER-ttt-open-v1"
        case code = "EXPORTER-ttt-pake-v1"
    }

    /// Bytes for the transport beyond which nothing more is received: twice what a session hands
    /// over at a time. Besides that only answers to the peer's key updates wait there, each of which
    /// it can have for a few bytes of its own (RFC 8446 §4.6.3).
    static let mostPending = 131_072

    let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    /// The peer's 32-byte key, once the handshake is done.
    private(set) var peerKey: [UInt8]?
    /// Whether hands are shaken: the peer has proved that it holds its key.
    package private(set) var isEstablished = false
    /// Whether one side has broken TLS: nothing goes in or out any more, but for an alert.
    private(set) var hasFailed = false
    /// Whether ``encrypt(_:)`` takes something.
    var canEncrypt: Bool { isEstablished && !hasFailed }

    /// Makes one end of a connection, for the holder of this key; `nil` if memory is short.
    package init?(_ identity: Identity, role: Role) {
        guard let ssl = SSL_new(identity.context.pointer) else { return nil }
        guard let incoming = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            return nil
        }
        guard let outgoing = BIO_new(BIO_s_mem()) else {
            BIO_free(incoming)
            SSL_free(ssl)
            return nil
        }
        self.ssl = ssl
        self.incoming = incoming
        self.outgoing = outgoing
        // An empty buffer means "not yet", not "the end".
        BIO_ctrl(incoming, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        BIO_ctrl(outgoing, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        SSL_set_bio(ssl, incoming, outgoing)
        switch role {
        case .initiator:
            SSL_set_connect_state(ssl)
            _ = shakeHands()
        case .responder:
            SSL_set_accept_state(ssl)
        }
    }

    deinit {
        SSL_free(ssl)
    }

    /// Takes what came from the transport and gives `deliver` what it means, piece by piece in
    /// `scratch`.
    package func receive(
        _ bytes: UnsafeRawBufferPointer, scratch: UnsafeMutableRawBufferPointer,
        deliver: (UnsafeRawBufferPointer) -> Void
    ) -> Outcome {
        guard !hasFailed else { return .failed("TLS has failed") }
        guard pending <= Self.mostPending else {
            return fail("the peer asks for new keys and does not read the answers")
        }
        guard BIO_write(incoming, bytes.baseAddress, Int32(clamping: bytes.count)) == bytes.count
        else { return fail("out of memory") }
        if !isEstablished {
            let outcome = shakeHands()
            guard outcome == .going, isEstablished else { return outcome }
        }
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, scratch.baseAddress, Int32(clamping: scratch.count))
            if count > 0 {
                deliver(UnsafeRawBufferPointer(rebasing: scratch[..<Int(count)]))
                continue
            }
            switch SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .going
            case SSL_ERROR_ZERO_RETURN: return .finished
            default: return fail(Self.errorText())
            }
        }
    }

    /// Takes plaintext for the peer and returns how much; all of it unless TLS has failed.
    func encrypt(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard canEncrypt, !bytes.isEmpty else { return 0 }
        ERR_clear_error()
        let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
        // There is always room, so this is no "not yet".
        if count <= 0 { hasFailed = true }
        return max(0, Int(count))
    }

    /// Says, in TLS, that nothing more comes.
    func close() {
        guard canEncrypt else { return }
        ERR_clear_error()
        SSL_shutdown(ssl)
    }

    /// How many bytes wait for the transport.
    package var pending: Int { BIO_ctrl_pending(outgoing) }

    /// Shows the bytes for the transport to `write`, which says how many of them it has taken.
    package func withCiphertext(
        scratch: UnsafeMutableRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Int
    ) {
        var start: UnsafeMutableRawPointer?
        let count = BIO_ctrl(outgoing, BIO_CTRL_INFO, 0, &start)
        guard count > 0, let start else { return }
        var taken = write(UnsafeRawBufferPointer(start: start, count: count))
        while taken > 0 {
            let part = BIO_read(
                outgoing, scratch.baseAddress, Int32(clamping: min(taken, scratch.count)))
            guard part > 0 else { return }
            taken -= Int(part)
        }
    }

    /// 32 bytes that only the two ends of this connection know, others for each purpose
    /// (`docs/protocol.md` §2).
    func exporter(_ label: ExporterLabel) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let label = label.rawValue
        guard isEstablished,
            SSL_export_keying_material(
                ssl, &bytes, bytes.count, label, label.utf8.count, nil, 0, 0) == 1
        else { return nil }
        return bytes
    }

    /// The newest of OpenSSL's complaints on this thread, in words; clears them.
    static func errorText() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
    }

    private func shakeHands() -> Outcome {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            let error = SSL_get_error(ssl, result)
            let waits = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE
            return waits ? .going : fail(Self.errorText())
        }
        guard hasAgreedProtocol else { return fail("the peer does not speak online-play/1") }
        guard let certificate = SSL_get1_peer_certificate(ssl) else {
            return fail("the peer shows no certificate")
        }
        defer { X509_free(certificate) }
        guard let key = X509_get0_pubkey(certificate).flatMap({ rawPublicKey($0) }) else {
            return fail("the peer's certificate has no Ed25519 key")
        }
        peerKey = key
        isEstablished = true
        return .going
    }

    private var hasAgreedProtocol: Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name else { return false }
        return UnsafeBufferPointer(start: name, count: Int(length))
            .elementsEqual(TLSContext.protocolName.dropFirst())
    }

    private func fail(_ reason: String) -> Outcome {
        hasFailed = true
        return .failed("TLS: \(reason)")
    }
}
