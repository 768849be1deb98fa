// SPDX-License-Identifier: MIT

/// A TXT record as RFC 6763 §6 reads it.
package enum TextRecord {
    /// The strings of an own record: what does not fit is left out.
    package static func strings(_ entries: [TextEntry]) -> [[UInt8]] {
        var total = 0
        var strings: [[UInt8]] = []
        for entry in entries where isKey(Array(entry.key.utf8)) {
            let string = Array(entry.key.utf8) + [61] + entry.value
            guard string.count <= 255,
                total + string.count + 1 <= Advertisement.longestText
            else { continue }
            total += string.count + 1
            strings.append(string)
        }
        return strings
    }

    /// Reads a record from the network; `nil` if it is too long or has no `id` of 16 hex digits.
    package static func read(_ strings: [[UInt8]]) -> (id: String, values: [String: [UInt8]])? {
        guard strings.reduce(0, { $0 + $1.count + 1 }) <= Advertisement.longestText else {
            return nil
        }
        var values: [String: [UInt8]] = [:]
        for string in strings {
            let parts = string.split(
                separator: 61, maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, isKey(Array(first)) else { continue }
            let key = String(decoding: first, as: UTF8.self).lowercased()
            // Of a key that is there twice only the first counts.
            if values[key] == nil { values[key] = parts.count > 1 ? Array(parts[1]) : [] }
        }
        guard let id = values["id"], id.count == 16, id.allSatisfy(isLowerHex) else { return nil }
        return (String(decoding: id, as: UTF8.self), values)
    }

    private static func isKey(_ key: [UInt8]) -> Bool {
        !key.isEmpty && key.allSatisfy { (32...126).contains($0) && $0 != 61 }
    }

    private static func isLowerHex(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...102).contains(byte)
    }
}
