// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing

/// Tries every order in which two players' wishes and the deliveries of packets can happen, and
/// expects that each comes to an agreement and that nothing hangs.
struct Explorer<G: Game> {
    typealias Act = (inout MatchPair<G>, Wish, Role) -> Void

    /// Turns a wish into a command.
    var act: Act
    /// How many different outcomes of logs were reached.
    private(set) var ends = 0
    private var visited: Set<[UInt8]> = []

    /// Makes the explorer of one kind of game.
    init(act: @escaping Act) { self.act = act }

    /// Explores what follows when the players have these wishes, one after the other.
    mutating func explore(
        _ pair: MatchPair<G>, _ joiner: [Wish], _ host: [Wish], _ context: String
    ) {
        visited = []
        step(pair, joiner[...], host[...], context)
    }

    private mutating func step(
        _ pair: MatchPair<G>, _ joiner: ArraySlice<Wish>, _ host: ArraySlice<Wish>,
        _ context: String
    ) {
        // Orders that lead to the same logs on both sides go on alike.
        guard visited.insert(pair.fingerprint + [UInt8(joiner.count), UInt8(host.count)]).inserted
        else { return }
        var isDone = true
        for role in [Role.initiator, .responder] where !pair[role].arriving.isEmpty {
            isDone = false
            var next = pair
            next.deliverPacket(to: role)
            step(next, joiner, host, context)
        }
        if let wish = joiner.first {
            isDone = false
            var next = pair
            act(&next, wish, .initiator)
            step(next, joiner.dropFirst(), host, context)
        }
        if let wish = host.first {
            isDone = false
            var next = pair
            act(&next, wish, .responder)
            step(next, joiner, host.dropFirst(), context)
        }
        if isDone { finish(pair, context) }
    }

    private mutating func finish(_ pair: MatchPair<G>, _ context: String) {
        ends += 1
        pair.expectAgreement(context)
        // Whatever game still runs can be ended: if one hung, it would be over and not closed.
        var last = pair
        last.command(.resign, from: .initiator)
        last.settle()
        last.expectAgreement(context)
        let started = last.joiner.told.count { if case .started = $0 { true } else { false } }
        if last.joiner.results.count != started {
            Issue.record("It hangs: \(context) \(pair.joiner.told)")
        }
    }
}

extension MatchPair {
    /// What both sides have written, stored, been told and not yet got.
    fileprivate var fingerprint: [UInt8] {
        [joiner, host].flatMap { side in
            side.engine.logs.own.hash + side.engine.logs.theirs.hash
                + [UInt8(side.told.count), UInt8(side.arriving.count)]
        }
    }

    /// Delivers what waits up to and with the next packet.
    fileprivate mutating func deliverPacket(to role: Role) {
        while let next = self[role].arriving.first {
            deliver(to: role)
            if case .packet = next { return }
        }
    }
}
