// SPDX-License-Identifier: MIT

/// Bytes as lower-case hex digits.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits a byte.
    package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// The bytes, or `nil` if `text` is not an even number of digits and lower-case letters.
    package static func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(of: text[index]), let low = value(of: text[index + 1]) else {
                return nil
            }
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
