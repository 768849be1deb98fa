// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

/// Whatever arrives, nothing traps, nothing grows, and the connection ends as it should.
@Suite struct HostileInputTests {
    /// The most that a machine may hold: a window of packets and one more, notes, answers, and an
    /// unfinished frame.
    private static let bound = 262_144 + 65_536 * 2 + 1_048_576 * 2 + 100

    private static func places() -> [SessionMachine] {
        var deciding = SessionMachine.make(.responder)
        _ = deciding.hears(SessionMessage.hello(.test(.initiator)).frame)
        return [
            .make(.initiator), .make(.responder), deciding, .open(.initiator), .open(.responder),
        ]
    }

    @Test func `100,000 random streams neither trap nor grow anything`() {
        var random = SeededGenerator(seed: 6)
        let places = Self.places()
        var ended = 0
        for round in 0..<100_000 {
            var machine = places[round % places.count]
            let bytes = Self.stream(round, &random)
            machine.receive(bytes.span, at: at(1))
            #expect(machine.heldBytes <= Self.bound)
            machine.tick(at: at(60_000))
            if machine.end != nil { ended += 1 }
            while machine.nextEvent() != nil {}
            _ = machine.nextOutput()
        }
        #expect(ended > 50_000)
    }

    /// Bytes without any order, frames of random bodies, or a few right messages with bits turned.
    private static func stream(_ round: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 1...60, using: &random)
        switch round / 5 % 3 {
        case 0: return random.bytes(count)
        case 1: return [0, 0, 0, UInt8(count), UInt8(round % 11)] + random.bytes(count + 5)
        default:
            var bytes = right[Int.random(in: 0..<right.count, using: &random)]
            bytes += right[Int.random(in: 0..<right.count, using: &random)]
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            return bytes
        }
    }

    private static let right: [[UInt8]] = DocumentTests.messages.values.map(\.frame).sorted {
        $0.lexicographicallyPrecedes($1)
    }

    @Test func `an endless stream of right messages that nobody takes grows nothing`() {
        var machine = SessionMachine.open(.responder)
        var number: UInt64 = 0
        var heard = 0
        while machine.isOpen, heard < 64 << 20 {
            number += 1
            let frames =
                SessionMessage.packet(number: number, [UInt8](repeating: 0, count: 20)).frame
                + SessionMessage.ping(number).frame
                + SessionMessage.unknown(kind: 0xf7, [UInt8](repeating: 0, count: 90)).frame
            machine.receive(frames.span, at: at(0))
            machine.took(packets: 1)
            while machine.nextEvent() != nil {}
            machine.withPendingOutput { _ in 0 }
            heard += frames.count
            #expect(machine.heldBytes <= Self.bound)
        }
        // Its own output is never read, so what it acknowledges is never said.
        #expect(machine.end == .protocolError("packets beyond the window"))
    }

    @Test(arguments: [0xffff_ffff, 0xffff_fffb, 0x8000_0000, 0x7fff_ffff, 0] as [UInt32])
    func `a hostile length ends every state at once and holds nothing`(length: UInt32) {
        let header = header(length)
        for var machine in Self.places() {
            _ = machine.nextOutput()
            machine.receive((header + [1, 2, 3]).span, at: at(0))
            guard case .protocolError = machine.end else {
                Issue.record("went on")
                continue
            }
            #expect(machine.heldBytes < 300)
        }
    }

    @Test func `every one and every two bytes end a connection or wait for more`() {
        for place in Self.places() {
            for value in UInt16.min ... .max {
                var machine = place
                let bytes = [UInt8(value >> 8), UInt8(value & 0xff)]
                machine.receive((value < 256 ? [bytes[1]] : bytes).span, at: at(0))
                machine.endOfStream(at: at(1))
                guard machine.end != nil, machine.heldBytes < 300 else {
                    Issue.record("\(value): \(String(describing: machine.end))")
                    return
                }
            }
        }
    }

    @Test(arguments: [0x00, 0x0a, 0xff] as [UInt8])
    func `one byte again and again ends a connection or waits for more`(byte: UInt8) {
        for place in Self.places() {
            for count in 1...64 {
                var machine = place
                machine.receive([UInt8](repeating: byte, count: count).span, at: at(0))
                machine.endOfStream(at: at(1))
                #expect(machine.end != nil)
            }
        }
    }

    @Test func `an HTTP request and 64 KiB of random bytes end a responder at once`() {
        var random = SeededGenerator(seed: 7)
        for bytes in [[UInt8]("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), random.bytes(65_536)] {
            var machine = SessionMachine.make(.responder)
            machine.receive(bytes.span, at: at(0))
            guard case .protocolError = machine.end else {
                Issue.record("went on")
                continue
            }
            #expect(machine.nextOutput() == nil && machine.heldBytes == 0)
        }
    }
}
