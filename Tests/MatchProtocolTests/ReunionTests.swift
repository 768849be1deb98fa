// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing

/// Two sides of a match on a network that delays, forgets and cuts.
private struct Reunited {
    /// A connection as the network sees it.
    struct Wire {
        var initiator: Int
        var dial: Reunion.Dial
        /// The guest number on the other side, once its hello was there.
        var guest: Int?
        /// Whether bytes still pass.
        var isCut = false
    }

    enum News {
        case hello(wire: Int, Reunion.Party)
        case welcome(wire: Int, Reunion.Party)
        /// The connection ended for the one who is told.
        case ended(wire: Int)
    }

    var sides: [Reunion]
    var wires: [Wire] = []
    var queue: [(at: Instant, to: Int, News)] = []
    var lastArrival: [Int: Instant] = [:]
    var now = Instant(nanoseconds: 0)
    var random: SeededGenerator
    var adoptions = 0
    var isPartitioned = false
    /// Which wire each side plays over.
    var playing: [Int?] = [nil, nil]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let ids = [InstanceID(value: 3), InstanceID(value: 8)].shuffled(using: &random)
        var sides: [Reunion] = []
        for id in ids {
            let jitter = UInt64.random(in: 1...9_999, using: &random)
            sides.append(Reunion(resuming: id, random: jitter, now: Instant(nanoseconds: 0)))
        }
        self.sides = sides
    }

    mutating func post(_ news: News, wire: Int, to: Int) {
        let delay = UInt64.random(in: 1...300, using: &random)
        let key = wire * 2 + to
        let at = max(now.advanced(milliseconds: delay), lastArrival[key] ?? now)
        lastArrival[key] = at
        queue.append((at, to, news))
    }

    func connection(_ wire: Int, of side: Int) -> Reunion.Connection {
        wires[wire].initiator == side ? .dial(wires[wire].dial) : .guest(wire)
    }

    mutating func close(_ wire: Int, by side: Int) {
        if playing[side] == wire { playing[side] = nil }
        if !wires[wire].isCut { post(.ended(wire: wire), wire: wire, to: 1 - side) }
    }

    mutating func perform(_ effects: [Reunion.Effect], by me: Int) {
        for effect in effects {
            switch effect {
            case .dial(let dial, let epoch):
                wires.append(Wire(initiator: me, dial: dial, isCut: isPartitioned))
                let party = Reunion.Party(instance: sides[me].instance, epoch: epoch)
                if !isPartitioned {
                    post(.hello(wire: wires.count - 1, party), wire: wires.count - 1, to: 1 - me)
                }
            case .abandon(let dial):
                if let wire = wires.firstIndex(where: { $0.initiator == me && $0.dial == dial }) {
                    close(wire, by: me)
                }
            case .accept(let wire, let epoch):
                let party = Reunion.Party(instance: sides[me].instance, epoch: epoch)
                if !wires[wire].isCut { post(.welcome(wire: wire, party), wire: wire, to: 1 - me) }
            case .refuse(let wire, _): close(wire, by: me)
            case .leave:
                if let wire = playing[me] { close(wire, by: me) }
            case .adopt(let connection):
                adoptions += 1
                switch connection {
                case .guest(let wire): playing[me] = wire
                case .dial(let dial):
                    playing[me] = wires.firstIndex { $0.initiator == me && $0.dial == dial }
                }
            }
        }
    }

    mutating func deliver(_ news: News, to me: Int) {
        switch news {
        case .hello(let wire, let party):
            guard !wires[wire].isCut else { return }
            perform(sides[me].greeted(by: wire, party, number: wires[wire].dial), by: me)
        case .welcome(let wire, let party):
            guard !wires[wire].isCut else { return }
            perform(sides[me].welcomed(wires[wire].dial, party), by: me)
        case .ended(let wire): lose(wire, at: me)
        }
    }

    mutating func lose(_ wire: Int, at me: Int) {
        if playing[me] == wire { playing[me] = nil }
        if wires[wire].initiator == me { sides[me].failed(wires[wire].dial) }
        sides[me].lost(connection(wire, of: me), now: now)
    }

    mutating func run(until end: Instant) {
        while true {
            let nextDelivery = queue.map(\.at).min()
            let nextTick = sides.compactMap(\.deadline).min()
            guard let next = [nextDelivery, nextTick].compactMap({ $0 }).min(), next <= end else {
                now = end
                return
            }
            now = max(now, next)
            if let index = queue.indices.min(by: { queue[$0].at < queue[$1].at }),
                queue[index].at <= now
            {
                let item = queue.remove(at: index)
                deliver(item.2, to: item.to)
            } else {
                for me in sides.indices { perform(sides[me].tick(now: now), by: me) }
            }
        }
    }

    /// Cuts everything; each side notices within 11 s, or does not yet.
    mutating func cut() {
        for wire in wires.indices where !wires[wire].isCut {
            wires[wire].isCut = true
            for side in 0...1 {
                let notices = now.advanced(
                    milliseconds: UInt64.random(in: 0...11_000, using: &random))
                queue.append((notices, side, .ended(wire: wire)))
            }
        }
    }
}

