// SPDX-License-Identifier: MIT

/// The words of one line, taken from the front; every reading can fail and none traps.
struct Words {
    private var words: ArraySlice<ArraySlice<UInt8>>

    init(_ line: [UInt8]) {
        words = line.split(separator: 32, omittingEmptySubsequences: false)[...]
    }

    var atEnd: Bool { words.isEmpty }

    mutating func next() -> String? {
        words.popFirst().map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func number<Number: FixedWidthInteger>() -> Number? {
        // The initializer would take a sign.
        guard let word = words.popFirst(), word.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Number(String(decoding: word, as: UTF8.self))
    }

    mutating func family() -> Family? {
        number().flatMap(Family.init(rawValue:))
    }

    mutating func bytes() -> [UInt8]? {
        guard let word = words.popFirst() else { return nil }
        if word.elementsEqual([45]) { return [] }
        guard !word.isEmpty, word.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in word {
            guard let digit = Self.digit(character) else { return nil }
            if let known = high {
                bytes.append(known << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    mutating func string() -> String? {
        // Whatever is no UTF-8, or would end early as a C string, never gets to the C libraries.
        guard let bytes = bytes(), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func address() -> [UInt8]? {
        guard let bytes = bytes(), bytes.count == 4 || bytes.count == 16 else { return nil }
        return bytes
    }

    mutating func sighting() -> Sighting? {
        guard let interface: UInt32 = number(), let family = family(), let name = string() else {
            return nil
        }
        return Sighting(interface: interface, family: family, name: name)
    }

    mutating func rest() -> [[UInt8]]? {
        var all: [[UInt8]] = []
        while !atEnd {
            guard let one = bytes() else { return nil }
            all.append(one)
        }
        return all
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 48...57: character - 48
        case 97...102: character - 87
        default: nil
        }
    }
}
