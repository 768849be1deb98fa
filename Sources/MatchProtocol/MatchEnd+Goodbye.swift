// SPDX-License-Identifier: MIT

/// What an end of a match means for the game, and how it is told to the other side.
extension MatchEnd {
    /// Whether a game that runs cannot go on.
    var isAbort: Bool {
        switch self {
        case .protocolError, .forked, .left: true
        case .lost, .tookTooLong, .failed: false
        }
    }

    /// For the goodbye: at most 200 bytes.
    var text: String {
        switch self {
        case .protocolError(let text), .failed(let text):
            // A cut character becomes a replacement of three bytes.
            String(decoding: text.utf8.prefix(197), as: UTF8.self)
        case .left, .lost, .forked, .tookTooLong: ""
        }
    }
}