@Suite struct ReunionTests {
    @Test func `two sides come together on one connection, however often it is cut`() {
        for seed in 0..<3_000 as Range<UInt64> {
            var pair = Reunited(seed: seed)
            pair.run(
                until: pair.now.advanced(
                    milliseconds: UInt64.random(in: 0...4_000, using: &pair.random)))
            for _ in 0..<Int.random(in: 0...4, using: &pair.random) {
                pair.isPartitioned = Bool.random(using: &pair.random)
                pair.cut()
                pair.run(
                    until: pair.now.advanced(
                        milliseconds: UInt64.random(in: 0...20_000, using: &pair.random)))
            }
            pair.isPartitioned = false
            pair.run(until: pair.now.advanced(milliseconds: 20_000))
            #expect(pair.playing[0] != nil && pair.playing[0] == pair.playing[1], "seed \(seed)")
            let settled = pair.adoptions
            pair.run(until: pair.now.advanced(milliseconds: 60_000))
            #expect(pair.adoptions == settled, "seed \(seed)")
        }
    }

    @Test func `a partition that ends is over within three seconds`() {
        var worst: UInt64 = 0
        for seed in 0..<1_000 as Range<UInt64> {
            var pair = Reunited(seed: seed)
            pair.run(until: Instant(nanoseconds: 5_000_000_000))
            pair.isPartitioned = true
            pair.cut()
            pair.run(until: pair.now.advanced(milliseconds: 25_000))
            pair.isPartitioned = false
            let healed = pair.now
            while pair.playing[0] == nil || pair.playing[0] != pair.playing[1] {
                pair.run(until: pair.now.advanced(milliseconds: 50))
                if pair.now > healed.advanced(milliseconds: 5_000) { break }
            }
            worst = max(worst, pair.now.nanoseconds - healed.nanoseconds)
        }
        #expect(worst <= 3_000_000_000)
    }

    @Test func `after three days apart two sides come together again`() {
        for seed in 0..<3 as Range<UInt64> {
            var pair = Reunited(seed: seed)
            pair.isPartitioned = true
            pair.run(until: Instant(nanoseconds: 3 * 86_400 * 1_000_000_000))
            #expect(pair.wires.count > 20_000)
            pair.isPartitioned = false
            pair.run(until: pair.now.advanced(milliseconds: 20_000))
            #expect(pair.playing[0] != nil && pair.playing[0] == pair.playing[1], "seed \(seed)")
        }
    }

