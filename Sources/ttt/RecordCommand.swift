// SPDX-License-Identifier: MIT

import Glibc
import MatchEvents
import MatchProtocol
import OnlinePlay
import TerminalUI
import TicTacToe
import TurnBasedPlay

/// `ttt verify` and `ttt show`: what is in a record.
struct RecordCommand {
    private let options: Options
    private let isUTF8: Bool

    init(_ options: Options, isUTF8: Bool) {
        self.options = options
        self.isUTF8 = isUTF8
    }

    func run() throws(Failure) -> Int32 {
        var sources: [RecordSource] = []
        for word in options.operands { sources.append(try RecordSource(word)) }
        let verdict = try StoredMatches.ofThisProgram().verify(sources.map(\.bytes))
        if options.has(.json) {
            try Output.put(verdict.jsonLine { Fingerprint(publicKey: $0)?.description ?? "" })
        }
        switch verdict {
        case .authentic(let record):
            if !options.has(.json) { try tell(record) }
            return 0
        case .forked(let fork):
            let key = Fingerprint(publicKey: fork.publicKey)?.description ?? "?"
            if !options.has(.json) {
                for line in fork.lines { try Output.put(String(decoding: line, as: UTF8.self)) }
            }
            throw Failure("Key \(key) signed two different entries \(fork.number).", .refused)
        case .refused(let refusal):
            let source = sources[min(refusal.file, sources.count - 1)]
            guard source.isRecord || refusal.line > 1 else {
                throw Failure("\(source.path) is no record of a match.", .refused)
            }
            throw Failure("\(source.path), line \(refusal.line): \(refusal.reason)", .refused)
        }
    }

    private func tell(_ record: Record) throws(Failure) {
        let report = RecordReport(record, isUTF8: isUTF8)
        guard options.command == .show else { return try Output.put(report.verification) }
        guard options.has(.sgf) else { return try Output.put(report.games) }
        guard let text = SmartGameFormat.text(of: harmless(record)) else {
            throw Failure("SGF has no form for this game.", .refused)
        }
        try Output.put(text)
    }

    /// The record with names that may go to a terminal. Each has at most 64 bytes: none is cut.
    private func harmless(_ record: Record) -> Record {
        var record = record
        for player in [\Record.firstPlayer, \Record.secondPlayer] {
            record[keyPath: player].name = record[keyPath: player].name.map {
                display($0, columns: 128)
            }
        }
        return record
    }
}

extension StoredMatches {
    /// Knows the games of this program. Nothing is signed, so any key does.
    static func ofThisProgram() throws(Failure) -> StoredMatches {
        do throws(OnlineError) {
            return StoredMatches(
                rules: [Position.self],
                cryptography: OpenSSLCryptography(identity: try Identity.ephemeral()))
        } catch {
            throw Failure(error)
        }
    }
}
