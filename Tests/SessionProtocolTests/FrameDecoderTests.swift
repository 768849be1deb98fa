// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@Suite struct FrameDecoderTests {
    /// Seven frames of different sizes, one with an empty body and one as large as allowed.
    static let messages: [SessionMessage] = [
        .unknown(kind: 0xf0, []), .ping(7), .packet(number: 1, []),
        .packet(number: 2, [UInt8](0..<40)), .have(count: 3, hash: nil), .note([1]),
        .unknown(kind: 0xf3, [UInt8](repeating: 9, count: 63)),
    ]
    static let stream = messages.flatMap(\.frame)
    static let bodies = messages.map { [UInt8]($0.frame.dropFirst(4)) }

    @Test(arguments: 1...stream.count)
    func `pieces of any size give the same frames`(size: Int) throws {
        #expect(try frames(of: Self.stream, inPiecesOf: [size], largest: 64) == Self.bodies)
    }

    @Test func `every split in two and in three gives the same frames`() throws {
        for first in 1..<Self.stream.count {
            for second in 1...(Self.stream.count - first) {
                let sizes = [first, second, Self.stream.count]
                let found = try frames(of: Self.stream, inPiecesOf: sizes, largest: 64)
                #expect(found == Self.bodies, "split at \(first) and \(first + second)")
            }
        }
    }

    @Test func `random splits of a long stream give the same frames`() throws {
        var random = SeededGenerator(seed: 1)
        let bodies = (0..<300).map { _ in
            [0xf5] + random.bytes(Int.random(in: 0...200, using: &random))
        }
        let stream = bodies.flatMap { SessionMessage.unknown(kind: $0[0], [UInt8]($0[1...])).frame }
        for _ in 0..<200 {
            let sizes = (0..<2_000).map { _ in Int.random(in: 1...90, using: &random) }
            #expect(try frames(of: stream, inPiecesOf: sizes) == bodies)
        }
    }

    @Test(arguments: [0xffff_ffff, 0xffff_fffb, 0x8000_0000, 0x7fff_ffff, 4_097] as [UInt32])
    func `a length above the limit is an error once its four bytes are there`(length: UInt32) {
        for limit in [4_096, 16_777_216] as [UInt32] where length > limit {
            for size in 1...4 {
                var decoder = FrameDecoder(largest: limit)
                let header = header(length)
                let early = header.prefix(4 - size), late = header.suffix(size)
                #expect(throws: Never.self) {
                    try frames(in: [UInt8](early), with: &decoder)
                }
                #expect(throws: FrameError.tooLarge(length: length, limit: limit)) {
                    try frames(in: [UInt8](late), with: &decoder)
                }
                #expect(decoder.heldBytes <= 4)
            }
        }
    }

    @Test func `a length of nothing is an error`() {
        var decoder = FrameDecoder(largest: 4_096)
        #expect(throws: FrameError.empty) { try frames(in: [0, 0, 0, 0], with: &decoder) }
    }

    @Test func `a length at the limit is allowed and reserves nothing`() throws {
        var decoder = FrameDecoder(largest: .max)
        #expect(try frames(in: [0xff, 0xff, 0xff, 0xff, 4], with: &decoder).isEmpty)
        #expect(decoder.heldBytes == 5)
    }

    @Test func `the limit may rise between two frames of one chunk`() throws {
        var decoder = FrameDecoder(largest: 2)
        let chunk: [UInt8] = [0, 0, 0, 2, 0xf0, 1, 0, 0, 0, 3, 0xf0, 1, 2]
        var offset = 0
        #expect(try decoder.next(of: chunk.span, from: &offset) == .inChunk(4..<6))
        decoder.largest = 3
        #expect(try decoder.next(of: chunk.span, from: &offset) == .inChunk(10..<13))
        #expect(try decoder.next(of: chunk.span, from: &offset) == nil)
    }

    @Test func `the end is clean between frames and cut inside one`() throws {
        for end in 0...Self.stream.count {
            var decoder = FrameDecoder(largest: 64)
            _ = try frames(in: [UInt8](Self.stream.prefix(end)), with: &decoder)
            var boundary = 0
            for body in Self.bodies where boundary < end { boundary += body.count + 4 }
            #expect(decoder.atBoundary == (boundary == end))
            if boundary == end {
                try decoder.end()
            } else {
                #expect(throws: FrameError.cut) { try decoder.end() }
            }
        }
    }
}
