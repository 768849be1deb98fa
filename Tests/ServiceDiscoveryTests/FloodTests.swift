// SPDX-License-Identifier: MIT

import ResponderProtocol
import ServiceDiscovery
import Testing

/// Adverts that are not meant to be of use to anybody (what `docs/security.md` calls hostile
/// discovery): the list stays bounded, and real games stay in it.
@Suite struct FloodTests {
    private var list = ServiceList(
        hidden: nil,
        knownAs: { text in
            text["k"].flatMap {
                $0.starts(with: "known".utf8) ? String(decoding: $0, as: UTF8.self) : nil
            }
        })
    private var names: [String: String] = [:]

    init() {
        list.take(Sample.networks, at: 0)
    }

    /// Advertises a service at an address.
    private mutating func advertise(
        _ id: Int, at address: [UInt8], key: String? = nil, on interface: UInt32 = 2
    ) {
        var detail = Sample.detail(id, address)
        if let key { detail.text.append(Array("k=\(key)".utf8)) }
        list.found(Sample.sighting("S\(id)", on: interface), detail, at: 0)
    }

    /// Lets everything be told.
    private mutating func settle() {
        take(list.tick(at: ServiceList.gathering))
    }

    private mutating func take(_ events: [DiscoveryEvent]) {
        for event in events {
            switch event {
            case .found(let service): names[service.id] = service.name
            case .gone(let id):
                #expect(names[id] != nil)
                names[id] = nil
            case .means, .advertised: Issue.record("\(event)")
            }
        }
    }

    private func isListed(_ id: Int) -> Bool { names.values.contains("S\(id)") }

    /// An address of the network for each number.
    private func address(_ number: Int) -> [UInt8] {
        [10, 1, UInt8(number / 200), UInt8(number % 200)]
    }

    @Test(arguments: [1, 2, 5]) mutating func `a flood from few hosts hides no game`(
        hosts: Int
    ) {
        advertise(1, at: [10, 0, 0, 1])
        for number in 0..<400 { advertise(100 + number, at: address(number % hosts)) }
        advertise(2, at: [10, 0, 0, 2])
        settle()
        #expect(isListed(1) && isListed(2))
        #expect(names.count == 2 + hosts * ServiceList.servicesAtOneAddress)
    }

    @Test mutating func `those seen first stay when every address of a network is made up`() {
        advertise(1, at: [10, 0, 0, 1])
        for number in 0..<400 { advertise(100 + number, at: address(number)) }
        settle()
        #expect(isListed(1) && isListed(100) && !isListed(499))
        #expect(names.count == ServiceList.capacity)
    }

    @Test mutating func `a game at an address of its own takes the place of one among many`() {
        for number in 0..<400 { advertise(100 + number, at: address(number % 100)) }
        settle()
        #expect(names.count == ServiceList.capacity)
        advertise(1, at: [10, 0, 0, 1])
        settle()
        #expect(isListed(1))
        #expect(names.count == ServiceList.capacity)
    }

    @Test mutating func `a game of a known peer is listed however full the list is`() {
        for number in 0..<400 { advertise(100 + number, at: address(number)) }
        for peer in 0..<50 { advertise(2_000 + peer, at: address(0), key: "known\(peer)") }
        settle()
        #expect((0..<50).allSatisfy { isListed(2_000 + $0) })
        #expect(names.count == ServiceList.capacity)
        // Nor is it given up for others.
        for number in 0..<400 { advertise(5_000 + number, at: [10, 9, 9, 9]) }
        settle()
        #expect((0..<50).allSatisfy { isListed(2_000 + $0) })
    }

