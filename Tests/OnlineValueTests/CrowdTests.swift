// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import OnlinePlay

/// The moment so many milliseconds after the start.
func at(_ milliseconds: UInt64) -> Instant {
    Instant(nanoseconds: 0).advanced(milliseconds: milliseconds)
}

/// An address of its own for each number.
func address(_ number: Int) throws -> AddressGroup {
    let bytes: [UInt8] = [10, 0, UInt8(number / 250), UInt8(number % 250)]
    return AddressGroup(try #require(Endpoint(address: bytes, port: 1)))
}

private func crowd(
    most: Int = 8, mostFromOne: Int = 3, atEase: Int? = nil, seed: UInt64 = 1
) -> Crowd {
    Crowd(
        most: most, mostFromOne: mostFromOne, atEase: atEase ?? most, patience: 1_000, stay: 100,
        seed: seed)
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

    @Test(arguments: 0..<20 as Range<UInt64>)
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

    @Test func `one who has spoken stays for the time of a handshake`() throws {
        func arrive(_ crowd: inout Crowd, _ ticket: Int, from number: Int, _ repute: Repute)
            throws -> Crowd.Verdict
        {
            let source = try address(number)
            return crowd.arrive(
                ticket, from: source, at: at(99),
                repute: { $0 == source ? repute : .unknown })
        }
        var full = crowd(most: 8)
        for ticket in 0..<8 {
            _ = try dropped(&full, ticket, from: ticket)
            full.spoke(ticket)
        }
        #expect(try arrive(&full, 8, from: 8, .unknown) == .turnedAway)
        #expect(full.count == 8)
        // Not so for who is known to be good, nor among who is not alone, silent or suspect.
        var other = full
        guard case .admitted(_?) = try arrive(&other, 8, from: 8, .good) else {
            Issue.record("a good one is turned away")
            return
        }
        other = full
        #expect(try dropped(&other, 8, from: 8, at: at(99), suspects: [3]) == 3)
        #expect(try dropped(&full, 8, from: 8, at: at(100)) != nil)
    }

    @Test(arguments: [(8, 0.0), (12, 0.25), (16, 0.5), (20, 0.75), (23, 0.9375)])
    func `one who has waited for long goes early, the more likely the more there are`(
        count: Int, chance: Double
    ) throws {
        var early = 0
        for seed in 0..<200 as Range<UInt64> {
            var full = crowd(most: 24, atEase: 8, seed: seed)
            for ticket in 0..<count { _ = try dropped(&full, ticket, from: ticket) }
            if try dropped(&full, 99, from: 99, at: at(1_000)) != nil { early += 1 }
        }
        #expect(abs(Double(early) / 200 - chance) < 0.1)
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

    @Test(arguments: 0..<10 as Range<UInt64>)
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
