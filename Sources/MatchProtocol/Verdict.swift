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
    private(set) var entries: [Source] = []
    private(set) var isCut = false
    private(set) var fork: Verdict.Fork?

    init(_ files: [[UInt8]], cryptography: any Cryptography) throws(Verdict.Refusal) {
        var all: [(name: JournalName, lines: [Source])] = []
        for (index, bytes) in files.enumerated() {
            let text = JournalText(bytes, cryptography: cryptography)
            all.append((try Self.name(text, file: index), try Self.lines(text, file: index)))
            isCut = isCut || !text.tail.isEmpty
        }
        guard let name = all.first?.name, let first = all.first?.lines.first,
            case .open(let opening) = first.entry.body
        else { throw Verdict.Refusal(file: 0, line: 2, reason: "No entry opens a match.") }
        do throws(Malformed) {
            terms = try MatchTerms(opening: opening, you: name.seat, cryptography: cryptography)
        } catch {
            throw Verdict.Refusal(file: 0, line: first.line, reason: error.reason)
        }
        for (index, file) in all.enumerated() {
            guard file.name.match == opening.match else {
                throw Verdict.Refusal(file: index, line: 1, reason: "This is of another match.")
            }
            try add(file.lines)
        }
    }

    /// Adds a file's entries; what an earlier file has as well is passed over, what anybody has
    /// otherwise is a fork.
    private mutating func add(_ lines: [Source]) throws(Verdict.Refusal) {
        let earlier = known
        for source in lines {
            let entry = source.entry
            let key = terms.opening.keys[entry.seat]
            guard entry.isSigned(by: key, cryptography: terms.cryptography) else {
                throw Verdict.Refusal(
                    file: source.file, line: source.line, reason: "The signature is wrong.")
            }
            let place = Place(seat: entry.seat, number: entry.number)
            if earlier[place] == entry.line { continue }
            if let twin = known[place], twin != entry.line, fork == nil {
                fork = Verdict.Fork(
                    seat: entry.seat, publicKey: key, number: entry.number,
                    lines: [twin, entry.line])
            }
            known[place] = known[place] ?? entry.line
            entries.append(source)
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

    private static func lines(
        _ text: JournalText, file: Int
    ) throws(Verdict.Refusal) -> [Source] {
        var sources: [Source] = []
        for line in text.lines {
            switch line.content {
            case .success(.entry(let entry)):
                sources.append(Source(file: file, line: line.number, entry: entry))
            case .success: break
            case .failure(let malformed):
                throw Verdict.Refusal(file: file, line: line.number, reason: malformed.reason)
            }
        }
        guard !text.isTailDamaged else {
            throw Verdict.Refusal(
                file: file, line: text.lines.count + 2, reason: "The last line is damaged.")
        }
        return sources
    }
}
