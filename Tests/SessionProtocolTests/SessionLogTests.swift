// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@Suite struct SessionLogTests {
    /// An open pair, with nothing under way.
    private static func pair(
        limits: SessionLimits = SessionLimits(), acknowledgement: Acknowledgement = .whenTaken
    ) -> Pair {
        var pair = Pair(limits: limits, acknowledgement: acknowledgement)
        pair.settle()
        return pair
    }

    /// The *have* messages among what a machine says now.
    private static func haves(_ machine: inout SessionMachine) -> [UInt64] {
        machine.said().compactMap { message in
            if case .have(let count, _) = message { count } else { nil }
        }
    }

    @Test func `packets arrive once, in order, with their numbers`() {
        var pair = Self.pair()
        for number in 1...500 as ClosedRange<UInt64> {
            #expect(pair.initiator.send([UInt8(number & 0xff)]) == .accepted(number))
            if number.isMultiple(of: 7) { _ = pair.responder.send([9]) }
            if number.isMultiple(of: 50) { pair.settle() }
        }
        pair.settle()
        #expect(pair.packets(at: .responder) == (1...500).map { [UInt8($0 & 0xff)] })
        #expect(pair.packets(at: .initiator).count == 71)
    }

    @Test func `a sender stops after 1024 packets until the peer has some`() {
        var pair = Self.pair()
        pair.takes = false
        for number in 1...1_024 as ClosedRange<UInt64> {
            #expect(pair.initiator.canSend)
            #expect(pair.initiator.send([]) == .accepted(number))
        }
        #expect(!pair.initiator.canSend)
        #expect(pair.initiator.send([]) == .windowFull)
        pair.settle()
        pair.responder.took(packets: 63)
        pair.settle()
        #expect(pair.initiator.send([]) == .windowFull)
        pair.responder.took(packets: 1)
        pair.settle()
        #expect(pair.initiator.send([]) == .accepted(1_025))
        #expect(pair.responder.isOpen)
    }

    @Test func `a sender stops at 256 KiB, which one packet may exceed`() {
        var pair = Self.pair()
        pair.takes = false
        let large = [UInt8](repeating: 1, count: 262_143)
        #expect(pair.initiator.send(large) == .accepted(1))
        #expect(pair.initiator.send(large) == .accepted(2))
        #expect(pair.initiator.send([]) == .windowFull)
        pair.settle()
        #expect(pair.packets(at: .responder) == [large, large])
        pair.responder.took(packets: 2)
        pair.settle()
        #expect(pair.initiator.send([]) == .accepted(3))
        #expect(pair.initiator.log.count == 1)
    }

    @Test(arguments: [
        // What is wished for, the size of each packet, and how many may be on their way.
        (100_000, 262_144, 1, 1_024), (1_024, 100_000_000, 65_536, 4), (5, 262_144, 1, 5),
        (1_024, 10, 4, 3), (0, 262_144, 1, 1), (1_024, -1, 1, 1),
    ])
    func `a window can be lowered, and not raised above what every receiver grants`(
        packets: Int, bytes: Int, size: Int, expected: Int
    ) {
        var limits = SessionLimits()
        limits.windowPackets = packets
        limits.windowBytes = bytes
        var pair = Self.pair(limits: limits)
        let packet = [UInt8](repeating: 1, count: size)
        var sent = 0
        while sent < 3_000, pair.initiator.send(packet) != .windowFull { sent += 1 }
        #expect(sent == expected)
        pair.settle()
        #expect(pair.packets(at: .responder).count == expected)
        #expect(pair.responder.isOpen)
    }

    @Test func `packets beyond the window are a protocol error`() {
        var machine = SessionMachine.open(.responder)
        for number in 1...1_024 as ClosedRange<UInt64> {
            _ = machine.hears(SessionMessage.packet(number: number, []).frame)
        }
        #expect(machine.isOpen)
        _ = machine.hears(SessionMessage.packet(number: 1_025, []).frame)
        #expect(machine.end == .protocolError("packets beyond the window"))

        machine = .open(.responder)
        let half = [UInt8](repeating: 0, count: 131_072)
        _ = machine.hears(SessionMessage.packet(number: 1, half).frame)
        _ = machine.hears(SessionMessage.packet(number: 2, half).frame)
        #expect(machine.isOpen)
        _ = machine.hears(SessionMessage.packet(number: 3, [1]).frame)
        #expect(machine.end == .protocolError("packets beyond the window"))
    }

    @Test func `what was taken is acknowledged after 64 packets`() {
        var machine = SessionMachine.open(.responder)
        for number in 1...100 as ClosedRange<UInt64> {
            _ = machine.hears(SessionMessage.packet(number: number, [1]).frame)
        }
        machine.took(packets: 63)
        #expect(!machine.hasOutput)
        machine.took(packets: 1)
        #expect(machine.hasOutput)
        #expect(Self.haves(&machine) == [64])
        machine.took(packets: 1_000)
        #expect(Self.haves(&machine).isEmpty)
        #expect(machine.have == 100)
    }

    @Test func `what was taken is acknowledged after 64 KiB`() {
        var machine = SessionMachine.open(.responder)
        let packet = [UInt8](repeating: 0, count: 32_768)
        for number in 1...3 as ClosedRange<UInt64> {
            _ = machine.hears(SessionMessage.packet(number: number, packet).frame)
        }
        machine.took(packets: 1)
        #expect(!machine.hasOutput)
        machine.took(packets: 1)
        #expect(Self.haves(&machine) == [2])
    }

    @Test func `what was taken is acknowledged within a second, once`() {
        var machine = SessionMachine.open(.responder)
        _ = machine.hears(SessionMessage.packet(number: 1, [1]).frame, at: at(100))
        #expect(machine.deadline == at(15_100))
        machine.took(packets: 1)
        #expect(machine.deadline == at(1_100))
        machine.tick(at: at(1_099))
        #expect(!machine.hasOutput)
        machine.tick(at: at(1_100))
        #expect(Self.haves(&machine) == [1])
        #expect(machine.deadline == at(15_100))
    }

    @Test func `an acknowledgement goes along with whatever is sent, one for all`() {
        var machine = SessionMachine.open(.responder)
        for number in 1...3 as ClosedRange<UInt64> {
            _ = machine.hears(SessionMessage.packet(number: number, [1]).frame)
            machine.took(packets: 1)
            _ = machine.send([2])
        }
        #expect(
            machine.said() == [
                .packet(number: 1, [2]), .packet(number: 2, [2]), .packet(number: 3, [2]),
                .have(count: 3, hash: nil),
            ])
        #expect(machine.deadline == at(15_000))
    }

    @Test func `an explicit acknowledgement goes at once with its hash, and is told`() {
        var pair = Self.pair(acknowledgement: .explicit)
        _ = pair.initiator.send([1])
        _ = pair.initiator.send([2])
        pair.settle()
        #expect(pair.initiator.log.count == 2)
        let hash = [UInt8](repeating: 5, count: 32)
        pair.responder.acknowledge(through: 1, hash: hash)
        pair.settle()
        #expect(pair.events[.initiator]?.last == .had(count: 1, hash: hash))
        #expect(pair.initiator.log.first == 2 && pair.initiator.log.count == 1)
        pair.responder.acknowledge(through: 1, hash: hash)
        pair.responder.took(packets: 1)
        #expect(!pair.responder.hasOutput && pair.responder.have == 1)
    }

    @Test func `a have that falls or claims what was not sent is a protocol error`() {
        for count in [0, 3] as [UInt64] {
            var machine = SessionMachine.open(.initiator)
            _ = machine.send([1])
            _ = machine.send([2])
            _ = machine.hears(SessionMessage.have(count: 1, hash: nil).frame)
            #expect(machine.isOpen)
            _ = machine.hears(SessionMessage.have(count: count, hash: nil).frame)
            guard case .protocolError = machine.end else {
                Issue.record("have \(count) was taken")
                continue
            }
        }
    }

    @Test func `notes arrive in order with packets and without numbers`() {
        var pair = Self.pair()
        #expect(pair.initiator.sendNote([1]) == .accepted(0))
        _ = pair.initiator.send([2])
        _ = pair.initiator.sendNote([3])
        pair.settle()
        #expect(
            pair.events[.responder]?.suffix(3) == [.note([1]), .packet(number: 1, [2]), .note([3])])
    }

    @Test func `more than 64 KiB of waiting notes are a protocol error, taken ones are not`() {
        var machine = SessionMachine.open(.responder)
        let note = SessionMessage.note([UInt8](repeating: 0, count: 64)).frame
        for _ in 0..<2_000 { #expect(machine.hears(note).count == 1) }
        for _ in 0..<512 { machine.receive(note.span, at: at(0)) }
        #expect(machine.isOpen)
        machine.receive(note.span, at: at(0))
        #expect(machine.end == .protocolError("too many notes"))
    }

    @Test func `notes that cannot be written do not pile up`() {
        var machine = SessionMachine.open(.responder)
        let note = [UInt8](repeating: 0, count: 1_000)
        var sent = 0
        while machine.sendNote(note) == .accepted(0) { sent += 1 }
        #expect(machine.sendNote(note) == .windowFull)
        #expect(sent < 300)
    }

    @Test func `output that is written in parts comes out whole`() {
        var whole = SessionMachine.open(.responder)
        var parts = SessionMachine.open(.responder)
        var written: [UInt8] = []
        for number in 1...700 as ClosedRange<UInt64> {
            let packet = [UInt8](repeating: UInt8(number & 0xff), count: Int(number))
            #expect(whole.send(packet) == parts.send(packet))
            parts.withPendingOutput { bytes in
                let count = min(bytes.count, Int(number) / 2)
                written += bytes.prefix(count)
                return count
            }
        }
        parts.withPendingOutput { bytes in
            written += bytes
            return bytes.count
        }
        #expect(written == whole.nextOutput())
        #expect(!parts.hasOutput && parts.pendingOutput == 0)
    }

    @Test func `a stream of many windows of bytes goes through`() {
        var pair = Self.pair()
        let packet = [UInt8](repeating: 1, count: 30_000)
        for _ in 0..<50 {
            for _ in 0..<4 { #expect(pair.initiator.send(packet) != .windowFull) }
            pair.settle()
        }
        #expect(pair.packets(at: .responder).count == 200)
        #expect(pair.responder.isOpen)
    }

    @Test func `a goodbye is preceded by the last have`() {
        var machine = SessionMachine.open(.responder)
        _ = machine.hears(SessionMessage.packet(number: 1, [1]).frame)
        machine.took(packets: 1)
        machine.close(.left)
        #expect(machine.said() == [.have(count: 1, hash: nil), .goodbye(.left, text: "")])
    }

    @Test func `a goodbye follows everything that was sent, with the last have`() {
        var machine = SessionMachine.open(.responder)
        _ = machine.hears(SessionMessage.packet(number: 1, [1]).frame)
        machine.took(packets: 1)
        _ = machine.send([1])
        machine.close(.left, text: "bye")
        #expect(
            machine.said() == [
                .packet(number: 1, [1]), .have(count: 1, hash: nil), .goodbye(.left, text: "bye"),
            ])
        #expect(machine.told() == [.ended(.closed(.left))])
    }
}
