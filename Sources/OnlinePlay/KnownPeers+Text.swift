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

    static func read(
        _ folder: borrowing SecretDirectory
    ) throws(OnlineError) -> (entries: [Entry], version: FileVersion?) {
        guard let descriptor = try folder.openPrivate(file) else { return ([], nil) }
        defer { close(descriptor) }
        let version = FileVersion(descriptor)
        guard let bytes = readAll(descriptor, limit: longest) else {
            throw OnlineError(.secrets, "\(folder.path)/\(file) cannot be read; move it away.")
        }
        var entries: [Entry] = []
        var places: [Fingerprint: Int] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let (fingerprint, change) = parse(line) else { continue }
            let place = places[fingerprint] ?? entries.count
            if place == entries.count { entries.append(Entry(fingerprint: fingerprint)) }
            places[fingerprint] = place
            change(&entries[place])
        }
        return (entries, version)
    }

    /// What a line says of whom; `nil` if it is damaged.
    ///
    /// It is taken apart by bytes: to a `String` a space and a combining mark behind it, with which
    /// a name may begin, are one character, and no space.
    private static func parse(_ line: ArraySlice<UInt8>) -> (Fingerprint, (inout Entry) -> Void)? {
        func words(_ most: Int) -> [String] {
            line.split(separator: 0x20, maxSplits: most - 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        switch words(2)[0] {
        case "name":
            let words = words(3)
            guard words.count == 3, let key = Fingerprint(parsing: words[1]) else { return nil }
            return (key, { $0.petname = words[2] })
        case "block":
            let words = words(3)
            guard words.count == 2, let key = Fingerprint(parsing: words[1]) else { return nil }
            return (key, { $0.isBlocked = true })
        default:
            let words = words(4)
            guard words.count >= 3, let key = Fingerprint(parsing: words[0]),
                let first = Int64(words[1]), let last = Int64(words[2])
            else { return nil }
            let name = words.count > 3 ? words[3] : ""
            return (key, { ($0.firstSeen, $0.lastSeen, $0.name) = (first, last, name) })
        }
    }
}