    @Test func `of dials under way at once the first to arrive serves`() {
        var side = Reunion(resuming: InstanceID(value: 5), random: 1, now: Instant(nanoseconds: 0))
        let other = Reunion.Party(instance: InstanceID(value: 9), epoch: 3)
        let taken: [Reunion.Effect] = [.accept(1, epoch: 0), .adopt(.guest(1))]
        #expect(side.greeted(by: 1, other, number: 20) == taken)
        for number in [19, 21, 24] as [Reunion.Dial] {
            #expect(side.greeted(by: 2, other, number: number) == [.refuse(2, .crossing)])
        }
        // So many later it has given the first one up, whatever is known of that here.
        #expect(
            side.greeted(by: 3, other, number: 25)
                == [.accept(3, epoch: 1), .leave(.superseded), .adopt(.guest(3))])
    }

    @Test func `while nothing answers dials slow down but never stop`() {
        var side = Reunion(resuming: InstanceID(value: 1), random: 5, now: Instant(nanoseconds: 0))
        var times: [UInt64] = []
        while let due = side.deadline, due.nanoseconds < 600_000_000_000 {
            #expect(side.tick(now: due).count == 1)
            times.append(due.nanoseconds / 1_000_000)
        }
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(pauses.prefix(29).allSatisfy { $0 == 1_000 })
        #expect(pauses.allSatisfy { $0 <= 18_750 })
        #expect(pauses.suffix(10).allSatisfy { $0 >= 11_250 })
    }

    @Test func `a process of the same player elsewhere takes the match over, and it is said so`() {
        var side = Reunion(
            playing: .guest(1), instance: InstanceID(value: 5), with: InstanceID(value: 9),
            random: 1,
            now: Instant(nanoseconds: 0))
        let other = Reunion.Party(instance: InstanceID(value: 2), epoch: 0)
        #expect(
            side.greeted(by: 2, other, number: 1)
                == [.accept(2, epoch: 1), .leave(.elsewhere), .adopt(.guest(2))])
    }

    @Test func `a late word of an earlier process does not push out the later one`() {
        var side = Reunion(resuming: InstanceID(value: 5), random: 1, now: Instant(nanoseconds: 0))
        let later = Reunion.Party(instance: InstanceID(value: 2), run: 0, epoch: 0)
        let earlier = Reunion.Party(instance: InstanceID(value: 9), run: .max, epoch: 7)
        #expect(side.greeted(by: 1, later, number: 1) == [.accept(1, epoch: 0), .adopt(.guest(1))])
        #expect(side.greeted(by: 2, earlier, number: 9) == [.refuse(2, .crossing)])
        // While nobody is there it may serve; the later one takes its place when it comes.
        side.lost(.guest(1), now: Instant(nanoseconds: 0))
        #expect(
            side.greeted(by: 3, earlier, number: 10) == [.accept(3, epoch: 1), .adopt(.guest(3))])
        #expect(
            side.greeted(by: 4, later, number: 2)
                == [.accept(4, epoch: 2), .leave(.elsewhere), .adopt(.guest(4))])
    }

    @Test func `a dial that an earlier process answers is given up`() {
        var side = Reunion(resuming: InstanceID(value: 5), random: 1, now: Instant(nanoseconds: 0))
        #expect(side.tick(now: Instant(nanoseconds: 0)) == [.dial(1, epoch: 0)])
        // It was let in from an instance that is smaller, so the own dial goes on.
        let later = Reunion.Party(instance: InstanceID(value: 2), run: 4, epoch: 0)
        #expect(side.greeted(by: 1, later, number: 1) == [.accept(1, epoch: 0), .adopt(.guest(1))])
        let earlier = Reunion.Party(instance: InstanceID(value: 9), run: 3, epoch: 7)
        #expect(side.welcomed(1, earlier) == [.abandon(1)])
    }

    @Test func `a dial of an earlier epoch is given up when another begins`() {
        let now = Instant(nanoseconds: 0)
        var side = Reunion(resuming: InstanceID(value: 5), random: 1, now: now)
        #expect(side.tick(now: now) == [.dial(1, epoch: 0)])
        // It was let in from an instance that is smaller, so the own dial goes on.
        let peer = Reunion.Party(instance: InstanceID(value: 2), epoch: 0)
        #expect(side.greeted(by: 1, peer, number: 1) == [.accept(1, epoch: 0), .adopt(.guest(1))])
        side.lost(.guest(1), now: now)
        #expect(side.tick(now: now) == [.abandon(1), .dial(2, epoch: 1)])
    }
}