    @Test mutating func `copies of a known peer's key tag fill no list`() {
        for number in 0..<400 { advertise(100 + number, at: address(3), key: "known") }
        settle()
        #expect(
            names.count == ServiceList.servicesOfOnePeer + ServiceList.servicesAtOneAddress)
        advertise(1, at: [10, 0, 0, 1])
        advertise(2, at: address(3), key: "known too")
        settle()
        #expect(isListed(1) && isListed(2))
    }

    @Test mutating func `a game of a known peer is that also if a copy of its id came first`() {
        for number in 0..<15 { advertise(100 + number, at: address(0)) }
        advertise(1, at: address(0))
        advertise(1, at: [10, 0, 0, 1], key: "known", on: 3)
        for number in 1..<300 { advertise(1_000 + number, at: address(number)) }
        // The newest at the address with the most makes room.
        advertise(2, at: [10, 0, 0, 2], key: "known too")
        settle()
        #expect(isListed(1))
        #expect(names.count == ServiceList.capacity)
    }

    @Test mutating func `what cannot be reached goes first`() {
        for number in 0..<ServiceList.capacity {
            advertise(100 + number, at: [8, 8, UInt8(number / 200), UInt8(number % 200)])
        }
        settle()
        #expect(names.isEmpty)
        for number in 0..<300 { advertise(1_000 + number, at: address(number)) }
        settle()
        #expect(names.count == ServiceList.capacity)
    }

    @Test mutating func `an advert that points out of the interface's network is not listed`() {
        list.take(
            LocalNetworks([
                .init(interface: 2, address: [10, 77, 0, 11], prefix: 24),
                .init(interface: 3, address: [10, 78, 0, 11], prefix: 24),
            ]), at: 0)
        let outside: [[UInt8]] = [
            [10, 78, 0, 5], [10, 0, 0, 1], [192, 168, 0, 1], [172, 16, 0, 1], [127, 0, 0, 1],
            [8, 8, 8, 8],
        ]
        for (id, address) in outside.enumerated() { advertise(100 + id, at: address) }
        settle()
        #expect(names.isEmpty)
        advertise(1, at: [10, 77, 0, 5])
        advertise(2, at: [10, 78, 0, 5], on: 3)
        advertise(3, at: [169, 254, 3, 3])
        settle()
        #expect(isListed(1) && isListed(2) && isListed(3))
        // The machine moves to another network: what was near is not any more.
        list.take(
            LocalNetworks([.init(interface: 2, address: [10, 0, 0, 9], prefix: 24)]), at: 100)
        take(list.tick(at: 100 + ServiceList.gathering))
        #expect(isListed(101) && isListed(3))
        #expect(names.count == 2)
    }

    @Test mutating func `what is given up for others is told as gone, once`() {
        for number in 0..<ServiceList.capacity { advertise(100 + number, at: address(number)) }
        settle()
        advertise(1, at: [10, 0, 0, 1], key: "known")
        #expect(list.deadline == 0)
        let events = list.tick(at: 1)
        #expect(events.count == 1)
        take(events)
        take(list.tick(at: 100))
        #expect(isListed(1))
        #expect(names.count == ServiceList.capacity)
        #expect(list.clear().count == ServiceList.capacity)
    }

    @Test mutating func `what is not listed is said, so that nobody keeps it resolved`() {
        for number in 0..<20 { advertise(100 + number, at: address(0)) }
        let unlisted = list.takeUnlisted()
        #expect(unlisted == (16..<20).map { Sample.sighting("S\(100 + $0)") })
        #expect(list.takeUnlisted() == [])
        list.silent(Sample.sighting("S100"), at: 0)
        list.silent(Sample.sighting("never seen"), at: 0)
        var odd = Sample.detail(1)
        odd.text = []
        list.found(Sample.sighting("odd"), odd, at: 0)
        list.found(Sample.sighting("S100"), odd, at: 0)
        #expect(list.takeUnlisted().map(\.name) == ["never seen", "odd"])
        for number in 0..<ServiceList.capacity { advertise(1_000 + number, at: address(number)) }
        _ = list.takeUnlisted()
        advertise(9, at: address(1), key: "known")
        #expect(list.takeUnlisted().count == 1)
    }

    @Test mutating func `a service has two names at most, so that it takes no more attention`() {
        for name in 0..<10 {
            list.found(Sample.sighting("N\(name)", on: 2), Sample.detail(1, address(1)), at: 0)
        }
        #expect(list.takeUnlisted().count == 8)
        list.found(Sample.sighting("N0", on: 3), Sample.detail(1, address(1)), at: 0)
        #expect(list.takeUnlisted().isEmpty)
    }
}
