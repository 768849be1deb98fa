// SPDX-License-Identifier: MIT

import COpenSSL
import SessionProtocol
import Testing

@testable import OnlinePlay

/// A peer that asks for new keys again and again, which TLS answers each time.
@Suite struct KeyUpdateTests {
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    @Test func `who reads the answers may ask as often as it likes`() throws {
        defer { scratch.deallocate() }
        let (peer, own) = try pair()
        for _ in 0..<20_000 {
            try #require(ask(peer, own) == .going)
            try #require(pass(from: own, to: peer) == .going)
        }
        #expect(own.pending == 0)
    }

    @Test func `who does not read them is given up, and takes little memory until then`() throws {
        defer { scratch.deallocate() }
        let (peer, own) = try pair()
        var asked = 0
        while try ask(peer, own) == .going, asked < 100_000 { asked += 1 }
        #expect((1_000..<100_000).contains(asked))
        #expect(own.pending < TLSChannel.mostPending + 65_536)
        #expect(own.hasFailed)
    }

    // MARK: -

    /// Two ends that have shaken hands.
    private func pair() throws -> (TLSChannel, TLSChannel) {
        let peer = try #require(TLSChannel(Identity.ephemeral(), role: .initiator))
        let own = try #require(TLSChannel(Identity.ephemeral(), role: .responder))
        while !(peer.isEstablished && own.isEstablished) {
            try #require(pass(from: peer, to: own) == .going)
            try #require(pass(from: own, to: peer) == .going)
        }
        return (peer, own)
    }

    private func ask(_ peer: TLSChannel, _ own: TLSChannel) throws -> TLSChannel.Outcome {
        try #require(SSL_key_update(peer.ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
        try #require(SSL_do_handshake(peer.ssl) == 1)
        return pass(from: peer, to: own)
    }

    private func pass(from: TLSChannel, to: TLSChannel) -> TLSChannel.Outcome {
        var taken: [UInt8] = []
        from.withCiphertext(scratch: scratch) { bytes in
            taken += bytes
            return bytes.count
        }
        return taken.withUnsafeBytes { to.receive($0, scratch: scratch) { _ in } }
    }
}
