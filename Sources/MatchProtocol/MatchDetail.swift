// SPDX-License-Identifier: MIT

/// What a side of a match adds to its hello or welcome (`docs/protocol.md` §5.6).
package struct MatchDetail: Sendable, Equatable {
    /// The port on which this side can be dialled; 0 if none.
    package var port: UInt16
    /// The own seat in the match to be resumed; `nil` while there is no match.
    package var seat: Seat?
    /// How often this side's journal had been opened to go on, this process included.
    package var run: UInt16
    /// How many connections this side has had in the match and process.
    package var epoch: UInt16
    /// Which of this side's dials this is; 0 in a welcome.
    package var number: UInt16
    /// The clock that this side wants for a new match.
    package var clock: MoveClock?

    /// Makes the value.
    package init(
        port: UInt16, seat: Seat? = nil, run: UInt16 = 0, epoch: UInt16 = 0, number: UInt16 = 0,
        clock: MoveClock? = nil
    ) {
        self.port = port
        self.seat = seat
        self.run = run
        self.epoch = epoch
        self.number = number
        self.clock = clock
    }

    /// The bytes: nine, or seventeen with a clock.
    package var bytes: [UInt8] {
        let clock = clock.map { Self.four($0.seconds) + Self.four($0.increment) } ?? []
        return Self.pair(port) + [seat?.rawValue ?? 0] + Self.pair(run) + Self.pair(epoch)
            + Self.pair(number) + clock
    }

    /// Reads the bytes; `nil` if they are of another form.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 9 || bytes.count == 17 else { return nil }
        let seat = Seat(rawValue: bytes[2])
        guard seat != nil || bytes[2] == 0 else { return nil }
        // cannot trap: a byte fits, and the count was looked at.
        func number(_ index: Int) -> UInt16 { UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]) }
        var clock: MoveClock?
        if bytes.count == 17 {
            func long(_ index: Int) -> UInt32 {
                UInt32(number(index)) << 16 | UInt32(number(index + 2))
            }
            clock = MoveClock(seconds: long(9), increment: long(13))
            guard seat == nil, clock != nil else { return nil }
        }
        self.init(
            port: number(0), seat: seat, run: number(3), epoch: number(5), number: number(7),
            clock: clock)
    }

    private static func four(_ number: UInt32) -> [UInt8] {
        pair(UInt16(number >> 16)) + pair(UInt16(number & 0xffff))
    }

    private static func pair(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xff)]
    }
}
