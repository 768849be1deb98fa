// SPDX-License-Identifier: MIT

/// What verifying a record has shown.
public enum Verdict: Sendable, Equatable {
    /// Everything is right; the record may still be unfinished.
    case authentic(Record)
    /// One key has signed two different entries of one number: whoever holds it is not honest, or
    /// played on from a copy.
    case forked(Fork)
    /// Something is not right, and nothing in the files is to be believed.
    case refused(Refusal)

    /// The proof of a fork.
    public struct Fork: Sendable, Equatable {
        /// The player's seat in the match.
        public var seat: Seat
        /// The key that signed both.
        public var publicKey: [UInt8]
        /// The number that both have.
        public var number: UInt64
        /// The two lines.
        public var lines: [[UInt8]]
    }

    /// Why a record is refused.
    public struct Refusal: Error, Sendable, Equatable {
        /// Which of the files, from 0.
        public var file: Int
        /// The line in it, from 1.
        public var line: Int
        /// One sentence.
        public var reason: String
    }

    /// Verifies the journals of a match, one or several, without any connection.
    ///
    /// - Parameters:
    ///   - files: The files' bytes. A later one adds what those before do not have.
    ///   - rules: The games that are known.
    ///   - cryptography: Hashes and checks signatures; nothing is signed.
    /// - Returns: What is proved, for all files together.
    public static func verifying(
        _ files: [[UInt8]], rules: [any Game.Type], cryptography: any Cryptography
    ) -> Verdict {
        do throws(Refusal) {
            let sources = try Sources(files, cryptography: cryptography)
            if let fork = sources.fork { return .forked(fork) }
            let found = sources.terms.opening.rules
            guard let game = rules.first(where: { $0.rules == found }) else {
                throw Refusal(
                    file: 0, line: 2,
                    reason: "The rules \(found.name) version \(found.version) are not known here.")
            }
            return .authentic(try replay(sources, game))
        } catch {
            return .refused(error)
        }
    }

    private static func replay<G: Game>(
        _ sources: Sources, _ game: G.Type
    ) throws(Refusal) -> Record {
        var writer = RecordWriter<G>(terms: sources.terms, isCut: sources.isCut)
        for source in sources.entries {
            do throws(Malformed) {
                try writer.add(source.entry)
            } catch {
                throw Refusal(file: source.file, line: source.line, reason: error.reason)
            }
        }
        return writer.record
    }
}

/// The entries of the files that are verified together, each once.
private struct Sources {
    struct Source {
        var file: Int
        var line: Int
        var entry: Entry
    }

    private struct Place: Hashable {
        var seat: Seat
        var number: UInt64
    }

    let terms: MatchTerms
    private var known: [Place: [UInt8]] = [:]
    /// The hashes of all entries of this match; of a place in a log one, if nobody forked it.
    private var hashes: [Place: [[UInt8]]] = [:]
    private(set) var entries: [Source] = []
    private(set) var isCut = false
    private(set) var fork: Verdict.Fork?

    init(_ files: [[UInt8]], cryptography: any Cryptography) throws(Verdict.Refusal) {
        let texts = files.map { JournalText($0, cryptography: cryptography) }
        terms = try Self.terms(texts, cryptography)
        for (index, text) in texts.enumerated() {
            guard try Self.name(text, file: index).match == terms.opening.match else {
                throw Verdict.Refusal(file: index, line: 1, reason: "This is of another match.")
            }
            try add(text, file: index)
            guard !text.isTailDamaged else {
                throw Verdict.Refusal(
                    file: index, line: text.tailNumber, reason: "The last line is damaged.")
            }
            isCut = isCut || !text.tail.isEmpty
        }
    }

    /// Adds a file's entries; what an earlier file has as well is passed over, what anybody has
    /// otherwise is a fork.
    private mutating func add(_ text: JournalText, file: Int) throws(Verdict.Refusal) {
        let earlier = known
        for line in text.lines {
            guard let entry = try Self.entry(line, file: file) else { continue }
            let key = terms.opening.keys[entry.seat]
            guard entry.isSigned(by: key, cryptography: terms.cryptography) else {
                throw Verdict.Refusal(
                    file: file, line: line.number, reason: "The signature is wrong.")
            }
            let place = Place(seat: entry.seat, number: entry.number)
            if earlier[place] == entry.line { continue }
            // One key signs an entry of each number in every match it plays: only two of this one
            // are a fork.
            guard isOfThisMatch(entry) else {
                throw Verdict.Refusal(
                    file: file, line: line.number,
                    reason: "The entry does not follow from those of this match before it.")
            }
            hashes[place, default: []].append(entry.hash(terms.cryptography))
            if let twin = known[place], twin != entry.line, fork == nil {
                fork = Verdict.Fork(
                    seat: entry.seat, publicKey: key, number: entry.number,
                    lines: [twin, entry.line])
            }
            known[place] = known[place] ?? entry.line
            entries.append(Source(file: file, line: line.number, entry: entry))
        }
    }

    /// Whether the author's log of this match begins with this entry, or has one that it continues.
    private func isOfThisMatch(_ entry: Entry) -> Bool {
        if case .open(let opening) = entry.body {
            return entry.number == 1 && entry.previous == LogHead.start.hash
                && opening.agrees(with: terms.opening)
        }
        let before = Place(seat: entry.seat, number: entry.number &- 1)
        return hashes[before]?.contains(entry.previous) ?? false
    }

    /// The terms by the first entry of the first file.
    private static func terms(
        _ texts: [JournalText], _ cryptography: any Cryptography
    ) throws(Verdict.Refusal) -> MatchTerms {
        guard let text = texts.first else {
            throw Verdict.Refusal(file: 0, line: 1, reason: "There is no file.")
        }
        let name = try name(text, file: 0)
        for line in text.lines {
            guard let entry = try entry(line, file: 0) else { continue }
            guard case .open(let opening) = entry.body else { break }
            do throws(Malformed) {
                return try MatchTerms(opening: opening, you: name.seat, cryptography: cryptography)
            } catch {
                throw Verdict.Refusal(file: 0, line: line.number, reason: error.reason)
            }
        }
        throw Verdict.Refusal(file: 0, line: 2, reason: "No entry opens a match.")
    }

    private static func entry(
        _ line: JournalText.Numbered, file: Int
    ) throws(Verdict.Refusal) -> Entry? {
        switch line.content {
        case .success(.entry(let entry)): return entry
        case .success: return nil
        case .failure(let malformed):
            throw Verdict.Refusal(file: file, line: line.number, reason: malformed.reason)
        }
    }

    private static func name(
        _ text: JournalText, file: Int
    ) throws(Verdict.Refusal) -> JournalName {
        switch text.header {
        case .success(let header) where header.version == JournalHeader.version:
            return header.name
        case .success(let header):
            let error = JournalError.version(found: header.version, known: JournalHeader.version)
            throw Verdict.Refusal(file: file, line: 1, reason: error.description)
        case .failure(let malformed):
            throw Verdict.Refusal(file: file, line: 1, reason: malformed.reason)
        }
    }
}
