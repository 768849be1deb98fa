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
