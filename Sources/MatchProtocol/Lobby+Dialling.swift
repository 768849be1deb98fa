// SPDX-License-Identifier: MIT

import SessionProtocol

extension Lobby {
    /// The candidates that may be dialled, now or later, in the order of their turn.
    func eligible() -> [Candidate] {
        candidates.filter { candidate in
            guard candidate.isOpen, !candidate.declined else { return false }
            guard !dials.contains(where: { $0.to == .advert(candidate.id) }),
                !door.contains(where: { $0.caller.instance == candidate.id })
            else { return false }
            switch target {
            case .guests, .address, .chosen: return false
            case .anyOpen: return true
            case .name(let name):
                let wanted = name.lowercased()
                return candidate.name.lowercased() == wanted
                    || candidate.petname?.lowercased() == wanted
            }
        }
    }

    /// Dials the next candidate if its time has come: at once if no dial runs, else beside the
    /// running ones every ``stagger``.
    mutating func pursue(now: Instant) -> [Effect] {
        guard state == .seeking, renewal == .none, trying == nil,
            dials.isEmpty || nextStart <= now
        else { return [] }
        if let giveUpAt, giveUpAt <= now, dials.isEmpty {
            if case .name(let name) = target { return end(as: .noSuchName(name)) }
            return end(as: lastRefusal.map { .refused($0) } ?? .nobody)
        }
        let due = eligible().filter { $0.notBefore <= now }
        guard let next = due.min(by: isBefore) else { return [] }
        dialled[next.place, default: 0] += 1
        return [start(.advert(next.id), now: now)]
    }

    /// Whose turn it is first.
    private func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.isKnown != b.isKnown { return a.isKnown }
        let (here, there) = (dialled[a.place] ?? 0, dialled[b.place] ?? 0)
        return (here, a.notBefore) < (there, b.notBefore)
    }

    mutating func start(_ destination: Destination, now: Instant) -> Effect {
        let dial = nextDial
        nextDial += 1
        dials.append((dial, destination))
        nextStart = now.advanced(milliseconds: Self.stagger)
        return .dial(dial, destination)
    }

    /// Whether the code that was given has had its try. Then nobody else is dialled, whoever was
    /// looked for and however often the person would choose: each try is a guess that the code
    /// allows.
    func isSpent(by failure: DialFailure) -> Bool {
        guard configuration.needsCode, case .refused(let refusal) = failure else { return false }
        return refusal.code == .wrongCode
    }

    /// Notes why an advertised game would not have this player, and whether the search ends with
    /// it: a game that was named is no other.
    mutating func isFinal(_ refusal: Refusal, by id: InstanceID) -> Bool {
        switch refusal.code {
        case .crossing: return false
        case .codeNeeded:
            lastRefusal = refusal
            if let index = candidates.firstIndex(where: { $0.id == id }) {
                candidates[index].declined = true
            }
        default: break
        }
        if case .name = target { return true }
        return false
    }

    /// Leaves a candidate alone for a while, longer each time.
    mutating func postpone(_ id: InstanceID, now: Instant) {
        guard let index = candidates.firstIndex(where: { $0.id == id }) else { return }
        candidates[index].notBefore = now.advanced(milliseconds: candidates[index].pause)
        candidates[index].pause = min(candidates[index].pause * 2, Self.longestPause)
    }

    /// Dials whoever was reached before once more.
    mutating func renew(now: Instant) -> Effect {
        renewals += 1
        renewal = .running
        return start(reached, now: now)
    }

    /// The other side may not be there yet, or not know yet that the connection broke.
    mutating func renewalFailed(_ failure: DialFailure, now: Instant) -> [Effect] {
        renewal = .none
        let isPassing =
            switch failure {
            case .unreachable: true
            case .refused(let refusal): [.busy, .full, .crossing].contains(refusal.code)
            case .stale, .brokenPeer: false
            }
        if isPassing, renewals < Self.mostRenewals {
            renewal = .due(now.advanced(milliseconds: Self.renewalPause))
            return []
        }
        return target == .chosen
            ? [.report(Failure(failure))] : end(as: Failure(failure))
    }

    /// Whether somebody in particular is wanted, not just anybody: then the lobby tells if nothing
    /// comes of it.
    package var isAskedFor: Bool {
        switch target {
        case .address, .name, .chosen: true
        case .anyOpen, .guests: false
        }
    }

    mutating func sit(_ connection: Connection) -> [Effect] {
        state = .seated(connection)
        renewal = .none
        trying = nil
        let abandoned = dials.map { Effect.abandon($0.dial) }
        dials = []
        return abandoned + (configuration.letsIn ? [.advertise(.busy)] : [])
            + [.seat(connection)]
    }

    mutating func end(as failure: Failure) -> [Effect] {
        state = .over
        let abandoned = dials.map { Effect.abandon($0.dial) }
        dials = []
        return abandoned + [.fail(failure)]
    }
}

extension Lobby.Failure {
    init(_ failure: Lobby.DialFailure) {
        switch failure {
        case .unreachable(let text): self = .unreachable(text)
        case .refused(let refusal): self = .refused(refusal)
        case .brokenPeer(let text): self = .brokenPeer(text)
        case .stale: self = .unreachable("The game is no longer where it was advertised.")
        }
    }

    init(_ reason: Lobby.Unseating) {
        switch reason {
        case .declined(let text): self = .refused(Refusal(.declined, text: text))
        case .busy(let text): self = .refused(Refusal(.busy, text: text))
        case .left(let text), .lost(let text): self = .unreachable(text)
        case .brokenPeer(let text): self = .brokenPeer(text)
        }
    }
}
