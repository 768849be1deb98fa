// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import OnlinePlay

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
            let now = at(UInt64(number) * 10)
            let ticket = try #require(
                try admission.arrived(from: address(number), at: now).ticket)
            return admission.greeted(ticket, at: now)
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

    @Test mutating func `whoever did what it came for outlives any flood`() throws {
        let ticket = try #require(try admission.arrived(from: address(1), at: at(0)).ticket)
        _ = admission.greeted(ticket, at: at(0))
        admission.left(ticket)
        admission.behaved(try address(1))
        #expect(admission.counts == (0, 0))
        let again = try #require(try admission.arrived(from: address(1), at: at(0)).ticket)
        for number in 2..<1_000 {
            let arrival = try admission.arrived(from: address(number), at: at(0))
            arrival.ticket.map { admission.spoke($0) }
            #expect(arrival.dropped != again)
        }
    }

    /// A thousand addresses that connect and stay; one peer in their midst needs the time of so
    /// many arrivals until it has spoken.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `an honest peer gets through a flood of those who say nothing`(seed: UInt64) throws {
        var admission = Admission(OnlineLimits(), seed: seed)
        for number in 0..<500 { _ = try admission.arrived(from: address(number), at: at(0)) }
        let honest = try #require(try admission.arrived(from: address(999), at: at(0)).ticket)
        for number in 500..<999 {
            if number == 512 { admission.spoke(honest) }
            let arrival = try admission.arrived(from: address(number), at: at(0))
            #expect(arrival.ticket != nil && arrival.dropped != honest)
            #expect(admission.counts.strangers <= 32)
        }
    }

    /// Two thousand a second say what an honest peer says at first; it needs so many milliseconds
    /// for the rest, and comes again when it was turned away.
    @Test(arguments: [3, 10, 80], 0..<2 as Range<UInt64>)
    func `an honest peer gets through a flood of those who begin`(
        handshake: UInt64, seed: UInt64
    ) throws {
        var admission = Admission(OnlineLimits(), seed: seed)
        var honest: (ticket: Int, since: UInt64)?
        var lots = SeededGenerator(state: seed)
        for moment in 0..<2_000 as Range<UInt64> {
            // Half a millisecond each, in which one comes, or two, or nobody.
            let now = Instant(nanoseconds: moment * 500_000)
            for number in 0..<Int.random(in: 0...2, using: &lots) {
                let source = try address(Int(moment) * 2 + number)
                let crowd = admission.arrived(from: source, at: now)
                if let ticket = crowd.ticket { admission.spoke(ticket) }
                if let here = honest, crowd.dropped == here.ticket { honest = nil }
            }
            if let here = honest {
                if moment - here.since >= 2 * handshake {
                    #expect(moment - 400 <= 2 * (handshake + 120))
                    return
                }
            } else if moment >= 400, moment.isMultiple(of: 10),
                let ticket = try admission.arrived(from: address(5_000), at: now).ticket
            {
                admission.spoke(ticket)
                honest = (ticket, moment)
            }
        }
        Issue.record("it was kept out")
    }
}
