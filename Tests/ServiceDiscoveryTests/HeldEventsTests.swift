// SPDX-License-Identifier: MIT

import ServiceDiscovery
import Testing

@Suite struct HeldEventsTests {
    private var held = HeldEvents()

    private func service(_ id: Int, port: UInt16 = 1) throws -> Service {
        var list = ServiceList(hidden: "0000000000000009")
        list.take(Sample.networks, at: 0)
        let sighting = Sample.sighting()
        list.found(sighting, Sample.detail(id, port: port), at: 0)
        for event in list.tick(at: ServiceList.gathering) {
            if case .found(let service) = event { return service }
        }
        throw Missing()
    }

    private struct Missing: Error {}

    /// Takes everything that is held.
    private mutating func taken() -> [DiscoveryEvent] {
        var events: [DiscoveryEvent] = []
        while let event = held.first {
            events.append(event)
            held.removeFirst()
        }
        return events
    }

    @Test mutating func `events are told in order, and of each matter the newest`() throws {
        let (one, two, changed) = (try service(1), try service(2), try service(1, port: 2))
        held.add(.means(.daemon))
        held.add(.found(one))
        held.add(.found(two))
        held.add(.advertised(name: "A"))
        held.add(.found(changed))
        held.add(.means(.own))
        held.add(.advertised(name: "B"))
        #expect(held.count == 4)
        #expect(taken() == [.means(.own), .found(changed), .found(two), .advertised(name: "B")])
        #expect(held.first == nil)
        held.removeFirst()
    }

    @Test mutating func `a service that came and went is not told, and one that was told goes`()
        throws
    {
        let one = try service(1)
        held.add(.found(one))
        held.add(.gone(id: one.id))
        #expect(taken().isEmpty)
        held.add(.found(one))
        #expect(taken() == [.found(one)])
        held.add(.found(one))
        held.add(.gone(id: one.id))
        #expect(taken() == [.gone(id: one.id)])
        held.add(.gone(id: one.id))
        #expect(taken().isEmpty)
    }

    @Test(.timeLimit(.minutes(1)))
    mutating func `a consumer that does not keep up gets what is so in the end`() async throws {
        let (events, continuation) = HeldEvents.makeStream()
        for port in 1...2_000 {
            held.add(.found(try service(port % 3 + 1, port: UInt16(port))))
            held.tell(to: continuation)
        }
        #expect(held.count == 3)
        var iterator = events.makeAsyncIterator()
        var ports: [String: UInt16] = [:]
        for _ in 0..<HeldEvents.room + 3 {
            guard case .found(let service) = await iterator.next() else { throw Missing() }
            ports[service.id] = service.port
            held.tell(to: continuation)
        }
        #expect(ports.values.sorted() == [1_998, 1_999, 2_000])
        continuation.finish()
        #expect(await iterator.next() == nil)
    }

    @Test mutating func `one that went and came is told as both, however often`() throws {
        let one = try service(1)
        held.add(.found(one))
        _ = taken()
        for _ in 0..<1_000 {
            held.add(.gone(id: one.id))
            held.add(.found(one))
        }
        #expect(held.count == 2)
        #expect(taken() == [.gone(id: one.id), .found(one)])
        held.add(.gone(id: one.id))
        #expect(taken() == [.gone(id: one.id)])
    }
}
