// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay

extension Table {
    /// Tells, once, that the other player of a match that is kept here wants to go on with it, unless
    /// another process is at it.
    func tellWhoWaits(_ peer: Peer?, for match: [UInt8]) {
        guard let peer, let fingerprint = peer.fingerprint, !missed.contains(match),
            let path = configuration.stateDirectory,
            let games = try? GameDirectory.existing(path)
        else { return }
        let stored = StoredMatches(rules: [G.self], cryptography: cryptography)
        for seat in Seat.allCases {
            let name = JournalName(match: match, seat: seat)
            // Who asks must be who plays it: else anybody could have the player disturbed.
            guard games.lastWritten(name.file) != nil, !StoredMatches.isOpen(name, in: games),
                stored.summary(of: name, in: games).key == fingerprint.description
            else { continue }
            missed.insert(match)
            let who = knownPeers?[fingerprint]?.petname ?? peer.name
            let text =
                "\(who) (\(fingerprint.tag)) waits for you in your match "
                + "\(name.matchDigits.prefix(8)); \(configuration.hints.resume) goes on with it."
            return tell(.warned(code: "waits", message: text))
        }
    }
}
