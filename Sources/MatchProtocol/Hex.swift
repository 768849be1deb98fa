// SPDX-License-Identifier: MIT

/// Bytes as lower-case hex digits.
package enum Hex {
    /// Two digits a byte.
    package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        append(bytes, to: &text)
        return text
    }

    /// Adds two digits a byte.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        // cannot trap: a value is 0 to 15.
        value < 10 ? 0x30 + value : 0x57 + value
    }

    /// The bytes, or `nil` if `text` is not an even number of digits and lower-case letters.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var digits = text.makeIterator()
        while let first = digits.next(), let second = digits.next() {
            guard let high = value(of: first), let low = value(of: second) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// The value of an upper-case hex digit.
    static func value(ofUpperCase digit: UInt8) -> UInt8? {
        (0x41...0x46).contains(digit) ? digit - 0x41 + 10 : value(of: digit)
    }
}
