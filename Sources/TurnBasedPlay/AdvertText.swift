// SPDX-License-Identifier: MIT

import MatchProtocol
package import ServiceDiscovery

/// What the TXT record of an advert says (`docs/protocol.md` §6).
package struct AdvertText: Sendable, Equatable {
    /// Whether somebody can join.
    package enum State: String, Sendable {
        case open
        case busy
        case resume
    }

    /// 8 random bytes, new in each run.
    package var salt: [UInt8]
    /// The first 8 bytes of SHA-256(salt ‖ fingerprint).
    package var tag: [UInt8]
    /// Whether somebody can join.
    package var state: State

    /// Makes the value.
    package init(salt: [UInt8], tag: [UInt8], state: State) {
        self.salt = salt
        self.tag = tag
        self.state = state
    }

    /// Reads an advert; `nil` if something is missing or malformed, or of another version.
    package init?(_ service: Service) {
        self.init(record: service.text)
    }

    /// Reads the record of an advert.
    package init?(record: [String: [UInt8]]) {
        guard record["v"] == Array("1".utf8),
            let key = record["k"].flatMap({ Hex.decoded($0) }), key.count == 16,
            let state = record["state"],
            let state = State(rawValue: String(decoding: state, as: UTF8.self))
        else { return nil }
        self.init(salt: Array(key[..<8]), tag: Array(key[8...]), state: state)
    }

    /// The entries of the record, and one that nobody knows, so that peers keep skipping those.
    package func entries(id: String) -> [TextEntry] {
        [
            TextEntry("v", "1"), TextEntry("id", id), TextEntry("k", Hex.encoded(salt + tag)),
            TextEntry("state", state.rawValue), TextEntry("x-skip", "1"),
        ]
    }
}
