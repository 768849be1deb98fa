// SPDX-License-Identifier: MIT

import OnlinePlay
import SessionProtocol

/// Bytes for a host's TLS before the peer has shown its key. The first byte says where: at the
/// start, or behind a right first message; the second how the bytes are cut.
func fuzzTLS(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let isGreeted = input.byte() % 2 == 1
    let size = (Int(input.byte()) + 1) * 8
    let host = end(TLSPeers.host, .responder)
    if isGreeted {
        require(receive(output(of: end(TLSPeers.client, .initiator)), by: host), "it is refused")
        require(host.pending > 0, "a right client is not answered")
    }
    while !input.isEmpty, receive(input.take(size), by: host) {}
    require(!host.isEstablished, "somebody without a key is let in")
    require(output(of: host).count <= 2_048, "it answers more than its handshake")
}

private func end(_ identity: Identity, _ role: Role) -> TLSChannel {
    guard let channel = TLSChannel(identity, role: role) else { fatalError("there is no memory") }
    return channel
}

/// Whether more may come.
private func receive(_ bytes: [UInt8], by channel: TLSChannel) -> Bool {
    var scratch = [UInt8](repeating: 0, count: 1_024)
    return bytes.withUnsafeBytes { bytes in
        scratch.withUnsafeMutableBytes { scratch in
            channel.receive(bytes, scratch: scratch) { _ in
                fatalError("something is read before the peer is known")
            } == .going
        }
    }
}

private func output(of channel: TLSChannel) -> [UInt8] {
    var output: [UInt8] = []
    var scratch = [UInt8](repeating: 0, count: 1_024)
    scratch.withUnsafeMutableBytes { scratch in
        channel.withCiphertext(scratch: scratch) { bytes in
            output += bytes
            return bytes.count
        }
    }
    return output
}

private enum TLSPeers {
    static let host = identity()
    static let client = identity()

    private static func identity() -> Identity {
        do {
            return try Identity.ephemeral()
        } catch {
            fatalError("OpenSSL makes no key: \(error)")
        }
    }
}
