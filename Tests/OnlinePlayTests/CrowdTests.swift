// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import OnlinePlay

/// The moment so many milliseconds after the start.
private func at(_ milliseconds: UInt64) -> Instant {
    Instant(nanoseconds: 0).advanced(milliseconds: milliseconds)
}

/// An address of its own for each number.
private func address(_ number: Int) throws -> AddressGroup {
    let bytes: [UInt8] = [10, 0, UInt8(number / 250), UInt8(number % 250)]
    return AddressGroup(try #require(Endpoint(address: bytes, port: 1)))
}

private func crowd(
    most: Int = 8, mostFromOne: Int = 3, atEase: Int? = nil, seed: UInt64 = 1
) -> Crowd {
    Crowd(
        most: most, mostFromOne: mostFromOne, atEase: atEase ?? most, patience: 1_000, seed: seed)
}

@Suite struct CrowdTests {
    /// Lets somebody in and says who had to go.
    private func dropped(
        _ crowd: inout Crowd, _ ticket: Int, from number: Int, at now: Instant = at(0),
        suspects: Set<Int> = []
    ) throws -> Int? {
        let groups = try Set(suspects.map { try address($0) })
        let verdict = crowd.arrive(
            ticket, from: try address(number), at: now,
            repute: { groups.contains($0) ? .suspect : .unknown })
        guard case .admitted(let dropped) = verdict else {
            Issue.record("turned away")
            return nil
        }
        return dropped
    }

    @Test(arguments: 1...8) func `an address has its number and no more`(number: Int) throws {
        var crowd = crowd(mostFromOne: number)
        for ticket in 0..<number {
            #expect(try dropped(&crowd, ticket, from: 1) == nil)
        }
        let one = try address(1)
        #expect(crowd.arrive(99, from: one, at: at(0), repute: { _ in .unknown }) == .turnedAway)
        #expect(crowd.count == number)
        crowd.leave(0)
        #expect(try dropped(&crowd, 99, from: 1) == nil)
    }

    @Test func `nobody has to go before there is no room`() throws {
        var crowd = crowd()
        for ticket in 0..<8 { #expect(try dropped(&crowd, ticket, from: ticket) == nil) }
        #expect(try dropped(&crowd, 8, from: 8) != nil)
        #expect(crowd.count == 8)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `a newcomer outlives as many arrivals as half the crowd`(seed: UInt64) throws {
        var crowd = crowd(most: 32, seed: seed)
        for ticket in 0..<100 { _ = try dropped(&crowd, ticket, from: ticket) }
        _ = try dropped(&crowd, 1_000, from: 1_000)
        for ticket in 100..<116 {
            #expect(try dropped(&crowd, ticket, from: ticket) != 1_000)
        }
    }

    @Test func `who has to go is drawn by lot, and the same from the same seed`() throws {
        func victims(_ seed: UInt64) throws -> [Int?] {
            var crowd = crowd(most: 32, seed: seed)
            return try (0..<200).map { try dropped(&crowd, $0, from: $0) }
        }
        #expect(try victims(5) == victims(5))
        #expect(try victims(5) != victims(6))
    }

    /// Who has to go, by which addresses are suspect: 1 has three connections, 13 to 15 have one each
    /// that has spoken, 4 one that has not.
    @Test(
        arguments: [
            (suspects: [4], goes: [6]), (suspects: [4, 1], goes: [0, 1, 2]),
            (suspects: [], goes: [0, 1, 2]), (suspects: [14], goes: [4]),
        ] as [(suspects: Set<Int>, goes: Set<Int>)])
    func `suspects go before many from one address, and those before others`(
        suspects: Set<Int>, goes: Set<Int>
    ) throws {
        for seed in 0..<20 as Range<UInt64> {
            var crowd = crowd(most: 14, seed: seed)
            for ticket in 0..<3 { _ = try dropped(&crowd, ticket, from: 1) }
            for ticket in 3..<6 {
                _ = try dropped(&crowd, ticket, from: ticket + 10)
                crowd.spoke(ticket)
            }
            _ = try dropped(&crowd, 6, from: 4)
            // The younger half.
            for ticket in 7..<14 { _ = try dropped(&crowd, ticket, from: ticket + 20) }
            let victim = try #require(try dropped(&crowd, 99, from: 99, suspects: suspects))
            #expect(goes.contains(victim))
        }
    }

    @Test func `who has sent nothing goes before who has`() throws {
        for seed in 0..<20 as Range<UInt64> {
            var crowd = crowd(most: 8, seed: seed)
            for ticket in 0..<8 {
                _ = try dropped(&crowd, ticket, from: ticket)
                if ticket != 2 { crowd.spoke(ticket) }
            }
            #expect(try dropped(&crowd, 8, from: 8) == 2)
        }
    }

    @Test(arguments: [(8, 0.0), (12, 0.25), (16, 0.5), (20, 0.75), (23, 0.9375)])
    func `one who has waited for long goes early, the more likely the more there are`(
        count: Int, chance: Double
    ) throws {
        var early = 0
        for seed in 0..<300 as Range<UInt64> {
            var full = crowd(most: 24, atEase: 8, seed: seed)
            for ticket in 0..<count { _ = try dropped(&full, ticket, from: ticket) }
            if try dropped(&full, 99, from: 99, at: at(1_000)) != nil { early += 1 }
        }
        #expect(abs(Double(early) / 300 - chance) < 0.08)
    }

    @Test func `one who has not waited for long does not go early`() throws {
        var crowd = crowd(most: 24, atEase: 8)
        for ticket in 0..<24 {
            #expect(try dropped(&crowd, ticket, from: ticket, at: at(UInt64(ticket) * 40)) == nil)
        }
    }

    @Test func `where the system has no room the same one goes, until nobody is left`() throws {
        var crowd = crowd()
        for ticket in 0..<4 { _ = try dropped(&crowd, ticket, from: ticket) }
        crowd.spoke(0)
        let gone = (0..<5).map { _ in crowd.makeRoom { _ in .unknown } }
        #expect(gone == [1, 2, 0, 3, nil])
        #expect(crowd.count == 0)
    }

    @Test func `limits that make no sense let nobody in and trap nowhere`() throws {
        for (most, mostFromOne, atEase) in [(0, 4, 0), (-1, 4, -9), (4, 0, 1), (4, -1, 9)] {
            var crowd = crowd(most: most, mostFromOne: mostFromOne, atEase: atEase)
            let one = try address(1)
            #expect(
                crowd.arrive(1, from: one, at: at(0), repute: { _ in .unknown }) == .turnedAway)
            #expect(crowd.makeRoom { _ in .unknown } == nil)
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `whatever happens there are never too many`(seed: UInt64) throws {
        var lots = SeededGenerator(state: seed)
        var crowd = crowd(most: 12, atEase: 5, seed: seed)
        var here: Set<Int> = []
        for ticket in 0..<500 {
            switch Int.random(in: 0..<8, using: &lots) {
            case 0:
                if let one = here.sorted().randomElement(using: &lots) {
                    crowd.leave(one)
                    here.remove(one)
                }
            case 1: crowd.spoke(Int.random(in: 0...ticket, using: &lots))
            case 2: if let gone = crowd.makeRoom(repute: { _ in .unknown }) { here.remove(gone) }
            default:
                let source = try address(Int.random(in: 0..<6, using: &lots))
                let verdict = crowd.arrive(
                    ticket, from: source, at: at(UInt64(ticket) * 100),
                    repute: { _ in Bool.random(using: &lots) ? .suspect : .good })
                if case .admitted(let dropped) = verdict {
                    if let dropped { #expect(here.remove(dropped) != nil) }
                    here.insert(ticket)
                }
            }
            #expect(crowd.count == here.count)
            #expect(crowd.count <= 12)
        }
    }
}

@Suite struct PenaltyTests {
    /// How many of one misdeed in one moment keep an address out.
    @Test(arguments: [(Misdeed.brokenProtocol, 7), (.silence, 7), (.wrongCode, 3)])
    func `a few misdeeds are free`(misdeed: Misdeed, count: Int) throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        for number in 1...(count + 20) {
            book.add(misdeed, by: one, at: at(0))
            #expect(book.isKeptOut(one, at: at(0)) == (number >= count))
        }
        #expect(try !book.isKeptOut(address(2), at: at(0)))
        #expect(try book.repute(of: address(2), at: at(0)) != .suspect)
    }

    @Test(arguments: Misdeed.allCases)
    func `a minute after the last misdeed all is forgiven`(misdeed: Misdeed) throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        for _ in 0..<1_000 { book.add(misdeed, by: one, at: at(5)) }
        #expect(book.isKeptOut(one, at: at(30_004)))
        #expect(!book.isKeptOut(one, at: at(30_005)))
        #expect(book.repute(of: one, at: at(60_004)) == .suspect)
        #expect(book.repute(of: one, at: at(60_005)) != .suspect)
    }

    @Test func `one misdeed now and then keeps nobody out`() throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        for second in 0..<200 as Range<UInt64> {
            book.add(.brokenProtocol, by: one, at: at(second * 6_000))
            #expect(!book.isKeptOut(one, at: at(second * 6_000)))
        }
    }

    @Test func `misdeeds from everywhere are remembered for some addresses, the worst first`()
        throws
    {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let worst = try address(0)
        for _ in 0..<9 { book.add(.brokenProtocol, by: worst, at: at(0)) }
        for number in 1..<1_000 { book.add(.brokenProtocol, by: try address(number), at: at(1)) }
        #expect(book.count == 256)
        #expect(book.isKeptOut(worst, at: at(1)))
        book.add(.silence, by: try address(2_000), at: at(100_000))
        #expect(book.count == 1)
    }

    @Test func `what every program on the machine shares is never kept out`() throws {
        for host in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            var book = PenaltyBook(OnlineLimits.Penalties())
            let own = AddressGroup(try #require(Endpoint(host: host, port: 1)))
            for _ in 0..<99 { book.add(.wrongCode, by: own, at: at(0)) }
            #expect(book.repute(of: own, at: at(0)) != .suspect)
        }
    }

    @Test(
        arguments: [
            ("10.0.0.1", "10.0.0.2", false), ("10.0.0.1", "::ffff:10.0.0.1", true),
            ("2001:db8::1", "2001:db8::2:3:4:5", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("fe80::1%1", "fe80::2%1", false), ("fd00::1", "fd00::2", true),
        ])
    func `an IPv6 network counts as one address, unless it is the link`(
        a: String, b: String, areOne: Bool
    ) throws {
        let groups = try [a, b].map { AddressGroup(try #require(Endpoint(host: $0, port: 1))) }
        #expect((groups[0] == groups[1]) == areOne)
    }
}

extension PenaltyTests {
    @Test func `an address from which somebody was let in is good until it misbehaves`() throws {
        var book = PenaltyBook(OnlineLimits.Penalties())
        let one = try address(1)
        #expect(book.repute(of: one, at: at(0)) == .unknown)
        book.praise(one)
        #expect(book.repute(of: one, at: at(0)) == .good)
        for number in 2..<65 { book.praise(try address(number)) }
        #expect(book.repute(of: one, at: at(0)) == .good)
        book.praise(try address(99))
        #expect(book.repute(of: one, at: at(0)) == .unknown)
        book.praise(one)
        book.add(.silence, by: one, at: at(0))
        #expect(book.repute(of: one, at: at(0)) == .suspect)
        #expect(book.repute(of: one, at: at(5_000)) == .unknown)
    }
}

@Suite struct AdmissionTests {
    private var admission = Admission(OnlineLimits(), seed: 1)

    @Test mutating func `who has said hello leaves the strangers and is a visitor`() throws {
        let ticket = try #require(try admission.arrived(from: address(1), at: at(0)).ticket)
        #expect(admission.counts == (1, 0))
        #expect(admission.greeted(ticket, at: at(0)) == .admitted(dropping: nil))
        #expect(admission.counts == (0, 1))
        admission.left(ticket)
        admission.left(ticket)
        #expect(admission.counts == (0, 0))
        #expect(admission.greeted(ticket, at: at(0)) == .turnedAway)
    }

    @Test mutating func `visitors from one address are few, and in all too`() throws {
        func visit(_ number: Int) throws -> Crowd.Verdict {
            let ticket = try #require(
                try admission.arrived(from: address(number), at: at(0)).ticket)
            return admission.greeted(ticket, at: at(0))
        }
        for _ in 0..<4 { #expect(try visit(1) == .admitted(dropping: nil)) }
        #expect(try visit(1) == .turnedAway)
        #expect(admission.counts.visitors == 4)
        var dropped = 0
        for number in 2..<100 {
            if case .admitted(_?) = try visit(number) { dropped += 1 }
        }
        #expect(admission.counts.visitors == 32)
        #expect(dropped == 98 - 28)
    }

    @Test mutating func `an address that is kept out is turned away before anything else`() throws {
        for _ in 0..<3 { admission.misbehaved(try address(1), .wrongCode, at: at(0)) }
        #expect(try admission.arrived(from: address(1), at: at(0)).ticket == nil)
        #expect(try admission.arrived(from: address(2), at: at(0)).ticket != nil)
        #expect(try admission.arrived(from: address(1), at: at(15_000)).ticket != nil)
    }

    @Test mutating func `who was let in before outlives any flood`() throws {
        let ticket = try #require(try admission.arrived(from: address(1), at: at(0)).ticket)
        _ = admission.greeted(ticket, at: at(0))
        admission.letIn(ticket)
        #expect(admission.counts == (0, 0))
        let again = try #require(try admission.arrived(from: address(1), at: at(0)).ticket)
        for number in 2..<1_000 {
            let arrival = try admission.arrived(from: address(number), at: at(0))
            arrival.ticket.map { admission.spoke($0) }
            #expect(arrival.dropped != again)
        }
    }

    /// A thousand addresses that connect and stay; one peer in their midst needs the time of so
    /// many arrivals for each of its two steps.
    @Test(arguments: [(false, 12, 20), (true, 8, 20), (true, 16, 4)])
    func `an honest peer gets through a flood`(
        floodSpeaks: Bool, arrivalsAStep: Int, atLeast: Int
    ) throws {
        var through = 0
        for seed in 0..<20 as Range<UInt64> {
            var admission = Admission(OnlineLimits(), seed: seed)
            var honest: Int?
            var isGone = false
            for number in 0..<1_000 {
                if number == 500 {
                    let arrival = admission.arrived(
                        from: AddressGroup(try #require(Endpoint(host: "10.9.9.9", port: 1))),
                        at: at(0))
                    honest = arrival.ticket
                }
                if number == 500 + arrivalsAStep, let honest { admission.spoke(honest) }
                if number == 500 + 2 * arrivalsAStep, honest != nil, !isGone { through += 1 }
                let arrival = try admission.arrived(from: address(number), at: at(0))
                if floodSpeaks, let ticket = arrival.ticket { admission.spoke(ticket) }
                if arrival.dropped != nil, arrival.dropped == honest { isGone = true }
                #expect(admission.counts.strangers <= 32)
                if number > 500 + 2 * arrivalsAStep { break }
            }
        }
        #expect(through >= atLeast)
    }
}
