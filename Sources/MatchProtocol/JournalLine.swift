// SPDX-License-Identifier: MIT

/// The first line of a journal (`docs/journal.md` §2).
package struct JournalHeader: Sendable, Equatable {
    /// The version of the format.
    package var version: UInt32
    /// The match id and the keeper's seat.
    package var name: JournalName

    /// The version that is written and read here.
    package static let version: UInt32 = 1

    /// Makes the header of a journal of today's version.
    package init(name: JournalName) {
        version = Self.version
        self.name = name
    }

    /// Reads the line without its line end. What follows the version is the same in all versions.
    package init(line: [UInt8], cryptography: any Cryptography) throws(Malformed) {
        var words = WordReader(try Check.text(of: line, cryptography))
        guard try words.argument("ttt-journal") == Array("ttt-journal".utf8) else {
            throw Malformed("This is no journal.")
        }
        version = try words.number("VERSION")
        name = JournalName(
            match: try words.hex("MATCH", count: 16), seat: try words.seat("SEAT"))
        if version == Self.version { try words.end() }
    }

    /// The line with its line end.
    package func bytes(_ cryptography: any Cryptography) -> [UInt8] {
        var words = WordWriter()
        words.add("ttt-journal")
        words.add(version)
        words.add(hex: name.match)
        words.add(name.seat)
        return Check.line(words.line, cryptography)
    }
}

/// A line of a journal after the first (`docs/journal.md` §3).
package enum JournalLine: Sendable, Equatable {
    /// A signed entry of either log.
    case entry(Entry)
    /// An own entry that is wished for.
    case draft(EntryBody)
    /// The first draft was given up.
    case drop
    /// Where the two sides are.
    case link(LinkHint)
    /// How often the journal was opened to go on.
    case run(UInt16)
    /// The file was damaged: ``StoredMatch/floor``.
    case damaged(UInt64)
    /// What both players pinned; written if no `open` entry of the journal was right.
    case terms(Opening)
    /// A line of a kind that is not known here, with its check.
    case unknown([UInt8])

    /// The longest line that is read, in bytes.
    package static let longest = 4096

    /// Reads a line without its line end. An entry's signature and place are not looked at.
    package init(line: [UInt8], cryptography: any Cryptography) throws(Malformed) {
        guard !line.isEmpty else { throw Malformed("The line is empty.") }
        guard line.count <= Self.longest else { throw Malformed("The line is too long.") }
        if line.starts(with: [0x31, 0x20]) || line.starts(with: [0x32, 0x20]) {
            self = .entry(try Entry(line: line))
            return
        }
        var words = WordReader(try Check.text(of: line, cryptography))
        switch String(decoding: try words.argument("KIND"), as: UTF8.self) {
        case "draft": self = .draft(try EntryBody(from: &words))
        case "drop": self = .drop
        case "link": self = .link(try LinkHint(from: &words))
        case "run": self = .run(try words.number("COUNT"))
        case "damaged": self = .damaged(try words.number("COUNT"))
        case "terms": self = .terms(try Opening(from: &words))
        default:
            self = .unknown(line)
            return
        }
        try words.end()
    }

    /// The line with its line end.
    package func bytes(_ cryptography: any Cryptography) -> [UInt8] {
        var words = WordWriter()
        switch self {
        case .entry(let entry): return entry.line + [0x0a]
        case .unknown(let line): return line + [0x0a]
        case .draft(let body):
            words.add("draft")
            body.write(to: &words)
        case .drop:
            words.add("drop")
        case .link(let hint):
            words.add("link")
            words.add(hint.port)
            for address in hint.addresses { words.add(address) }
        case .run(let count):
            words.add("run")
            words.add(count)
        case .damaged(let count):
            words.add("damaged")
            words.add(count)
        case .terms(let opening):
            words.add("terms")
            opening.write(to: &words)
        }
        return Check.line(words.line, cryptography)
    }
}

extension LinkHint {
    fileprivate init(from words: inout WordReader) throws(Malformed) {
        port = try words.number("PORT")
        addresses = []
        while !words.isEmpty {
            guard addresses.count < Self.most else { throw Malformed("Too many addresses.") }
            addresses.append(try words.text("ADDRESS", size: 1...Self.longest))
        }
    }
}

/// What guards a line that nobody signs: ` ~` and the first 8 hex digits of its SHA-256.
enum Check {
    static let digits = 8

    static func line(_ text: [UInt8], _ cryptography: any Cryptography) -> [UInt8] {
        text + [0x20, 0x7e] + word(for: text, cryptography) + [0x0a]
    }

    static func text(
        of line: [UInt8], _ cryptography: any Cryptography
    ) throws(Malformed) -> [UInt8] {
        let text = Array(line.dropLast(digits + 2))
        guard line.elementsEqual(text + [0x20, 0x7e] + word(for: text, cryptography)) else {
            throw Malformed("The line's check is wrong.")
        }
        return text
    }

    private static func word(
        for text: [UInt8], _ cryptography: any Cryptography
    ) -> ArraySlice<UInt8> {
        Hex.encoded(cryptography.sha256(text)).prefix(digits)
    }
}
