// SPDX-License-Identifier: MIT

/// The bytes of a journal, taken apart into lines that are each right or wrong by themselves.
struct JournalText {
    /// A line after the first.
    struct Numbered {
        /// Its number in the file, from 1.
        var number: Int
        /// What it says, or why it says nothing.
        var content: Result<JournalLine, Malformed>
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
            let content = Self.attempt { () throws(Malformed) in
                try JournalLine(line: Array(piece), cryptography: cryptography)
            }
            lines.append(Numbered(number: index + 1, content: content))
        }
    }

    /// The first `open` entry, which says what the match is.
    var opening: Opening? {
        for line in lines {
            if case .success(.entry(let entry)) = line.content,
                case .open(let opening) = entry.body
            {
                return opening
            }
        }
        return nil
    }

    private static func attempt<Value>(
        _ body: () throws(Malformed) -> Value
    ) -> Result<Value, Malformed> {
        do throws(Malformed) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}
