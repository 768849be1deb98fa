// SPDX-License-Identifier: MIT

import Foundation
import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@Suite struct JournalTests {
    @Test func `a journal as it is stored has the first line and the entries of the document`()
        throws
    {
        let played = try PlayedMatch.won()
        let disk = SimulatedDisk()
        var journal = try played.create(in: disk)
        for line in played.lines.dropFirst() { try journal.store(entry: line) }
        #expect(disk.content(played.name.file) == played.file())
        #expect(journal.name == played.name)
    }

    @Test func `only an open entry begins a journal`() throws {
        let played = try PlayedMatch.won()
        let disk = SimulatedDisk()
        for line in [played.lines[2], [], .init("open")] {
            do throws(JournalError) {
                _ = try Journal(
                    creating: line, by: played.name.seat, in: disk, cryptography: annKey)
                Issue.record("begun")
            } catch {
                guard case .unusable = error else { Issue.record("\(error)"); continue }
            }
        }
        #expect(disk.operations.isEmpty)
    }

    @Test func `what was stored is there in order after opening again`() throws {
        let played = try PlayedMatch.won()
        let (opened, _) = try played.opening(played.file())
        #expect(opened.match.entries.map(\.line) == played.lines)
        #expect(opened.match.seat == played.name.seat)
        #expect(opened.match.name(of: played.name.seat) == "Ann")
        #expect(opened.match.opponentKey == bobKey.publicKey)
        #expect(opened.damage == nil)
    }

    @Test func `opening again counts that and changes nothing else`() throws {
        let played = try PlayedMatch.won()
        let bytes = played.file() + .guarded("link 28888 10.0.0.7:1") + .guarded("colour blue")
        let (_, disk) = try played.opening(bytes)
        let once = try #require(disk.content(played.name.file))
        let (opened, again) = try played.opening(once)
        #expect(opened.match.run == 2)
        let run = [1, 2].map { [UInt8].guarded("run \($0)") }
        #expect(once.suffix(run[0].count) == run[0][...])
        #expect(again.content(played.name.file) == once.dropLast(run[0].count) + run[1])
        #expect(again.names == [played.name.file])
        #expect(
            once.withLineEnds.sorted { $0.lexicographicallyPrecedes($1) }
                == (bytes + run[0]).withLineEnds.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `a match that has been begun is not begun again`() throws {
        let played = try PlayedMatch.won()
        let disk = SimulatedDisk()
        disk.put(played.file(), as: played.name.file)
        #expect(throws: JournalError.present(played.name)) {
            try played.create(in: disk)
        }
    }

    @Test func `a second process on the match is told so, until the first is gone`() throws {
        let played = try PlayedMatch.won()
        let (opened, disk) = try played.opening(played.file())
        let before = disk.content(played.name.file)
        #expect(throws: JournalError.inUse(path: played.name.lock)) { try played.open(in: disk) }
        #expect(disk.content(played.name.file) == before)
        _ = consume opened
        #expect(throws: Never.self) { try played.open(in: disk) }
    }

    @Test func `a match that is not there is absent`() throws {
        let played = try PlayedMatch.won()
        #expect(throws: JournalError.absent(played.name)) { try played.open(in: SimulatedDisk()) }
    }

    private struct OtherRules: Game {
        static let rules = RulesID(name: "tictactoe", version: 2)
        let turn = Turn.over(.draw)
        let termination = ""
        init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {
            throw InvalidOptions(reason: "There are none.")
        }
        mutating func apply(_ action: Square, by seat: Seat) throws(IllegalAction) {}
    }

    /// Rules of the right name and version that know no options at all.
    private struct Fussy: Game {
        static let rules = Position.rules
        let turn = Turn.over(.draw)
        let termination = ""
        init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {
            throw InvalidOptions(reason: "There are none.")
        }
        mutating func apply(_ action: Square, by seat: Seat) throws(IllegalAction) {}
    }

    @Test func `another version or another key is refused before anything changes`() throws {
        let played = try PlayedMatch.won()
        let good = played.file()
        func refusal(
            _ bytes: [UInt8], rules: [any Game.Type] = [Position.self],
            key: [UInt8] = annKey.publicKey
        ) -> JournalError? {
            let disk = SimulatedDisk()
            disk.put(bytes, as: played.name.file)
            defer {
                #expect(disk.content(played.name.file) == bytes)
                #expect(disk.names == [played.name.file])
            }
            do throws(JournalError) {
                _ = try Journal.open(
                    played.name, in: disk, rules: rules, publicKey: key, cryptography: annKey)
                return nil
            } catch {
                return error
            }
        }
        let header = "ttt-journal 7 \(played.name.matchDigits) \(played.name.seat.rawValue) more"
        let other: [UInt8] = .guarded(header) + .init("not for us\n")
        #expect(refusal(other) == .version(found: 7, known: 1))
        #expect(
            refusal(good, rules: [OtherRules.self])
                == .rules(found: Position.rules, known: [OtherRules.rules]))
        #expect(
            refusal(good, rules: [Fussy.self])
                == .options(found: Position.rules, reason: "There are none."))
        #expect(refusal(good, key: bobKey.publicKey) == .key)
        for bytes: [UInt8] in [[], .init("\n"), .init("hello"), played.file([])] {
            guard case .unusable = refusal(bytes) else {
                Issue.record("used: \(bytes.count) bytes")
                continue
            }
        }
    }

    @Test func `drafts wait in order, and the entry that says the same takes one away`() throws {
        let played = try PlayedMatch.won()
        let disk = SimulatedDisk()
        let own = played.lines.indices.filter {
            (try? Entry(line: played.lines[$0]))?.seat == played.name.seat
        }
        let move = try Entry(line: played.lines[own[1]]).body
        do {
            var journal = try played.create(in: disk)
            for line in played.lines[1..<own[1]] { try journal.store(entry: line) }
            try journal.store(draft: move)
            try journal.store(draft: .say("hi"))
            try journal.store(draft: move)
            try journal.note(link: LinkHint(port: 1, addresses: ["a:1"]))
            try journal.note(link: LinkHint(port: 2, addresses: ["b:2", "c:3"]))
        }
        for _ in 0..<2 {
            let match = try played.open(in: disk).match
            #expect(match.drafts == [move, .say("hi"), move])
            #expect(match.link == LinkHint(port: 2, addresses: ["b:2", "c:3"]))
        }
        do {
            var journal = try played.open(in: disk).journal
            try journal.store(entry: played.lines[own[1]])
        }
        // Twice: what is written at opening says the same as what was read.
        for _ in 0..<2 { #expect(try played.open(in: disk).match.drafts == [.say("hi"), move]) }
        do {
            var journal = try played.open(in: disk).journal
            try journal.dropDraft()
        }
        #expect(try played.open(in: disk).match.drafts == [move])
    }

    @Test func `after an error nothing more is written, and the same error comes again`() throws {
        let played = try PlayedMatch.won()
        let all: [(SimulatedDisk.Operation, StoreError.Code)] = [
            (.append, .full), (.sync, .failed),
        ]
        for (operation, code) in all {
            let disk = SimulatedDisk()
            var journal = try played.create(in: disk)
            let count = disk.operations.count
            disk.faults[count + (operation == .append ? 0 : 1)] = .fail(code)
            for line in [1, 1, 2] {
                do throws(JournalError) {
                    try journal.store(entry: played.lines[line])
                    Issue.record("stored")
                } catch {
                    guard case .store(let cause) = error, cause.code == code else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
            #expect(disk.operations.count == count + (operation == .append ? 1 : 2))
            #expect(disk.operations.last == operation)
        }
    }

    @Test func `only a match's own file has the name of a journal`() {
        let name = JournalName(match: [UInt8](repeating: 0xab, count: 16), seat: .second)
        #expect(JournalName(file: name.file) == name)
        let digits = String(repeating: "ab", count: 16)
        #expect(name.file == "\(digits).2")
        for other in [
            name.lock, name.new, name.damaged(1), digits, "\(digits).3", "ab.1", "\(digits).01",
        ] {
            #expect(JournalName(file: other) == nil)
        }
    }

    @Test func `the lines are those of the document`() throws {
        let lines = try exampleLines()
        let hashes = RecordedCryptography(signatures: [:])
        func bytes(_ start: String) throws -> [UInt8] {
            Array(try #require(lines.first { $0.hasPrefix(start) }).utf8)
        }
        let header = try JournalHeader(line: try bytes("ttt-journal"), cryptography: hashes)
        #expect(header == JournalHeader(name: header.name))
        #expect(header.bytes(hashes) == (try bytes("ttt-journal")) + [0x0a])
        let hint = LinkHint(port: 28888, addresses: ["192.0.2.7:40312", "[fe80::1%eth0]:40312"])
        let all: [(String, JournalLine)] = [
            ("link", .link(hint)), ("draft", .draft(.say("good luck"))), ("drop", .drop),
        ]
        for (start, line) in all {
            #expect(try JournalLine(line: try bytes(start), cryptography: hashes) == line)
            #expect(line.bytes(hashes) == (try bytes(start)) + [0x0a])
        }
    }

    private func exampleLines() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/journal.md"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex(of: "```journal"))
        return lines[(begin + 1)...].prefix { $0 != "```" }.map { $0 }
    }
}
