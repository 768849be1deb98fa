// SPDX-License-Identifier: MIT

/// The bytes of a journal, taken apart into lines that are each right or wrong by themselves.
struct JournalText {
    /// A line after the first, which is read when it is asked for.
    struct Numbered {
        /// Its number in the file, from 1.
        let number: Int
        fileprivate let bytes: [UInt8]
        fileprivate let cryptography: any Cryptography

        /// What it says, or why it says nothing.
        var content: Result<JournalLine, Malformed> {
            JournalText.attempt { () throws(Malformed) in
                try JournalLine(line: bytes, cryptography: cryptography)
            }
        }
    }

    /// The first line.
    let header: Result<JournalHeader, Malformed>
    /// The others.
    private(set) var lines: [Numbered] = []
    /// What stands behind the last line end.
    let tail: [UInt8]
    /// Whether the tail is something else than the beginning of a line that was being written.
    let isTailDamaged: Bool

    /// Takes the bytes apart.
    init(_ bytes: [UInt8], cryptography: any Cryptography) {
        var pieces = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        tail = pieces.popLast().map(Array.init) ?? []
        header = Self.attempt { () throws(Malformed) in
            guard let first = pieces.first else { throw Malformed("There is no first line.") }
            return try JournalHeader(line: Array(first), cryptography: cryptography)
        }
        // A whole line with something else than a line end behind it was not cut off.
        let beginning = Array(tail.dropLast())
        let isWhole = Self.attempt { () throws(Malformed) in
            try JournalLine(line: beginning, cryptography: cryptography)
        }
        isTailDamaged =
            tail.contains { !(0x20...0x7e).contains($0) } || tail.count > JournalLine.longest
            || (try? isWhole.get()) != nil
        for (index, piece) in pieces.enumerated().dropFirst() {
            lines.append(
                Numbered(number: index + 1, bytes: Array(piece), cryptography: cryptography))
        }
    }

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
        case .draft, .drop, .link, .run, .unknown: return nil
        }
    }
}
