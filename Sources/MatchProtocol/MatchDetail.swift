// SPDX-License-Identifier: MIT

/// What a side of a match adds to its hello or welcome (`docs/protocol.md` §5.6).
package struct MatchDetail: Sendable, Equatable {
    /// The port on which this side can be dialled; 0 if none.
    package var port: UInt16
    /// The own seat in the match to be resumed; `nil` while there is no match.
    package var seat: Seat?
    /// How many connections this side has had in the match and process.
    package var epoch: UInt16
    /// Which of this side's dials this is; 0 in a welcome.
    package var number: UInt16

    /// Makes the value.
    package init(port: UInt16, seat: Seat? = nil, epoch: UInt16 = 0, number: UInt16 = 0) {
        self.port = port
        self.seat = seat
        self.epoch = epoch
        self.number = number
    }

    /// The seven bytes.
    package var bytes: [UInt8] {
        Self.pair(port) + [seat?.rawValue ?? 0] + Self.pair(epoch) + Self.pair(number)
    }

    /// Reads the bytes; `nil` if they are of another form.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 7 else { return nil }
        let seat = Seat(rawValue: bytes[2])
        guard seat != nil || bytes[2] == 0 else { return nil }
        func number(_ index: Int) -> UInt16 { UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]) }
        self.init(port: number(0), seat: seat, epoch: number(3), number: number(5))
    }

    private static func pair(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xff)]
    }
}
