// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

/// The faults of the code that this one descends from, as far as they concern frames and sessions.
/// Each was found in a shipped program; none may come back.
@Suite struct AncestorFaultTests {
    @Test func `ancestor fault 1: the last frame of a full buffer is held back`() {
        var machine = SessionMachine.open(.responder)
        for count in 1...20 {
            let first = UInt64(count * (count - 1) / 2)
            let buffer = (1...count).flatMap { index in
                SessionMessage.packet(
                    number: first + UInt64(index), [UInt8](repeating: 1, count: 270)
                ).frame
            }
            #expect(machine.hears(buffer).count == count)
        }
    }

    @Test(arguments: 0...8)
    func `ancestor fault 2: fewer bytes than a header raise an exception`(count: Int) throws {
        let frame = SessionMessage.packet(number: 1, [1]).frame
        var machine = SessionMachine.open(.responder)
        #expect(machine.hears([UInt8](frame.prefix(count))).isEmpty)
        #expect(machine.isOpen)
        #expect(machine.hears([UInt8](frame.dropFirst(count))) == [.packet(number: 1, [1])])
    }

    @Test func `ancestor fault 3: a huge length overflows the check or is buffered for ever`() {
        for length in [.max, .max - 3, 1 << 31, 1 << 30, 1_048_577] as [UInt32] {
            var machine = SessionMachine.open(.responder)
            let header = header(length)
            _ = machine.hears(header)
            guard case .protocolError = machine.end else {
                Issue.record("\(length) was awaited")
                continue
            }
        }
    }

    @Test func `ancestor fault 3: a frame in many reads is copied as a whole for each of them`() {
        // The bytes kept after each read are those read, so none is kept, or copied, twice.
        var machine = SessionMachine.open(.responder)
        let frame = SessionMessage.packet(number: 1, [UInt8](repeating: 3, count: 1_000_000)).frame
        var events: [SessionEvent] = []
        for start in stride(from: 0, to: frame.count, by: 512) {
            events += machine.hears([UInt8](frame[start..<min(start + 512, frame.count)]))
            #expect(machine.heldBytes == (events.isEmpty ? start + 512 : 1_000_000))
        }
        #expect(events.count == 1)
    }

    @Test func `ancestor fault 4: lengths in host order and no version`() {
        #expect(SessionMessage.unknown(kind: 0xf0, []).frame == [0, 0, 0, 1, 0xf0])
        var hello = Hello.test(.initiator)
        hello.versions = VersionRange(2, 2)
        var machine = SessionMachine.make(.responder)
        let told = machine.hears(SessionMessage.hello(hello).frame)
        guard case .ended(.refused(let refusal)) = told.first else {
            Issue.record("another version was taken")
            return
        }
        #expect(refusal.code == .version)
    }

    @Test(arguments: [-1, Int.min, 0, 3, Int.max])
    func `ancestor fault 5: a failed write is taken for a partial one`(used: Int) {
        var machine = SessionMachine.open(.responder)
        _ = machine.send([1])
        let all = machine.pendingOutput
        machine.withPendingOutput { _ in used }
        #expect(machine.pendingOutput == all - max(0, min(used, all)))
        machine.failed(writing: "Broken pipe")
        #expect(machine.told() == [.ended(.writeError("Broken pipe"))])
        #expect(!machine.hasOutput)
    }

    @Test func `ancestor fault 6: errors of the output stream are not reported`() {
        for place in SessionMachineTableTests.Place.allCases where place != .ended {
            var machine = place.machine
            machine.failed(writing: "Connection reset by peer")
            #expect(machine.told() == [.ended(.writeError("Connection reset by peer"))])
        }
    }

    @Test func `ancestor fault 7: closing while events are handled uses what is gone`() {
        var machine = SessionMachine.open(.responder)
        let three = (1...3).flatMap { SessionMessage.packet(number: $0, [1]).frame }
        machine.receive(three.span, at: at(0))
        #expect(machine.nextEvent() == .packet(number: 1, [1]))
        machine.close(.left)
        #expect(
            machine.told() == [
                .packet(number: 2, [1]), .packet(number: 3, [1]), .ended(.closed(.left)),
            ])
        #expect(machine.hears(three).isEmpty)
    }

    @Test func `ancestor fault 8: a large message exhausts memory`() {
        // There is a largest frame, it is announced, and until it is all here only what came is kept.
        var machine = SessionMachine.open(.initiator)
        #expect(
            machine.send([UInt8](repeating: 0, count: 1 << 20)) == .tooLarge(limit: (1 << 20) - 9))
        _ = machine.hears([0, 0x10, 0, 0, 4, 0, 0])
        #expect(machine.isOpen && machine.heldBytes == 7)
    }

    @Test func `ancestor fault 9: the queue is unbounded`() {
        var machine = SessionMachine.open(.initiator)
        while machine.send([UInt8](repeating: 0, count: 1_000)) != .windowFull {}
        #expect(machine.log.bytes <= 263_144 && machine.pendingOutput <= 270_000)
    }

    @Test func `ancestor fault 9: what waits is lost on close`() {
        var pair = Pair()
        pair.settle()
        for number in 0..<100 { _ = pair.initiator.send([UInt8(number)]) }
        pair.initiator.close(.left)
        pair.settle()
        #expect(pair.packets(at: .responder) == (0..<100).map { [UInt8($0)] })
        #expect(pair.responder.end == .left(.left, text: ""))
    }

    @Test func `ancestor fault 9: an end inside a frame is silent`() {
        var machine = SessionMachine.open(.responder)
        _ = machine.hears([0, 0, 0, 9, 4])
        machine.endOfStream(at: at(1))
        #expect(machine.told() == [.ended(.lost("cut inside a frame"))])
    }

    @Test func `ancestor fault 17: what comes late is taken for current`() {
        var machine = SessionMachine.open(.responder)
        let frames = (1...3).map { SessionMessage.packet(number: $0, [UInt8($0)]).frame }
        for frame in frames { #expect(machine.hears(frame).count == 1) }
        for frame in frames { #expect(machine.hears(frame).isEmpty) }
        var hello = Hello.testResume
        hello.token = SessionToken([UInt8](repeating: 9, count: 16))
        var other = SessionMachine.make(.responder)
        guard case .hello(let told) = other.hears(SessionMessage.hello(hello).frame).first else {
            Issue.record("no hello")
            return
        }
        #expect(told.token == hello.token)
    }
}
