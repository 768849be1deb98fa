// SPDX-License-Identifier: MIT

package import SessionProtocol

/// What the player picks from the list.
extension Lobby {
    /// Whom to look for now: what was asked for at the start, until the player picks a game.
    var target: Target { hasChosen ? .chosen : configuration.target }

    /// Takes the player's choice from the list. Whoever was dialled or asked before is let go, and
    /// from then on only what is picked is dialled; not once a game has begun.
    package mutating func choose(_ id: InstanceID, now: Instant) -> [Effect] {
        // A host at an address is no game of the list, and a code is not tried on two at once.
        guard configuration.target != .address, state != .seeking || trying == nil else {
            return []
        }
        var again: [Effect] = []
        switch state {
        case .over, .seated(.guest): return []
        case .seated(.dial):
            guard reached != .advert(id) else { return [] }
            again = configuration.letsIn ? [.advertise(.open)] : []
        case .seeking: break
        }
        guard candidates.contains(where: { $0.id == id }) else {
            return [.report(.unreachable("This game is no longer open."))]
        }
        (state, renewal, renewals, giveUpAt) = (.seeking, .none, 0, nil)
        hasChosen = true
        let others = dials.filter { $0.to != .advert(id) }
        dials.removeAll { $0.to != .advert(id) }
        return again + others.map { .abandon($0.dial) }
            + (dials.isEmpty ? [start(.advert(id), now: now)] : [])
    }
}
