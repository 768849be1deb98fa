// SPDX-License-Identifier: MIT

import Glibc

/// The lines of the file.
extension KnownPeers {
    static func lines(_ entry: Entry) -> [String] {
        let key = entry.fingerprint
        var lines: [String] = []
        if entry.firstSeen != 0 {
            lines.append("\(key) \(entry.firstSeen) \(entry.lastSeen) \(entry.name)\n")
        }
        if let petname = entry.petname { lines.append("name \(key) \(petname)\n") }
        if entry.isBlocked { lines.append("block \(key)\n") }
        return lines
    }

    static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    static func read(_ folder: borrowing SecretDirectory) throws(OnlineError) -> [Entry] {
        guard let descriptor = try folder.openPrivate(file) else { return [] }
        defer { close(descriptor) }
        guard let bytes = readAll(descriptor, limit: longest) else {
            throw OnlineError(.secrets, "\(folder.path)/\(file) cannot be read; move it away.")
        }
        var entries: [Entry] = []
        var places: [Fingerprint: Int] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let (fingerprint, change) = parse(String(decoding: line, as: UTF8.self)) else {
                continue
            }
            let place = places[fingerprint] ?? entries.count
            if place == entries.count { entries.append(Entry(fingerprint: fingerprint)) }
            places[fingerprint] = place
            change(&entries[place])
        }
        return entries
    }

    /// What a line says of whom; `nil` if it is damaged.
    private static func parse(_ line: String) -> (Fingerprint, (inout Entry) -> Void)? {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        switch words.first {
        case "name":
            let words = line.split(
                separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard words.count == 3, let key = Fingerprint(parsing: String(words[1])) else {
                return nil
            }
            let name = String(words[2])
            return (key, { $0.petname = name })
        case "block":
            guard words.count == 2, let key = Fingerprint(parsing: String(words[1])) else {
                return nil
            }
            return (key, { $0.isBlocked = true })
        default:
            guard words.count >= 3, let key = Fingerprint(parsing: String(words[0])),
                let first = Int64(words[1]), let last = Int64(words[2])
            else { return nil }
            let name = words.count > 3 ? String(words[3]) : ""
            return (
                key,
                {
                    ($0.firstSeen, $0.lastSeen, $0.name) = (first, last, name)
                }
            )
        }
    }
}
