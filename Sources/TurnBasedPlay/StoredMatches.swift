// SPDX-License-Identifier: MIT

public import MatchEvents
public import MatchProtocol
import OnlinePlay

/// Looks into the journals of a directory and at records in files; changes nothing.
///
/// ```swift
/// let stored = StoredMatches(
///     rules: [Nim.self], cryptography: OpenSSLCryptography(identity: me))
/// for match in try stored.list(in: "/home/ann/.local/state/nim") where match.problem == nil {
///     print(match.opponent ?? "?", match.state)
/// }
/// ```
public struct StoredMatches {
    private let rules: [any Game.Type]
    private let cryptography: any Cryptography

    /// Knows these games; of `cryptography` only what checks is used.
    public init(rules: [any Game.Type], cryptography: any Cryptography) {
        self.rules = rules
        self.cryptography = cryptography
    }

    /// All matches in a directory, the one that was last touched first; what cannot be read or
    /// believed is listed with the reason.
    ///
    /// - Parameter path: A ``TableConfiguration/stateDirectory``.
    /// - Returns: One summary for each match and own seat; none if there is no such directory.
    /// - Throws: `StoreError`.
    public func list(in path: String) throws(StoreError) -> [MatchSummary] {
        guard let directory = try GameDirectory.existing(path) else { return [] }
        return try list(in: directory)
    }

    /// The same of a directory that is open.
    package func list(in directory: GameDirectory) throws(StoreError) -> [MatchSummary] {
        var matches: [MatchSummary] = []
        for file in try directory.list() {
            guard let name = JournalName(file: file) else { continue }
            matches.append(summary(of: name, in: directory))
        }
        return matches.sorted { ($0.touched, $1.match) > ($1.touched, $0.match) }
    }

    /// Those of the matches touched last in which a game goes on, and which no process has open; the
    /// last one first.
    ///
    /// - Parameters:
    ///   - path: A ``TableConfiguration/stateDirectory``.
    ///   - count: How many matches are looked into, which takes time for each.
    /// - Returns: Their summaries; none if there is no such directory.
    /// - Throws: `StoreError`.
    package func unfinished(
        in path: String, among count: Int
    ) throws(StoreError) -> [MatchSummary] {
        guard let directory = try GameDirectory.existing(path) else { return [] }
        return try directory.list().compactMap { JournalName(file: $0) }
            .map { (name: $0, touched: directory.lastWritten($0.file) ?? 0) }
            .sorted { $0.touched > $1.touched }.prefix(count)
            .filter { !Self.isOpen($0.name, in: directory) }
            .map { summary(of: $0.name, in: directory) }
            .filter { $0.problem == nil && ($0.state == .yourTurn || $0.state == .theirTurn) }
    }

    /// Whether a process goes on with the match.
    static func isOpen(_ name: JournalName, in directory: GameDirectory) -> Bool {
        guard directory.lastWritten(name.lock) != nil else { return false }
        return (try? directory.lock(name.lock)) == nil
    }

    /// What files prove together.
    public func verify(_ files: [[UInt8]]) -> Verdict {
        Verdict.verifying(files, rules: rules, cryptography: cryptography)
    }

    func summary(of name: JournalName, in directory: GameDirectory) -> MatchSummary {
        var summary = MatchSummary(
            match: name.matchDigits, seat: Int(name.seat.rawValue),
            touched: directory.lastWritten(name.file) ?? 0)
        do throws(StoreError) {
            guard let bytes = try directory.read(name.file) else { return summary }
            switch verify([bytes]) {
            case .authentic(let record): summary.describe(record, from: name.seat)
            case .forked(let fork): summary.problem = "Entry \(fork.number) was signed twice."
            case .refused(let refusal): summary.problem = "Line \(refusal.line): \(refusal.reason)"
            }
        } catch {
            summary.problem = error.description
        }
        return summary
    }
}

extension MatchSummary {
    fileprivate mutating func describe(_ record: Record, from seat: Seat) {
        let opponent = record.player(seat.other)
        you = record.player(seat).name
        self.opponent = opponent.name
        key = Fingerprint(publicKey: opponent.publicKey)?.description
        score = Score(
            you: record.wins(of: seat), opponent: record.wins(of: seat.other),
            draws: record.draws)
        guard let game = record.games.last else { return }
        self.game = Int(game.number)
        if let result = game.result {
            let won = result.outcome == .win(seat)
            state =
                game.isFinished ? (result.outcome == .draw ? .drawn : won ? .won : .lost) : .ending
            termination = result.termination
        } else {
            state = game.toMove.contains(seat) ? .yourTurn : .theirTurn
        }
    }
}

extension JournalName {
    /// The journal of a match that was listed; `nil` if there can be none of that id and seat.
    package init?(_ match: MatchSummary) {
        self.init(file: "\(match.match).\(match.seat)")
    }
}
