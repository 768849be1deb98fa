// SPDX-License-Identifier: MIT

// How numbers and text lie on the wire: big-endian, UTF-8.

extension [UInt8] {
    /// Copies a span. A span knows its bounds and outlives the call, so the pointer is sound.
    init(copying span: Span<UInt8>) {
        self = span.withUnsafeBufferPointer { [UInt8]($0) }
    }

    /// Appends a number, most significant byte first.
    @inline(__always)
    mutating func append(bigEndian number: some FixedWidthInteger) {
        // The bytes of an integer, read while it is held: no more than its own size.
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

/// Reads a number of as many bytes as its type has, or `nil` if they are not all there.
@inline(__always)
func readNumber<Number: FixedWidthInteger>(
    _ bytes: Span<UInt8>, at offset: Int = 0, as type: Number.Type = Number.self
) -> Number? {
    let size = Number.bitWidth / 8
    guard offset >= 0, bytes.count - offset >= size else { return nil }
    var number: Number = 0
    for index in offset..<offset + size {
        number = number << 8 | Number(truncatingIfNeeded: bytes[index])
    }
    return number
}

extension String {
    /// As much of the text as fits into `limit` bytes of UTF-8 without cutting a character.
    func prefix(bytes limit: Int) -> [UInt8] {
        if utf8.count <= limit { return [UInt8](utf8) }
        var result: [UInt8] = []
        for character in self {
            guard result.count + character.utf8.count <= limit else { break }
            result.append(contentsOf: character.utf8)
        }
        return result
    }
}
