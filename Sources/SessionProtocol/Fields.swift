// SPDX-License-Identifier: MIT

/// A message whose body does not have the form of its kind; the text says what is wrong.
package struct MessageError: Error, Sendable, Hashable {
    /// A short phrase for a log.
    package var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The fields of a message: tag, length, value (`docs/protocol.md` §4).
struct Fields {
    private var values: [(tag: UInt8, value: ArraySlice<UInt8>)] = []

    /// Reads all fields; tags that are not `known` are skipped.
    init(_ body: [UInt8], known: ClosedRange<UInt8>) throws(MessageError) {
        var rest = body[...]
        while let tag = rest.popFirst() {
            guard let high = rest.popFirst(), let low = rest.popFirst() else {
                throw MessageError("bytes left over")
            }
            let length = Int(high) << 8 | Int(low)
            guard rest.count >= length else { throw MessageError("a field is cut off") }
            if known.contains(tag) {
                guard self[tag] == nil else { throw MessageError("field \(tag) twice") }
                values.append((tag, rest.prefix(length)))
            }
            rest = rest.dropFirst(length)
        }
    }

    /// There are few, so they are looked through.
    private subscript(tag: UInt8) -> ArraySlice<UInt8>? {
        values.first { $0.tag == tag }?.value
    }

    /// The bytes of a field that may be absent, if their number is right.
    func bytes(_ tag: UInt8, _ count: ClosedRange<Int>) throws(MessageError) -> [UInt8]? {
        guard let value = self[tag] else { return nil }
        guard count.contains(value.count) else {
            throw MessageError("field \(tag) has a wrong size")
        }
        return [UInt8](value)
    }

    /// A number that must be there.
    func number<Number: FixedWidthInteger>(
        _ tag: UInt8, as type: Number.Type = Number.self
    ) throws(MessageError) -> Number {
        guard let number = try optionalNumber(tag, as: type) else {
            throw MessageError("field \(tag) is missing")
        }
        return number
    }

    /// A number that may be absent.
    func optionalNumber<Number: FixedWidthInteger>(
        _ tag: UInt8, as type: Number.Type = Number.self
    ) throws(MessageError) -> Number? {
        let size = Number.bitWidth / 8
        guard let value = try bytes(tag, size...size) else { return nil }
        return readNumber(value.span, as: type)
    }

    /// Text that may be absent.
    func optionalText(_ tag: UInt8, _ count: ClosedRange<Int>) throws(MessageError) -> String? {
        guard let value = try bytes(tag, count) else { return nil }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw MessageError("field \(tag) is not UTF-8")
        }
        return text
    }

    /// Text that must be there.
    func text(_ tag: UInt8, _ count: ClosedRange<Int>) throws(MessageError) -> String {
        guard let text = try optionalText(tag, count) else {
            throw MessageError("field \(tag) is missing")
        }
        return text
    }

    /// A range of versions that must be there.
    func versions(_ tag: UInt8) throws(MessageError) -> VersionRange {
        let pair = try number(tag, as: UInt32.self)
        let range = VersionRange(
            UInt16(truncatingIfNeeded: pair >> 16), UInt16(truncatingIfNeeded: pair))
        guard range.lowest <= range.highest else {
            throw MessageError("field \(tag) is an empty range")
        }
        return range
    }
}

extension [UInt8] {
    /// Appends a field; what does not fit into its length is left out, which callers prevent.
    mutating func append(field tag: UInt8, _ value: some Collection<UInt8>) {
        let value = value.prefix(Int(UInt16.max))
        append(tag)
        append(bigEndian: UInt16(truncatingIfNeeded: value.count))
        append(contentsOf: value)
    }

    /// Appends a field that is a number.
    mutating func append(field tag: UInt8, number: some FixedWidthInteger) {
        var value: [UInt8] = []
        value.append(bigEndian: number)
        append(field: tag, value)
    }

    /// Appends a field that is a range of versions.
    mutating func append(field tag: UInt8, _ versions: VersionRange) {
        append(field: tag, number: UInt32(versions.lowest) << 16 | UInt32(versions.highest))
    }
}
