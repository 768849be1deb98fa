// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@testable import MatchProtocol

/// Players who all look for whoever is there, on a network that delays everything at random.
private struct Crowd {
    enum Delivery {
        case advert(of: Int, isOpen: Bool)
        case hello(from: Int, dial: Int)
        case welcome(dial: Int)
        case refused(dial: Int, RefuseCode)
        case challenge(from: Int, dial: Int)
        case declined(dial: Int)
        case lost(peer: Int, dial: Int)
    }

    var lobbies: [Lobby]
    var queue: [(at: Instant, to: Int, Delivery)] = []
    var now = Instant(nanoseconds: 0)
    var random: SeededGenerator
    /// Who sits with whom, and whether as guest.
    var partner: [Int: (peer: Int, guestDial: Int?)] = [:]
    var seatedDial: [Int: Int] = [:]
    var lastArrival: [Int: Instant] = [:]
    var dialTargets: [Int: [Int: Int]] = [:]
    var pendingGuests: [Int: [(peer: Int, dial: Int)]] = [:]

    init(_ count: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let ids = (1...count).map { UInt64($0) }.shuffled(using: &random)
        lobbies = ids.map {
            Lobby(
                Lobby.Configuration(
                    instance: InstanceID(value: $0), letsIn: true, target: .anyOpen))
        }
    }

    /// What one player sends to another arrives in order.
    mutating func post(_ delivery: Delivery, from: Int, to: Int) {
        let delay = UInt64.random(in: 1...40, using: &random)
        let at = max(now.advanced(milliseconds: delay), lastArrival[from * 1_000 + to] ?? now)
        lastArrival[from * 1_000 + to] = at
        queue.append((at, to, delivery))
    }

    mutating func perform(_ effects: [Lobby.Effect], by me: Int) {
        for effect in effects {
            switch effect {
            case .advertise(let openness):
                for other in lobbies.indices where other != me {
                    post(.advert(of: me, isOpen: openness == .open), from: me, to: other)
                }
            case .dial(let dial, .advert(let id)):
                guard let other = lobbies.firstIndex(where: { $0.configuration.instance == id })
                else { continue }
                dialTargets[me, default: [:]][dial] = other
                post(.hello(from: me, dial: dial), from: me, to: other)
            case .abandon(let dial):
                if let other = dialTargets[me]?.removeValue(forKey: dial) {
                    post(.lost(peer: me, dial: dial), from: me, to: other)
                }
            case .accept(let guest):
                let (peer, dial) = pendingGuests[me, default: []][guest]
                post(.welcome(dial: dial), from: me, to: peer)
            case .refuse(let guest, let code):
                let (peer, dial) = pendingGuests[me, default: []][guest]
                post(.refused(dial: dial, code), from: me, to: peer)
            case .seat(.dial(let dial)):
                guard let other = dialTargets[me]?[dial] else { continue }
                partner[me] = (other, nil)
                seatedDial[me] = dial
                post(.challenge(from: me, dial: dial), from: me, to: other)
            case .turnAway(let guest, _), .letGo(let guest):
                let (peer, dial) = pendingGuests[me, default: []][guest]
                post(.declined(dial: dial), from: me, to: peer)
            case .seat(.guest(let guest)):
                let (peer, dial) = pendingGuests[me, default: []][guest]
                partner[me] = (peer, dial)
            case .dial, .ask, .markStale, .fail, .report:
                break
            }
        }
    }

    mutating func deliver(_ delivery: Delivery, to me: Int) {
        switch delivery {
        case .advert(let other, let isOpen):
            let id = lobbies[other].configuration.instance
            perform(lobbies[me].found(id, name: "", isOpen: isOpen, now: now), by: me)
        case .hello(let peer, let dial):
            pendingGuests[me, default: []].append((peer, dial))
            let id = lobbies[peer].configuration.instance
            let guest = pendingGuests[me, default: []].count - 1
            perform(lobbies[me].greeted(by: guest, Lobby.Caller(id, .new), now: now), by: me)
        case .challenge(let peer, let dial):
            let guest = pendingGuests[me, default: []].lastIndex { $0 == (peer, dial) }
            if let guest { perform(lobbies[me].challenged(by: guest, now: now), by: me) }
        case .declined(let dial):
            guard seatedDial[me] == dial, let seat = partner.removeValue(forKey: me) else { return }
            seatedDial[me] = nil
            let id = lobbies[seat.peer].configuration.instance
            perform(lobbies[me].unseated(.busy(""), peer: id, now: now), by: me)
        case .welcome(let dial):
            perform(lobbies[me].welcomed(dial), by: me)
        case .refused(let dial, let code):
            perform(
                lobbies[me].failed(dial, .refused(Refusal(code)), now: now), by: me)
        case .lost(let peer, let dial):
            let guest = pendingGuests[me, default: []].lastIndex { $0 == (peer, dial) }
            if let guest { lobbies[me].left(guest) }
            guard let seat = partner[me], seat.peer == peer, seat.guestDial == dial else { return }
            partner[me] = nil
            let id = lobbies[peer].configuration.instance
            perform(lobbies[me].unseated(.lost(""), peer: id, now: now), by: me)
        }
    }

    mutating func run(until end: Instant) {
        for me in lobbies.indices { perform(lobbies[me].begin(now: now), by: me) }
        while true {
            let nextDelivery = queue.map(\.at).min()
            let nextTick = lobbies.compactMap(\.deadline).min()
            guard let next = [nextDelivery, nextTick].compactMap({ $0 }).min(), next <= end else {
                return
            }
            now = max(now, next)
            if let index = queue.indices.min(by: { queue[$0].at < queue[$1].at }),
                queue[index].at <= now
            {
                let item = queue.remove(at: index)
                deliver(item.2, to: item.to)
            } else {
                for me in lobbies.indices where lobbies[me].deadline.map({ $0 <= now }) ?? false {
                    perform(lobbies[me].tick(now: now), by: me)
                }
            }
        }
    }
}

@Suite struct LobbyCrowdTests {
    @Test func `two players who look for each other sit at one board, always`() {
        for seed in 0..<2_000 as Range<UInt64> {
            var crowd = Crowd(2, seed: seed)
            crowd.run(until: Instant(nanoseconds: 3_000_000_000))
            #expect(crowd.partner[0]?.peer == 1, "seed \(seed)")
            #expect(crowd.partner[1]?.peer == 0, "seed \(seed)")
            let guests = crowd.partner.values.filter { $0.guestDial != nil }
            #expect(guests.count == 1, "seed \(seed)")
        }
    }

    @Test(arguments: [3, 4, 7, 12]) func `a crowd pairs off`(_ count: Int) {
        for seed in 0..<200 as Range<UInt64> {
            var crowd = Crowd(count, seed: seed)
            crowd.run(until: Instant(nanoseconds: 60_000_000_000))
            #expect(crowd.partner.count == count - count % 2, "seed \(seed)")
            for (me, seat) in crowd.partner {
                #expect(crowd.partner[seat.peer]?.peer == me, "seed \(seed)")
            }
        }
    }
}
