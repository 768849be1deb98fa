// SPDX-License-Identifier: MIT

package import SessionProtocol

/// Who is let in.
///
/// A hello is answered at once and costs nothing, so it takes nothing: several may stand at the
/// door, welcomed, and the first of them who challenges takes the board. An honest guest does so
/// right after the welcome, and whoever stays silent keeps nobody out.
extension Lobby {
    /// Takes a hello from somebody who dialled this side, and where the code must be known asks for
    /// it.
    ///
    /// While an own dial is pending only a larger instance is let in, and an own dial to it is then
    /// dropped. So of two crossing connections the one whose initiator has the larger instance
    /// stays (`docs/protocol.md` §4.4), and in a ring of players who dial each other the largest
    /// gets through.
    package mutating func greeted(
        by guest: Guest, _ caller: Caller, now: Instant
    ) -> [Effect] {
        if let code = refusal(of: caller, at: now) { return [.refuse(guest, code)] }
        return configuration.needsCode ? [.ask(guest)] : admit(guest, caller, now: now)
    }

    /// Takes that a guest who was asked has proved to know the code. Meanwhile somebody else may
    /// have taken the board.
    package mutating func proved(
        by guest: Guest, _ caller: Caller, now: Instant
    ) -> [Effect] {
        if let code = refusal(of: caller, at: now) { return [.refuse(guest, code)] }
        return admit(guest, caller, now: now)
    }

    /// Whether such a guest could be let in if nobody else were here.
    package func welcomes(_ standing: Standing) -> Bool {
        configuration.letsIn && standing != .blocked
            && (standing == .known || !configuration.onlyKnown)
    }

    /// Whether the guest was welcomed and has not been seated.
    package func isAtDoor(_ guest: Guest) -> Bool {
        door.contains { $0.guest == guest }
    }

    /// Takes that somebody at the door challenges: takes the board if that is free, or waits for a
    /// moment until it may.
    package mutating func challenged(by guest: Guest, now: Instant) -> [Effect] {
        guard let index = door.firstIndex(where: { $0.guest == guest }) else { return [] }
        let hold = now.advanced(milliseconds: Self.longestHold)
        guard state == .seeking,
            case .from(let time) = askers.verdict(on: door[index].caller, at: now), time <= hold
        else {
            door.remove(at: index)
            return [.turnAway(guest, .busy)]
        }
        door[index].hasChallenged = true
        door[index].until = hold
        return seatNext(now: now)
    }

    /// Takes that somebody at the door has gone.
    package mutating func left(_ guest: Guest) {
        door.removeAll { $0.guest == guest }
    }

    /// Takes that the player said no to the guest at the board, which ends by itself.
    package mutating func playerDeclined(now: Instant) {
        guard let caller = seatedCaller else { return }
        askers.decline(caller, at: now)
        seatedCaller = nil
    }

    // MARK: The door

    /// When somebody at the door has to go or may be seated.
    var doorDeadline: Instant? {
        let turns = state == .seeking ? door.compactMap(turn) : []
        return (door.map(\.until) + turns).min()
    }

    /// Seats whoever may be seated now, and lets those go who waited too long.
    mutating func tendDoor(now: Instant) -> [Effect] {
        let effects = seatNext(now: now)
        let late = door.filter { $0.until <= now }
        door.removeAll { $0.until <= now }
        return effects
            + late.map { $0.hasChallenged ? .turnAway($0.guest, .busy) : .letGo($0.guest) }
    }

    /// Takes that the guest at the board left without a game.
    mutating func cameToNothing(now: Instant) {
        guard let caller = seatedCaller else { return }
        askers.cameToNothing(caller, wasAsked: configuration.asks, at: now)
        seatedCaller = nil
    }

    private mutating func admit(_ guest: Guest, _ caller: Caller, now: Instant) -> [Effect] {
        let until = now.advanced(milliseconds: StartTime.step)
        door.append(Waiting(guest: guest, caller: caller, until: until))
        let crossing = dials.filter { $0.to == .advert(caller.instance) || $0.to == .address }
        guard !crossing.isEmpty else { return [.accept(guest)] }
        dials.removeAll { dial in crossing.contains { $0.dial == dial.dial } }
        if crossing.contains(where: { $0.dial == trying }) { trying = nil }
        if dials.isEmpty { renewal = .none }
        return [.accept(guest)] + crossing.map { .abandon($0.dial) }
    }

    /// Seats the guest whose turn it is, if there is one: who came to nothing least often, and of
    /// those who came first.
    private mutating func seatNext(now: Instant) -> [Effect] {
        guard state == .seeking else { return [] }
        let ready = door.indices.filter { turn(of: door[$0]).map { $0 <= now } ?? false }
        let misses = ready.map { askers.misses(of: door[$0].caller, at: now) }
        guard let next = zip(misses, ready).min(by: <)?.1 else { return [] }
        let waiting = door.remove(at: next)
        seatedCaller = waiting.caller
        return sit(.guest(waiting.guest))
    }

    /// When a guest who has challenged may be seated.
    private func turn(of waiting: Waiting) -> Instant? {
        waiting.hasChallenged ? askers.notBefore(waiting.caller) : nil
    }

    private func refusal(of caller: Caller, at now: Instant) -> RefuseCode? {
        guard caller.instance != configuration.instance else { return .dialledSelf }
        guard state == .seeking, configuration.letsIn else { return .busy }
        guard caller.standing != .blocked else { return .declined }
        guard welcomes(caller.standing) else { return .notKnown }
        switch askers.verdict(on: caller, at: now) {
        case .declined: return .declined
        case .from(let time) where time > now.advanced(milliseconds: Self.longestHold): return .busy
        case .from: break
        }
        guard !dials.isEmpty, caller.instance < configuration.instance else { return nil }
        return dials.contains { $0.to == .advert(caller.instance) } ? .crossing : .busy
    }
}
