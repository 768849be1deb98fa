// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A TLS client that is none of ours: Python's, told what to do by a script.
struct TLSNuisance {
    /// Makes a key and a certificate, shakes hands over descriptor 0, and sends standard input's
    /// second line, which is hex.
    private static let script = """
        import os, socket, ssl, sys, tempfile, datetime
        from cryptography import x509
        from cryptography.hazmat.primitives import serialization as s
        from cryptography.hazmat.primitives.asymmetric import ed25519
        key = ed25519.Ed25519PrivateKey.generate()
        name = x509.Name([])
        cert = (x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(key.public_key()).serial_number(1)
            .not_valid_before(datetime.datetime(2020, 1, 1))
            .not_valid_after(datetime.datetime(2100, 1, 1)).sign(key, None))
        alpn, certificate, data = sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        if alpn: context.set_alpn_protocols([alpn])
        if certificate:
            with tempfile.NamedTemporaryFile() as file:
                file.write(cert.public_bytes(s.Encoding.PEM))
                file.write(key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()))
                file.flush()
                context.load_cert_chain(file.name)
        link = socket.socket(fileno=0)
        try:
            tls = context.wrap_socket(link)
            tls.sendall(data)
            while tls.recv(65536): pass
            print("ended")
        except ssl.SSLError as error:
            print("refused", error.reason)
        except OSError as error:
            print("cut", error)
        """

    private let process = Process()
    private let output = Pipe()
    private let descriptor: Int32

    /// Will speak over `descriptor`, which it takes over.
    init(descriptor: Int32) throws {
        self.descriptor = descriptor
    }

    /// Starts the client, which sends `bytes` as soon as hands are shaken.
    func send(
        _ bytes: [UInt8], alpn: String = "online-play/1", hasCertificate: Bool = true
    ) async throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        // An argument may have 128 KiB.
        process.arguments = [
            "-c", Self.script, alpn, hasCertificate ? "yes" : "", String(hex.prefix(120_000)),
        ]
        process.standardInput = FileHandle(fileDescriptor: descriptor)
        process.standardOutput = output
        try process.run()
        close(descriptor)
    }

    /// What became of the connection on that side.
    func outcome() async -> String {
        let handle = output.fileHandleForReading
        return await onThread {
            String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
