// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import Testing

@Suite struct MoveClockTests {
    @Test(
        arguments: [
            ("5m+3", 300, 3, "5m+3"), ("300+3", 300, 3, "5m+3"), ("5m", 300, 0, "5m"),
            ("90s+0", 90, 0, "90s"), ("1h+1m", 3_600, 60, "1h+1m"), ("7", 7, 0, "7s"),
            ("007+00s", 7, 0, "7s"), ("24h+24h", 86_400, 86_400, "24h+24h"),
            ("61+61", 61, 61, "61s+61"),
        ] as [(String, UInt32, UInt32, String)])
    func `a clock is typed in seconds, minutes or hours`(
        text: String, seconds: UInt32, increment: UInt32, typed: String
    ) throws {
        let clock = try MoveClock(typed: text)
        #expect(clock == MoveClock(seconds: seconds, increment: increment))
        #expect(clock.typed == typed)
        #expect(try MoveClock(typed: typed) == clock)
    }

    @Test(
        arguments: [
            ("", .malformed), ("m", .malformed), ("5m+", .malformed), ("+3", .malformed),
            ("5m+3+1", .malformed), ("5d", .malformed), ("-5", .malformed), ("5 m", .malformed),
            ("5M", .malformed), ("0x5", .malformed), ("\u{665}m", .malformed), ("5:00", .malformed),
            ("0", .range), ("0+5", .range), ("86401", .range), ("25h", .range), ("5+25h", .range),
            ("4294967296", .range), ("4294967295h", .range), ("1+99999999999999999999m", .range),
        ] as [(String, CommandError.Code)])
    func `anything else is told in a sentence`(text: String, code: CommandError.Code) {
        #expect {
            try MoveClock(typed: text)
        } throws: { error in
            guard let error = error as? CommandError else { return false }
            return error.code == code && error.message.hasSuffix(".")
        }
    }
}
