// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@Suite struct SessionTimeTests {
    @Test(arguments: Role.allCases)
    func `silence before the hello ends the connection at 5 s and not before`(role: Role) {
        var machine = SessionMachine.make(role)
        _ = machine.nextOutput()
        #expect(machine.deadline == at(5_000))
        machine.tick(at: at(4_999))
        #expect(machine.end == nil)
        machine.tick(at: at(5_000))
        #expect(machine.end == .lost("the hello took too long"))
        #expect(machine.nextOutput() == nil)
    }

    @Test func `one byte a second before the hello ends at 5 s in all`() {
        var machine = SessionMachine.make(.responder)
        let hello = SessionMessage.hello(.test(.initiator)).frame
        for second in 0..<5 {
            machine.tick(at: at(UInt64(second) * 1_000))
            _ = machine.hears([hello[second]], at: at(UInt64(second) * 1_000))
        }
        #expect(machine.end == nil)
        #expect(machine.deadline == at(5_000))
        machine.tick(at: at(5_000))
        #expect(machine.end == .lost("the hello took too long"))
    }

    @Test func `a hello that nobody answers ends at 5 s in all`() {
        var machine = SessionMachine.make(.responder)
        _ = machine.hears(SessionMessage.hello(.test(.initiator)).frame, at: at(4_000))
        machine.tick(at: at(4_999))
        #expect(machine.end == nil)
        machine.tick(at: at(5_000))
        #expect(machine.end == .lost("the hello took too long"))
    }

    @Test func `one byte a second in a session ends at the frame's 10 s`() {
        var machine = SessionMachine.open(.responder)
        let frame = SessionMessage.packet(number: 1, [UInt8](0..<40)).frame
        for second in 0..<10 {
            let now = at(100 + UInt64(second) * 1_000)
            machine.tick(at: now)
            _ = machine.hears([frame[second]], at: now)
            #expect(machine.deadline == at(10_100))
        }
        machine.tick(at: at(10_099))
        #expect(machine.isOpen)
        machine.tick(at: at(10_100))
        #expect(machine.end == .lost("a frame took too long"))
        #expect(machine.said() == [.goodbye(.tookTooLong, text: "a frame took too long")])
    }

    @Test func `a frame's time starts with its own first byte`() {
        var machine = SessionMachine.open(.responder)
        let frame = SessionMessage.note([1]).frame
        _ = machine.hears([frame[0]], at: at(0))
        #expect(machine.deadline == at(10_000))
        _ = machine.hears([UInt8](frame[1...]) + [frame[0]], at: at(9_000))
        #expect(machine.deadline == at(19_000))
        _ = machine.hears([UInt8](frame[1...]), at: at(9_500))
        #expect(machine.deadline == at(24_500))
    }

    @Test func `silence is broken by a ping, and an unanswered ping ends the connection`() {
        var machine = SessionMachine.open(.initiator)
        #expect(machine.deadline == at(15_000))
        machine.tick(at: at(14_999))
        #expect(!machine.hasOutput)
        machine.tick(at: at(15_000))
        guard case .ping? = machine.said().first else {
            Issue.record("no ping")
            return
        }
        #expect(machine.deadline == at(25_000))
        machine.tick(at: at(24_999))
        #expect(machine.isOpen && !machine.hasOutput)
        machine.tick(at: at(25_000))
        #expect(machine.end == .lost("silent"))
    }

    @Test func `any byte answers a ping`() {
        var machine = SessionMachine.open(.initiator)
        machine.tick(at: at(15_000))
        _ = machine.hears([0], at: at(20_000))
        machine.tick(at: at(25_000))
        #expect(machine.isOpen)
    }

    @Test func `two idle machines keep each other alive for a day`() {
        var pair = Pair()
        pair.settle()
        pair.advance(milliseconds: 86_400_000)
        #expect(pair.initiator.isOpen && pair.responder.isOpen)
    }

    @Test func `a link that dies is noticed by both within 25 s`() {
        var pair = Pair()
        pair.settle()
        pair.isUp = false
        pair.advance(milliseconds: 24_980)
        #expect(pair.initiator.isOpen && pair.responder.isOpen)
        pair.advance(milliseconds: 20)
        #expect(pair.initiator.end == .lost("silent"))
        #expect(pair.responder.end == .lost("silent"))
    }

    @Test func `a flood of pings that nobody reads the answers of grows nothing`() {
        var machine = SessionMachine.open(.responder)
        let pings = (1...1_000).flatMap { SessionMessage.ping($0).frame }
        for _ in 0..<100 { _ = machine.hears(pings) }
        #expect(machine.heldBytes < 100)
        #expect(machine.said() == [.pong(1_000)])
    }

    @Test func `time that does not move or moves back is harmless`() {
        var machine = SessionMachine.open(.responder)
        _ = machine.hears(SessionMessage.note([1]).frame, at: at(9_000))
        machine.tick(at: at(0))
        machine.tick(at: at(0))
        machine.tick(at: Instant(nanoseconds: .max))
        machine.tick(at: Instant(nanoseconds: .max))
        #expect(!machine.isOpen || machine.deadline == Instant(nanoseconds: .max))
    }
}
