// SPDX-License-Identifier: MIT

import MatchProtocol
import Testing

@Suite struct MatchDetailTests {
    static let clock: [UInt8] = [0, 0, 0, 90, 0, 0, 1, 2]

    @Test func `a detail has nine bytes, and eight more with a clock`() {
        let detail = MatchDetail(
            port: 0x1234, seat: .second, run: 0xfedc, epoch: 0x5678, number: 0x9abc)
        #expect(detail.bytes == [0x12, 0x34, 2, 0xfe, 0xdc, 0x56, 0x78, 0x9a, 0xbc])
        #expect(MatchDetail(detail.bytes) == detail)
        let clocked = MatchDetail(port: 1, clock: MoveClock(seconds: 90, increment: 258))
        #expect(clocked.bytes == [0, 1, 0, 0, 0, 0, 0, 0, 0] + Self.clock)
        #expect(MatchDetail(clocked.bytes) == clocked)
    }

    private static let none = [UInt8](repeating: 0, count: 9)

    private static let wrong: [[UInt8]] = [
        [], none.dropLast(), [0, 1, 3] + none.dropLast(3), none + [0],
        // Of a match that has begun the clock is in the logs.
        [0, 1, 1] + none.dropLast(3) + clock,
        none + clock + [0], none + clock.dropLast(),
        none + [0, 0, 0, 0, 0, 0, 0, 1],
        none + [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
        none + [0, 0, 0, 1, 0, 1, 0x51, 0x81],
    ]

    @Test(arguments: wrong)
    func `other bytes are none`(_ bytes: [UInt8]) {
        #expect(MatchDetail(bytes) == nil)
    }
}
