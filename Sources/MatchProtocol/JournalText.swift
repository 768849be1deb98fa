// SPDX-License-Identifier: MIT

/// The bytes of a journal, whose lines are each right or wrong by themselves.
struct JournalText {
    /// A line after the first, which is read when it is asked for.
    struct Numbered {
        /// Its number in the file, from 1.
        let number: Int
        /// The line without its line end; of one that is too long, the beginning.
        let bytes: [UInt8]
        fileprivate let cryptography: any Cryptography

        /// What it says, or why it says nothing.
        var content: Result<JournalLine, Malformed> {
            guard number <= JournalText.mostLines else {
                return .failure(Malformed("There are too many lines."))
            }
            return JournalText.attempt { () throws(Malformed) in
                try JournalLine(line: bytes, cryptography: cryptography)
            }
        }
    }

    /// The lines after the first, each taken out of the file when its turn comes: a file may be
    /// nothing but line ends, and a list of its lines many times as large as itself.
    struct Lines: Sequence, IteratorProtocol {
        fileprivate let bytes: [UInt8]
        fileprivate let cryptography: any Cryptography
        fileprivate var start: Int
        fileprivate var number = 1

        mutating func next() -> Numbered? {
            // What follows the first line that is too many is not worth a look.
            guard number <= JournalText.mostLines,
                let end = bytes[start...].firstIndex(of: 0x0a)
            else { return nil }
            number &+= 1
            defer { start = end + 1 }
            // One byte too many is enough to refuse it.
            let line = bytes[start..<end].prefix(JournalLine.longest + 1)
            return Numbered(number: number, bytes: Array(line), cryptography: cryptography)
        }
    }

    /// How many lines are read: several times what an honest file of the largest size has.
    static let mostLines = 1 << 18

    /// The first line.
    let header: Result<JournalHeader, Malformed>
    /// The others.
    let lines: Lines
    /// What stands behind the last line end.
    let tail: ArraySlice<UInt8>

    /// Looks for the first line and the last line end.
    init(_ bytes: [UInt8], cryptography: any Cryptography) {
        let first = bytes.firstIndex(of: 0x0a)
        tail = bytes[(bytes.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0)...]
        header = Self.attempt { () throws(Malformed) in
            guard let first else { throw Malformed("There is no first line.") }
            guard first <= JournalLine.longest else { throw Malformed("The line is too long.") }
            return try JournalHeader(line: Array(bytes[..<first]), cryptography: cryptography)
        }
        lines = Lines(
            bytes: bytes, cryptography: cryptography, start: first.map { $0 + 1 } ?? bytes.count)
    }

    /// Whether the tail is something else than the beginning of a line that was being written.
    var isTailDamaged: Bool {
        guard tail.count <= JournalLine.longest, tail.allSatisfy({ (0x20...0x7e).contains($0) })
        else {
            return true
        }
        // A whole line with something else than a line end behind it was not cut off.
        let beginning = Array(tail.dropLast())
        let isWhole = Self.attempt { () throws(Malformed) in
            try JournalLine(line: beginning, cryptography: lines.cryptography)
        }
        return (try? isWhole.get()) != nil
    }

    /// The number of the line that the tail is.
    var tailNumber: Int { lines.reduce(2) { number, _ in number &+ 1 } }

    /// What the match is played on, by the first line that says so and can be believed by itself.
    func terms(
        of match: [UInt8], for you: Seat, _ cryptography: any Cryptography
    ) -> MatchTerms? {
        for line in lines {
            guard case .success(let content) = line.content,
                let opening = content.opening(cryptography), opening.match == match
            else { continue }
            let terms = Self.attempt { () throws(Malformed) in
                try MatchTerms(opening: opening, you: you, cryptography: cryptography)
            }
            if case .success(let terms) = terms { return terms }
        }
        return nil
    }

    fileprivate static func attempt<Value>(
        _ body: () throws(Malformed) -> Value
    ) -> Result<Value, Malformed> {
        do throws(Malformed) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}

extension JournalLine {
    /// What this line says of the match's terms; an entry must be signed by the key in it.
    fileprivate func opening(_ cryptography: any Cryptography) -> Opening? {
        switch self {
        case .terms(let opening): return opening
        case .entry(let entry):
            guard case .open(let opening) = entry.body,
                entry.isSigned(by: opening.keys[entry.seat], cryptography: cryptography)
            else { return nil }
            return opening
        case .draft, .drop, .link, .run, .damaged, .unknown: return nil
        }
    }
}
