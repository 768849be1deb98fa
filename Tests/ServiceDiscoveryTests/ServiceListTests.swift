// SPDX-License-Identifier: MIT

import ResponderProtocol
import ServiceDiscovery
import Testing

/// Sightings and details for the tests.
enum Sample {
    static func sighting(
        _ name: String = "Alice", on interface: UInt32 = 2, _ family: Family = .ipv4
    ) -> Sighting {
        Sighting(interface: interface, family: family, name: name)
    }

    static func detail(
        _ id: Int = 1, _ address: [UInt8] = [10, 0, 0, 1], port: UInt16 = 4242,
        state: String = "open"
    ) -> Detail {
        let digits = String(id, radix: 16)
        let word = String(repeating: "0", count: 16 - digits.count) + digits
        return Detail(
            host: "h.local", address: address, port: port,
            text: ["id=\(word)", "state=\(state)"].map { Array($0.utf8) })
    }

    /// Every interface is in all of these.
    static let networks = LocalNetworks(
        (0...200 as ClosedRange<UInt32>).flatMap { interface in
            [
                .init(interface: interface, address: [10, 0, 0, 9], prefix: 8),
                .init(interface: interface, address: [192, 168, 0, 9], prefix: 16),
                .init(interface: interface, address: [127, 0, 0, 1], prefix: 8),
            ] as [LocalNetworks.Network]
        })

    static let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    static let one = "0000000000000001"
}

@Suite struct ServiceListTests {
    private var list = ServiceList(hidden: "0000000000000009")

    init() {
        list.take(Sample.networks, at: 0)
    }

    /// Lets the time that news is gathered pass.
    private mutating func told(at now: Milliseconds) -> [DiscoveryEvent] {
        list.tick(at: now + ServiceList.gathering)
    }

