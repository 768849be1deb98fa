// SPDX-License-Identifier: MIT

import ResponderProtocol
import ServiceDiscovery
import Testing

@Suite struct AdvertMachineTests {
    private var advert = AdvertMachine()
    private static let alice = Advertisement(
        name: "Alice", port: 1, text: [TextEntry("id", "0123456789abcdef")])

    private func publish(_ name: String, port: UInt16 = 1) -> Order {
        .publish(name: name, port: port, text: [Array("id=0123456789abcdef".utf8)], at: nil)
    }

    @Test mutating func `it orders once and tells once`() {
        #expect(advert.order(at: 0) == nil)
        advert.want(Self.alice)
        #expect(advert.order(at: 0) == publish("Alice"))
        #expect(advert.order(at: 0) == nil)
        #expect(advert.established(name: "Bob") == nil)
        #expect(advert.established(name: "Alice") == .advertised(name: "Alice"))
        #expect(advert.established(name: "Alice") == nil)
    }

    @Test mutating func `another text waits until the name is established`() {
        var busy = Self.alice
        busy.text.append(TextEntry("state", "busy"))
        advert.want(Self.alice)
        _ = advert.order(at: 0)
        advert.want(busy)
        #expect(advert.order(at: 0) == nil)
        // The first was established, and that is told; then the text follows.
        #expect(advert.established(name: "Alice") == .advertised(name: "Alice"))
        guard case .publish("Alice", 1, let text, nil)? = advert.order(at: 0) else {
            Issue.record("the text does not follow")
            return
        }
        #expect(text.contains(Array("state=busy".utf8)))
        #expect(advert.established(name: "Alice") == nil)
        #expect(advert.order(at: 0) == nil)
    }

    @Test mutating func `another port, another name or nothing does not wait`() {
        for change in [1, 2, 3] {
            var other: Advertisement? = Self.alice
            switch change {
            case 1: other?.port = 2
            case 2: other?.name = "Bob"
            default: other = nil
            }
            advert.want(Self.alice)
            _ = advert.order(at: 0)
            advert.want(other)
            #expect(advert.order(at: 0) != nil, "\(change)")
            advert.forgotten()
        }
    }

    @Test mutating func `what is reached at one place is advertised there alone`() {
        var alice = Self.alice
        alice.place = AdvertisedPlace(interface: 3, isIPv4: false)
        advert.want(alice)
        guard case .publish(_, _, _, let place)? = advert.order(at: 0) else {
            Issue.record("nothing is advertised")
            return
        }
        #expect(place == Place(interface: 3, family: .ipv6))
    }

    @Test mutating func `a new responder is ordered again and that is no news`() {
        advert.want(Self.alice)
        _ = advert.order(at: 0)
        _ = advert.established(name: "Alice")
        advert.forgotten()
        #expect(advert.order(at: 0) == publish("Alice"))
        #expect(advert.established(name: "Alice") == nil)
    }

    @Test mutating func `a taken name is replaced, at once or long after`() {
        advert.want(Self.alice)
        _ = advert.order(at: 0)
        advert.collision(name: "Alice", at: 0)
        #expect(advert.order(at: 0) == publish("Alice #2"))
        #expect(advert.established(name: "Alice #2") == .advertised(name: "Alice #2"))
        advert.collision(name: "Alice", at: 99)
        #expect(advert.order(at: 99) == nil)
        advert.collision(name: "Alice #2", at: 99)
        // The id has a 2 there.
        #expect(advert.deadline == 2_499)
        #expect(advert.order(at: 2_498) == nil)
        #expect(advert.order(at: 2_499) == publish("Alice #3"))
        #expect(advert.established(name: "Alice #3") == .advertised(name: "Alice #3"))
    }

    @Test mutating func `a change of text keeps the name in use`() {
        advert.want(Self.alice)
        _ = advert.order(at: 0)
        advert.collision(name: "Alice", at: 0)
        _ = advert.order(at: 0)
        var other = Self.alice
        other.port = 2
        advert.want(other)
        #expect(advert.order(at: 0) == publish("Alice #2", port: 2))
        other.name = "Bob"
        advert.want(other)
        #expect(advert.order(at: 0) == publish("Bob", port: 2))
    }

    @Test mutating func `it withdraws only what it published`() {
        advert.want(nil)
        #expect(advert.order(at: 0) == nil)
        advert.want(Self.alice)
        _ = advert.order(at: 0)
        advert.want(nil)
        #expect(advert.order(at: 0) == .withdraw)
        #expect(advert.order(at: 0) == nil)
        #expect(advert.established(name: "Alice") == nil)
        advert.collision(name: "Alice", at: 0)
        #expect(advert.order(at: 0) == nil)
    }

    @Test func `two who lose every name at once do not go on in step`() {
        var adverts = [AdvertMachine(), AdvertMachine()]
        for (index, id) in ["0123456789abcdef", "0246813579cafe42"].enumerated() {
            adverts[index].want(
                Advertisement(name: "Alice", port: 1, text: [TextEntry("id", id)]))
        }
        var now: Milliseconds = 0
        var steps = 0
        // Each asks for 750 ms and loses if the other asks for the same name meanwhile.
        while now < 60_000 {
            let orders = adverts.indices.map { adverts[$0].order(at: now) }
            guard case .publish(let one, _, _, _)? = orders[0],
                case .publish(let other, _, _, _)? = orders[1], one == other
            else { break }
            steps += 1
            now += 750
            for index in adverts.indices { adverts[index].collision(name: one, at: now) }
            now = adverts.compactMap(\.deadline).min() ?? now
        }
        #expect(steps == 2)
    }

    @Test mutating func `where every name is denied it slows down`() {
        advert.want(Self.alice)
        var now: Milliseconds = 0
        var orders = 0
        while now < 600_000 {
            while case .publish(let name, _, _, _)? = advert.order(at: now) {
                orders += 1
                advert.collision(name: name, at: now)
            }
            now = advert.deadline ?? .max
        }
        #expect((20...40).contains(orders))
    }
}
