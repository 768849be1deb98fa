// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

/// Two machines over a link with latency, pieces and cuts.
@Suite struct PairTests {
    @Test(arguments: [1, 2, 3, 7, 64, 1_000], [0, 1, 80] as [UInt64])
    func `a session is the same over every link`(piece: Int, latency: UInt64) {
        var pair = Pair()
        pair.piece = piece
        pair.latency = latency
        pair.settle()
        var sent: [[UInt8]] = []
        for size in [0, 1, 16, 300, 4_000] {
            sent.append([UInt8](repeating: UInt8(size & 0xff), count: size))
            for role in Role.allCases { _ = pair[role].send(sent[sent.count - 1]) }
            pair.advance(milliseconds: 40)
        }
        pair.settle()
        #expect(pair.packets(at: .responder) == sent)
        #expect(pair.packets(at: .initiator) == sent)
        pair.advance(milliseconds: 1_200)
        #expect(pair.initiator.log.count == 0 && pair.responder.log.count == 0)
        pair.responder.close(.shuttingDown, text: "night")
        pair.settle()
        #expect(pair.initiator.end == .left(.shuttingDown, text: "night"))
        #expect(pair.responder.end == .closed(.shuttingDown))
    }

    @Test func `a stream cut at any byte ends as lost, after the whole packets before it`() {
        var sender = SessionMachine.open(.initiator)
        for size in 0..<12 { _ = sender.send([UInt8](repeating: 1, count: size * 3)) }
        let stream = sender.nextOutput() ?? []
        for end in 0...stream.count {
            var machine = SessionMachine.open(.responder)
            let packets = machine.hears([UInt8](stream.prefix(end))).count
            machine.endOfStream(at: at(1))
            let whole = (try? frames(of: stream, inPiecesOf: [stream.count])) ?? []
            var boundary = 0, expected = 0
            for frame in whole where boundary + frame.count + 4 <= end {
                boundary += frame.count + 4
                expected += 1
            }
            #expect(packets == expected)
            let reason = boundary == end ? "closed without a goodbye" : "cut inside a frame"
            #expect(machine.told() == [.ended(.lost(reason))])
        }
    }

    @Test func `the end is told exactly once and last, whatever follows`() {
        for role in Role.allCases {
            var pair = Pair()
            pair.settle()
            _ = pair[role].send([1])
            pair[role].close(.left)
            pair[role].close(.disk)
            pair.settle()
            pair.cut()
            for side in Role.allCases {
                let events = pair.events[side] ?? []
                let ends = events.filter { if case .ended = $0 { true } else { false } }
                #expect(ends.count == 1 && events.last == ends.first)
            }
        }
    }
}