    private func service(_ events: [DiscoveryEvent]) throws -> Service {
        guard case .found(let service) = try #require(events.first) else {
            throw Missing()
        }
        return service
    }

    private struct Missing: Error {}

    @Test mutating func `all sightings of one id are one service`() throws {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        list.found(Sample.sighting("Alice", on: 3), Sample.detail(1, [192, 168, 0, 1]), at: 1)
        list.found(
            Sample.sighting("Alice", on: 2, .ipv6), Sample.detail(1, Sample.linkLocal), at: 2)
        list.found(
            Sample.sighting("Alice", on: 3, .ipv6), Sample.detail(1, Sample.linkLocal), at: 3)
        list.found(Sample.sighting("Alice", on: 1), Sample.detail(1, [127, 0, 0, 1]), at: 4)
        // The same address on another interface is the same address.
        list.found(Sample.sighting("Alice", on: 4), Sample.detail(), at: 5)
        let events = told(at: 0)
        #expect(events.count == 1)
        let service = try service(events)
        #expect(service.id == Sample.one)
        #expect(service.text["state"] == Array("open".utf8))
        #expect(
            service.addresses == [
                ServiceAddress(bytes: [10, 0, 0, 1], scope: 0, port: 4242),
                ServiceAddress(bytes: [127, 0, 0, 1], scope: 0, port: 4242),
                ServiceAddress(bytes: [192, 168, 0, 1], scope: 0, port: 4242),
                ServiceAddress(bytes: Sample.linkLocal, scope: 2, port: 4242),
                ServiceAddress(bytes: Sample.linkLocal, scope: 3, port: 4242),
            ])
    }

    @Test mutating func `what is said again is not told again`() {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        #expect(told(at: 0).count == 1)
        list.found(Sample.sighting(), Sample.detail(), at: 100)
        #expect(told(at: 100).isEmpty)
        #expect(list.deadline == nil)
    }

    @Test mutating func `the newest word counts`() throws {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        list.found(
            Sample.sighting("Alice", on: 2, .ipv6), Sample.detail(1, Sample.linkLocal), at: 0)
        _ = told(at: 0)
        list.found(Sample.sighting(), Sample.detail(1, state: "busy"), at: 100)
        #expect(try service(told(at: 100)).text["state"] == Array("busy".utf8))
    }

    @Test mutating func `nonsense changes nothing that is known`() {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        _ = told(at: 0)
        var blank = Sample.detail()
        blank.text = []
        list.found(Sample.sighting(), blank, at: 100)
        list.found(Sample.sighting("Bob"), blank, at: 100)
        list.found(Sample.sighting("Bob"), Sample.detail(2, port: 0), at: 100)
        list.found(Sample.sighting("Bob"), Sample.detail(2, [8, 8, 8, 8]), at: 100)
        #expect(told(at: 100).isEmpty)
    }

    @Test mutating func `the own service is not told`() {
        list.found(Sample.sighting(), Sample.detail(9), at: 0)
        #expect(told(at: 0).isEmpty)
        #expect(list.deadline == nil)
    }

    @Test mutating func `a service is gone when it was not seen for a while, and not before`() {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        list.found(Sample.sighting("Alice", on: 3), Sample.detail(), at: 0)
        _ = told(at: 0)
        list.lost(Sample.sighting(), at: 100)
        #expect(list.tick(at: 5000).isEmpty)
        list.lost(Sample.sighting("Alice", on: 3), at: 6000)
        #expect(list.tick(at: 6000 + ServiceList.patience - 1).isEmpty)
        #expect(list.deadline == 6000 + ServiceList.patience)
        #expect(list.tick(at: 6000 + ServiceList.patience) == [.gone(id: Sample.one)])
        #expect(list.tick(at: 9000).isEmpty)
    }

    @Test mutating func `a service that comes back in time was never gone`() {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        _ = told(at: 0)
        list.lost(Sample.sighting(), at: 100)
        list.found(Sample.sighting("Alice #2"), Sample.detail(), at: 1099)
        let events = list.tick(at: 1200)
        guard case .found(let service) = events.first else {
            Issue.record("not told")
            return
        }
        #expect(service.name == "Alice #2")
        #expect(list.tick(at: 9000).isEmpty)
    }

    @Test mutating func `who copies an id changes nothing, and gives way if it came first`() throws
    {
        let copy = Sample.detail(1, [10, 0, 0, 66], port: 666, state: "busy")
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        let right = try service(told(at: 0))
        for name in ["Eve", "Mallory"] { list.found(Sample.sighting(name), copy, at: 100) }
        list.found(Sample.sighting("Eve", on: 3), copy, at: 100)
        #expect(told(at: 100).isEmpty)
        // Where the copy was seen first, the first dial finds that it is none.
        var other = ServiceList(hidden: nil)
        other.take(Sample.networks, at: 0)
        for name in ["Eve", "Mallory"] { other.found(Sample.sighting(name), copy, at: 0) }
        other.found(Sample.sighting(), Sample.detail(), at: 100)
        for (name, now) in [("Eve", 1000 as Milliseconds), ("Mallory", 1100)] {
            #expect(try service(other.tick(at: now)).name == name)
            other.mark(id: Sample.one, stale: true, at: now)
            // Saying it again does not help.
            other.found(Sample.sighting("Eve"), copy, at: now)
        }
        #expect(try service(other.tick(at: 2000)) == right)
        other.found(Sample.sighting("Eve"), copy, at: 3000)
        #expect(other.tick(at: 4000).isEmpty)
    }

    @Test mutating func `a service has its new name when the old one is gone`() throws {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        #expect(try service(told(at: 0)).name == "Alice")
        list.found(Sample.sighting("Alice #2"), Sample.detail(), at: 100)
        #expect(told(at: 100).isEmpty)
        list.lost(Sample.sighting(), at: 200)
        #expect(try service(told(at: 200)).name == "Alice #2")
    }

    @Test mutating func `copies of an id that do not answer make room for the game`() throws {
        for number in 0..<ServiceList.sightingsPerService {
            list.found(
                Sample.sighting("E\(number)"), Sample.detail(1, [10, 0, 0, UInt8(number)]), at: 0)
        }
        let game = Sample.detail(1, [10, 0, 0, 99])
        list.found(Sample.sighting(), game, at: 0)
        #expect(list.takeUnlisted() == [Sample.sighting()])
        list.silent(Sample.sighting("E3"), at: 0)
        list.found(Sample.sighting(), game, at: 0)
        #expect(list.takeUnlisted() == [Sample.sighting("E3")])
        for number in 0..<ServiceList.sightingsPerService where number != 3 {
            list.lost(Sample.sighting("E\(number)"), at: 0)
        }
        #expect(try service(told(at: 0)).name == "Alice")
    }

    @Test mutating func `another process under the same name is another service`() {
        list.found(Sample.sighting(), Sample.detail(1), at: 0)
        _ = told(at: 0)
        list.found(Sample.sighting(), Sample.detail(2), at: 100)
        #expect(told(at: 100).count == 1)
        #expect(list.tick(at: 100 + ServiceList.patience) == [.gone(id: Sample.one)])
    }

    @Test mutating func `a service is stale when no sighting of it answers`() throws {
        let other = Sample.sighting("Alice", on: 3)
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        list.found(other, Sample.detail(), at: 0)
        #expect(try !service(told(at: 0)).isStale)
        list.silent(Sample.sighting(), at: 100)
        #expect(told(at: 100).isEmpty)
        list.silent(other, at: 200)
        #expect(try service(told(at: 200)).isStale)
        list.found(other, Sample.detail(), at: 300)
        #expect(try !service(told(at: 300)).isStale)
        list.silent(Sample.sighting("nobody"), at: 400)
        #expect(told(at: 400).isEmpty)
    }

    @Test mutating func `the user can mark a service and take the mark away`() throws {
        list.found(Sample.sighting(), Sample.detail(), at: 0)
        _ = told(at: 0)
        list.mark(id: Sample.one, stale: true, at: 100)
        #expect(try service(told(at: 100)).isStale)
        list.silent(Sample.sighting(), at: 200)
        list.mark(id: Sample.one, stale: false, at: 200)
        #expect(try !service(told(at: 200)).isStale)
        list.mark(id: Sample.one, stale: true, at: 300)
        #expect(try service(told(at: 300)).isStale)
        list.found(Sample.sighting(), Sample.detail(), at: 400)
        #expect(try !service(told(at: 400)).isStale)
        list.mark(id: "unknown", stale: true, at: 500)
        #expect(told(at: 500).isEmpty)
    }

    @Test mutating func `what a responder reported outlives it until the next has had its time`() {
        list.found(Sample.sighting("Alice"), Sample.detail(1), at: 0)
        list.found(Sample.sighting("Bob"), Sample.detail(2), at: 0)
        _ = told(at: 0)
        list.orphan(at: 1000)
        list.found(Sample.sighting("Bob"), Sample.detail(2), at: 3000)
        #expect(list.tick(at: 6999).isEmpty)
        #expect(list.tick(at: 7000) == [.gone(id: Sample.one)])
        #expect(list.tick(at: 60_000).isEmpty)
    }

    @Test mutating func `a flood is bounded`() {
        for number in 0..<1000 {
            let address: [UInt8] = [10, 0, UInt8(number / 250), UInt8(number % 250)]
            list.found(Sample.sighting("S\(number)"), Sample.detail(100 + number, address), at: 0)
        }
        #expect(told(at: 0).count == ServiceList.capacity)
        var one = ServiceList(hidden: nil)
        one.take(Sample.networks, at: 0)
        for number in 1...100 {
            one.found(
                Sample.sighting("Alice", on: UInt32(number)),
                Sample.detail(1, [10, 0, 0, UInt8(number)]), at: 0)
        }
        guard case .found(let service) = one.tick(at: 100).first else {
            Issue.record("not told")
            return
        }
        #expect(service.addresses.count == ServiceList.sightingsPerService)
        #expect(list.clear().count == ServiceList.capacity)
        #expect(list.deadline == nil)
    }
}
