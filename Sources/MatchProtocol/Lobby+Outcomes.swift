// SPDX-License-Identifier: MIT

package import SessionProtocol

/// What became of dials, and of who was seated.
extension Lobby {
    /// Takes that the host on a dial asks for the code. The answer lets whoever gets it test a
    /// guess, so from then on nobody else is dialled, until this dial has come to something.
    ///
    /// - Returns: What to do before the answer is given; `nil`: this host must not have it.
    package mutating func asked(over dial: Dial) -> [Effect]? {
        guard state == .seeking, let asked = dials.first(where: { $0.dial == dial }) else {
            return nil
        }
        let others = dials.filter { $0.dial != dial }
        dials = [asked]
        trying = dial
        return others.map { .abandon($0.dial) }
    }

    /// Takes a welcome on a dial.
    package mutating func welcomed(_ dial: Dial) -> [Effect] {
        guard state == .seeking, let index = dials.firstIndex(where: { $0.dial == dial }) else {
            return [.abandon(dial)]
        }
        reached = dials[index].to
        dials.remove(at: index)
        return sit(.dial(dial))
    }

    /// Takes the end of a dial that led to no session.
    package mutating func failed(
        _ dial: Dial, _ failure: DialFailure, now: Instant
    ) -> [Effect] {
        guard let index = dials.firstIndex(where: { $0.dial == dial }) else { return [] }
        let destination = dials.remove(at: index).to
        trying = nil
        guard state == .seeking else { return [] }
        if isSpent(by: failure) { return end(as: Failure(failure)) }
        if renewal == .running { return renewalFailed(failure, now: now) }
        switch destination {
        case .address:
            return end(as: Failure(failure))
        case .advert(let id):
            var effects: [Effect] = []
            switch failure {
            case .unreachable, .stale, .brokenPeer: effects = [.markStale(id)]
            case .refused: break
            }
            postpone(id, now: now)
            if target == .chosen {
                return effects + [.report(Failure(failure))]
            }
            if case .refused(let refusal) = failure, isFinal(refusal, by: id) {
                return effects + end(as: Failure(failure))
            }
            return effects + pursue(now: now)
        }
    }

    /// Takes the end, before a game started, of the connection that was seated.
    package mutating func unseated(
        _ reason: Unseating, peer: InstanceID?, now: Instant
    ) -> [Effect] {
        guard case .seated(let connection) = state else { return [] }
        state = .seeking
        cameToNothing(now: now)
        let again: [Effect] = configuration.letsIn ? [.advertise(.open)] : []
        if case .dial = connection, isAskedFor {
            if case .lost = reason, renewals < Self.mostRenewals {
                return again + [renew(now: now)]
            }
            guard target == .chosen else { return end(as: Failure(reason)) }
            return again + [.report(Failure(reason))]
        }
        if let peer, let index = candidates.firstIndex(where: { $0.id == peer }) {
            if case .declined = reason { candidates[index].declined = true }
            postpone(peer, now: now)
        }
        giveUpAt = configuration.patience.map { now.advanced(milliseconds: $0) }
        return again + pursue(now: now)
    }
}
