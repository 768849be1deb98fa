// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// The keys of `MatchPair`.
let annKey = FastCryptography(key: 0xa1)
let bobKey = FastCryptography(key: 0xb2)

/// What one player of a played match has stored, and what else a journal needs to know.
struct PlayedMatch {
    let name: JournalName
    let cryptography: FastCryptography
    /// The entries in the order in which they were stored.
    let lines: [[UInt8]]

    init(_ pair: MatchPair<Position>, _ role: Role) throws {
        let stored = pair[role].stored
        lines = stored.map(\.line)
        cryptography = role == .initiator ? annKey : bobKey
        let started = try #require(
            pair[role].told.compactMap { event -> [UInt8]? in
                if case .started(let match, _, _, _, _, _) = event { match } else { nil }
            }.first)
        // The first that is stored is the own `open`.
        name = JournalName(match: started, seat: try #require(stored.first?.by))
    }

    /// Ann's side of a game that X wins on the top row.
    static func won(seed: UInt64 = 1) throws -> PlayedMatch {
        var pair = MatchPair<Position>.started(seed: seed)
        try pair.play([1, 4, 2, 5, 3])
        return try PlayedMatch(pair, .initiator)
    }

    /// The file as a journal writes it.
    func file(_ lines: [[UInt8]]? = nil) -> [UInt8] {
        let header = "ttt-journal 1 \(name.matchDigits) \(name.seat.rawValue)"
        return .guarded(header) + (lines ?? self.lines).flatMap { $0 + [0x0a] }
    }

    /// Begins the journal in this directory with the first entry.
    func create(in disk: SimulatedDisk) throws(JournalError) -> Journal<SimulatedDisk> {
        try Journal(creating: lines[0], by: name.seat, in: disk, cryptography: cryptography)
    }

    /// Opens the journal in this directory.
    func open(
        in disk: SimulatedDisk, rules: [any Game.Type] = [Position.self]
    ) throws(JournalError) -> OpenedJournal<SimulatedDisk> {
        try Journal.open(
            name, in: disk, rules: rules, publicKey: cryptography.publicKey,
            cryptography: cryptography)
    }

    /// Opens a file with these bytes; also gives the directory.
    func opening(_ bytes: [UInt8]) throws -> (OpenedJournal<SimulatedDisk>, SimulatedDisk) {
        let disk = SimulatedDisk()
        disk.put(bytes, as: name.file)
        return (try open(in: disk), disk)
    }
}

/// Verifies tic-tac-toe with the cryptography of `MatchPair`.
func verify(_ files: [UInt8]...) -> Verdict {
    Verdict.verifying(files, rules: [Position.self], cryptography: annKey)
}

extension Verdict {
    /// The record, if it is authentic.
    var record: Record? { if case .authentic(let record) = self { record } else { nil } }

    /// Why it is refused, if it is.
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }

    /// A guarded line, with its line end.
    static func guarded(_ text: String) -> [UInt8] {
        let hash = Hex.encoded(annKey.sha256(Array(text.utf8)))
        return Array("\(text) ~".utf8) + hash.prefix(8) + [0x0a]
    }

    /// The lines, each with its line end.
    var withLineEnds: [[UInt8]] {
        split(separator: 0x0a).map { Array($0) + [0x0a] }
    }
}
