// SPDX-License-Identifier: MIT

/// A place in a log: how many entries there are up to it, and the hash of the last.
package struct LogHead: Sendable, Equatable {
    /// How many entries.
    package var count: UInt64
    /// The hash of the last: 32 bytes, zeros if there is none.
    package var hash: [UInt8]

    /// Makes a place.
    package init(count: UInt64, hash: [UInt8]) {
        self.count = count
        self.hash = hash
    }

    /// Before the first entry.
    package static let start = LogHead(count: 0, hash: [UInt8](repeating: 0, count: 32))
}

/// A signed line of one player's log (`docs/protocol.md` §5.2).
///
/// The bytes that are signed, sent and stored are the same: ``line``.
package struct Entry: Sendable, Equatable {
    /// The author.
    package let seat: Seat
    /// The entry's number in the author's log, from 1.
    package let number: UInt64
    /// How far the author had stored the other log.
    package let seen: LogHead
    /// The hash of the author's entry before this one.
    package let previous: [UInt8]
    /// What it says.
    package let body: EntryBody
    /// The whole line.
    package let line: [UInt8]

    /// The longest line, in bytes.
    package static let longest = 2048
    private static let signatureDigits = 128

    /// Writes and signs the entry after `own`, or gives `nil` if signing failed.
    package init?(
        after own: LogHead, by seat: Seat, seen: LogHead, _ body: EntryBody,
        cryptography: any Cryptography
    ) {
        var words = WordWriter()
        words.add(seat)
        words.add(own.count + 1)
        words.add(seen.count)
        words.add(hex: seen.hash)
        words.add(hex: own.hash)
        body.write(to: &words)
        guard let signature = cryptography.sign(Self.signed(words.line)) else { return nil }
        words.add(hex: signature)
        self.seat = seat
        number = own.count + 1
        self.seen = seen
        previous = own.hash
        self.body = body
        line = words.line
    }

    /// Reads a line. Whether its signature and numbers are right is not looked at.
    package init(line: [UInt8]) throws(Malformed) {
        guard line.count <= Self.longest else { throw Malformed("The entry is too long.") }
        var words = WordReader(line)
        seat = try words.seat("SEAT")
        number = try words.number("NUMBER")
        seen = LogHead(
            count: try words.number("SEEN"), hash: try words.hex("SEENHASH", count: 32))
        previous = try words.hex("PREV", count: 32)
        body = try EntryBody(from: &words, before: 1)
        _ = try words.hex("SIGNATURE", count: Self.signatureDigits / 2)
        try words.end()
        self.line = line
    }

    /// Whether the author signed this.
    package func isSigned(by key: [UInt8], cryptography: any Cryptography) -> Bool {
        guard let signature = Hex.decoded(line.suffix(Self.signatureDigits)) else {
            return false
        }
        let text = line.dropLast(Self.signatureDigits + 1)
        return cryptography.verify(signature, of: Self.signed(text), by: key)
    }

    /// The hash that the author's next entry and the other log refer to.
    package func hash(_ cryptography: any Cryptography) -> [UInt8] {
        cryptography.sha256(Array("ttt-hash-v1\n".utf8) + line)
    }

    private static func signed(_ text: some Collection<UInt8>) -> [UInt8] {
        Array("ttt-entry-v1\n".utf8) + text
    }
}
