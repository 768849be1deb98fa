// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import SessionProtocol

/// How long nothing has been heard from the other player.
extension Table {
    /// When to listen whether the connection that is played over has fallen silent.
    var hearingDeadline: Instant? {
        guard seat?.hasStarted == true, seat?.current != nil else { return nil }
        return hearing.deadline
    }

    /// Notes when something was heard last over the connection that is played over.
    func hear() {
        guard let connection = seat?.current, let session = sessions[connection] else { return }
        hearing.heard(at: session.heard)
    }

    /// Tells if the connection has fallen silent, or is silent no more.
    func listenForSilence() {
        hear()
        let now = loop.now()
        guard let due = hearingDeadline, due <= now, let state = hearing.look(at: now) else {
            return
        }
        tellLink(state)
    }

    /// Tells how the connection fares, with all that goes with it.
    func tellLink(_ state: LinkState, reason: String = "") {
        let isHeard = state == .restored || state == .heard
        tell(
            .link(
                state, reason: reason, left: timeLeft,
                silence: isHeard ? nil : hearing.silence(at: loop.now())))
    }
}
