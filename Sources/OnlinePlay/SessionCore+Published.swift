// SPDX-License-Identifier: MIT

import SessionProtocol

extension SessionCore {
    /// What any thread may ask for.
    struct Published {
        /// Where the peer is, until `peer` says so.
        var address: Endpoint?
        var peer: Peer?
        var exporter = SessionCore.noExporter
        /// In a box, for most sessions have none.
        var endBox: EndBox?

        var end: SessionEnd? { endBox?.end }
    }

    /// Why the session ended, and the key of who was there, which may have refused to say more.
    final class EndBox: Sendable {
        let end: SessionEnd
        let peerKey: [UInt8]?
        init(_ end: SessionEnd, peerKey: [UInt8]?) {
            self.end = end
            self.peerKey = peerKey
        }
    }
}
