// SPDX-License-Identifier: MIT

/// Bytes from the other side that are not what `docs/protocol.md` says.
package struct Malformed: Error, Sendable, Equatable {
    /// A sentence that says what is wrong.
    package var reason: String

    /// Makes the error.
    package init(_ reason: String) { self.reason = reason }
}

/// Builds a line of words (`docs/protocol.md` §5).
struct WordWriter {
    /// The line so far.
    private(set) var line: [UInt8] = []

    /// Adds an argument of any bytes.
    mutating func add(_ argument: some Collection<UInt8>) {
        separate()
        Word.append(argument, to: &line)
    }

    /// Adds a text or a keyword.
    mutating func add(_ text: String) { add(text.utf8) }

    /// Adds a decimal number.
    mutating func add(_ number: some UnsignedInteger) {
        separate()
        line.append(contentsOf: String(number).utf8)
    }

    /// Adds bytes in hex.
    mutating func add(hex bytes: [UInt8]) {
        separate()
        if bytes.isEmpty { line.append(0x2d) } else { Hex.append(bytes, to: &line) }
    }

    private mutating func separate() {
        if !line.isEmpty { line.append(0x20) }
    }

    /// Adds a seat: `1` or `2`.
    mutating func add(_ seat: Seat) { add(seat.rawValue) }
}

/// Takes a line of words apart, from the front.
struct WordReader {
    private var words: ArraySlice<ArraySlice<UInt8>>

    /// Splits a line; two spaces in a row make an empty word, which no argument is.
    init(_ line: [UInt8]) {
        words = line.split(separator: 0x20, omittingEmptySubsequences: false)[...]
    }

    /// The next argument's bytes.
    mutating func argument(_ name: String) throws(Malformed) -> [UInt8] {
        guard let word = words.popFirst(), let bytes = Word.decoded(word) else {
            throw Malformed("\(name) is missing or misspelt.")
        }
        return bytes
    }

    /// The next argument as UTF-8 of a length within `size`.
    mutating func text(_ name: String, size: ClosedRange<Int>) throws(Malformed) -> String {
        let bytes = try argument(name)
        guard size.contains(bytes.count), let text = String(validating: bytes, as: UTF8.self)
        else { throw Malformed("\(name) is no text of \(size.lowerBound) to \(size.upperBound).") }
        return text
    }

    /// The next argument as a decimal number without leading zeros.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ name: String, as type: Number.Type = Number.self
    ) throws(Malformed) -> Number {
        guard let word = words.popFirst(), !word.isEmpty else {
            throw Malformed("\(name) is missing or misspelt.")
        }
        var number: Number = 0
        for byte in word {
            let (tens, isLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(
                Number(truncatingIfNeeded: byte & 15))
            guard 0x30...0x39 ~= byte, !isLarge, !isLarger else {
                throw Malformed("\(name) is no number.")
            }
            number = sum
        }
        guard word.count == 1 || word.first != 0x30 else {
            throw Malformed("\(name) is no number.")
        }
        return number
    }

    /// The next argument as a clock, `-` for none.
    mutating func clock() throws(Malformed) -> MoveClock? {
        let text = String(decoding: try argument("CLOCK"), as: UTF8.self)
        if text.isEmpty { return nil }
        guard let clock = MoveClock(description: text) else { throw Malformed("CLOCK is none.") }
        return clock
    }

    /// The next argument as lower-case hex of `count` bytes.
    mutating func hex(_ name: String, count: Int) throws(Malformed) -> [UInt8] {
        try hex(name, count: count...count)
    }

    /// The next argument as lower-case hex of a number of bytes within `count`.
    mutating func hex(_ name: String, count: ClosedRange<Int>) throws(Malformed) -> [UInt8] {
        guard let word = words.popFirst(), !word.isEmpty else {
            throw Malformed("\(name) is missing or misspelt.")
        }
        let isNothing = word.elementsEqual([0x2d])
        guard let bytes = isNothing ? [] : Hex.decoded(word), count.contains(bytes.count) else {
            throw Malformed("\(name) is no hex of the right length.")
        }
        return bytes
    }

    /// The next argument as `1` or `2`.
    mutating func seat(_ name: String) throws(Malformed) -> Seat {
        guard let seat = Seat(rawValue: try number(name)) else {
            throw Malformed("\(name) is no seat.")
        }
        return seat
    }

    /// Whether nothing is left.
    var isEmpty: Bool { words.isEmpty }

    /// How many words are left.
    var count: Int { words.count }

    /// Makes sure that nothing is left over.
    func end() throws(Malformed) {
        guard words.isEmpty else { throw Malformed("Something is left over.") }
    }
}

/// The one spelling of an argument.
private enum Word {
    static func append(_ argument: some Collection<UInt8>, to line: inout [UInt8]) {
        if argument.isEmpty { return line.append(0x2d) }
        if argument.elementsEqual([0x2d]) { return line.append(contentsOf: "%2D".utf8) }
        for byte in argument {
            if isPlain(byte) {
                line.append(byte)
            } else {
                line += [0x25, upperDigits[Int(byte >> 4)], upperDigits[Int(byte & 15)]]
            }
        }
    }

    static func decoded(_ word: ArraySlice<UInt8>) -> [UInt8]? {
        if word.isEmpty { return nil }
        if word.elementsEqual([0x2d]) { return [] }
        if word.allSatisfy(isPlain) { return Array(word) }
        var argument: [UInt8] = []
        var rest = word
        while let byte = rest.popFirst() {
            if byte != 0x25 {
                argument.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hex.value(ofUpperCase:)),
                let low = rest.popFirst().flatMap(Hex.value(ofUpperCase:))
            else { return nil }
            argument.append(high << 4 | low)
        }
        // Whatever is spelt in another way than ours is refused, so that each has only one.
        var spelling: [UInt8] = []
        append(argument, to: &spelling)
        return spelling.elementsEqual(word) ? argument : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x21 && byte <= 0x7e && byte != 0x25
    }

    private static let upperDigits = Array("0123456789ABCDEF".utf8)
}
