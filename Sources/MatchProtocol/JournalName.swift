// SPDX-License-Identifier: MIT

/// Which match a journal is of, and whose of the two: also the name of its file.
package struct JournalName: Sendable, Hashable {
    /// The match id: 16 bytes.
    package let match: [UInt8]
    /// The seat of the player who keeps the journal.
    package let seat: Seat

    /// Makes a name.
    package init(match: [UInt8], seat: Seat) {
        self.match = match
        self.seat = seat
    }

    /// Reads the name of a file: `MATCH.SEAT`. `nil` for every other file, also for locks, for
    /// what was put aside, and for a file that was being written.
    package init?(file: String) {
        let parts = file.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        guard parts.count == 2, let match = Hex.decoded(Array(parts[0])), match.count == 16,
            let seat = Seat.allCases.first(where: { "\($0.rawValue)".utf8.elementsEqual(parts[1]) })
        else { return nil }
        self.init(match: match, seat: seat)
    }

    /// The match id in 32 hex digits.
    package var matchDigits: String { String(decoding: Hex.encoded(match), as: UTF8.self) }
    /// The file's name.
    package var file: String { "\(matchDigits).\(seat.rawValue)" }
    /// The name of the lock.
    package var lock: String { file + ".lock" }
    /// The name under which the file is written before it takes the other's place.
    package var new: String { file + ".new" }
    /// The name of the damaged file that is put aside as number `number`.
    package func damaged(_ number: Int) -> String { "\(file).damaged-\(number)" }
}
