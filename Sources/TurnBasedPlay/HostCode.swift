// SPDX-License-Identifier: MIT

import MatchProtocol
import OnlinePlay
import SessionProtocol

/// The code of a host, and who is trying it.
struct HostCode {
    /// A guest's one try.
    struct Try {
        /// Which code it was asked for.
        var number: Int
        /// What proves the code to the guest in turn, once its try was right.
        var proof: [UInt8]?
    }

    private(set) var passcode = Passcode.random()
    var keeper: CodeKeeper
    var tries: [Lobby.Guest: Try] = [:]

    init(now: Instant) {
        keeper = CodeKeeper(now: now)
    }

    /// Makes up another code if this one has been tried too often or is too old; whether it has.
    mutating func renew(now: Instant) -> Bool {
        guard keeper.isSpent(now: now) else { return false }
        let spent = passcode
        repeat { passcode = .random() } while passcode == spent
        keeper.renew(now: now)
        return true
    }
}
