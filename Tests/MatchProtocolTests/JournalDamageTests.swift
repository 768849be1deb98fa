// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Files that are not as they were written.
@Suite struct JournalDamageTests {
    @Test func `a line that was not finished is dropped without a word`() throws {
        let played = try PlayedMatch.won()
        let bytes = played.file()
        let start = bytes.count - played.lines[played.lines.count - 1].count - 1
        for count in start..<bytes.count {
            let (opened, disk) = try played.opening(Array(bytes.prefix(count)))
            #expect(opened.match.entries.map(\.line) == played.lines.dropLast())
            #expect(opened.damage == nil)
            #expect(disk.names == [played.name.file])
        }
    }

    @Test func `a damaged file is put aside, and the rest of each log is kept`() throws {
        let played = try PlayedMatch.won()
        let bytes = played.file()
        var offset = 0
        for (index, line) in bytes.withLineEnds.enumerated() {
            var damaged = bytes
            damaged[offset + line.count / 2] ^= 1
            offset += line.count
            let (opened, disk) = try played.opening(damaged)
            #expect(opened.damage?.line == index + 1)
            #expect(opened.damage?.file == played.name.damaged(1))
            #expect(disk.content(played.name.damaged(1)) == damaged)
            #expect(opened.match.opening.keys[played.name.seat] == annKey.publicKey)
            for seat in Seat.allCases {
                let whole = try played.lines.map { try Entry(line: $0) }.filter { $0.seat == seat }
                #expect(whole.starts(with: opened.match.log(of: seat)))
            }
            // All but what stands on the damaged line, and the new file is right.
            #expect(opened.match.entries.count >= index - 1)
            var kept = opened.match
            kept.run += 1
            _ = consume opened
            let again = try played.open(in: disk)
            #expect(again.damage == nil)
            #expect(again.match == kept)
        }
    }

    @Test func `what was lost can be stored again, also behind what was kept`() throws {
        let played = try PlayedMatch.won()
        var damaged = played.file()
        let line = played.lines.firstIndex { $0.starts(with: played.lines[0].prefix(2)) } ?? 0
        #expect(line == 0)
        let second = damaged.withLineEnds.prefix(3).map(\.count).reduce(0, +)
        damaged[second + 200] ^= 4
        let (opened, disk) = try played.opening(damaged)
        var (journal, kept) = (opened.journal, opened.match.entries.map(\.line))
        _ = consume opened
        for line in played.lines where !kept.contains(line) {
            try journal.store(entry: line)
            kept.append(line)
        }
        _ = consume journal
        #expect(try played.open(in: disk).match.entries.map(\.line) == kept)
        #expect(Set(kept) == Set(played.lines))
    }

    @Test func `of a file with more lines than are read the rest is damage`() async throws {
        let played = try PlayedMatch.won()
        let bytes =
            played.file() + repeatElement([UInt8].guarded("colour"), count: 1 << 18).joined()
        #expect(verify(bytes).refusal?.line == (1 << 18) + 1)
        await Task.yield()
        let (opened, _) = try played.opening(bytes)
        #expect(opened.match.entries.map(\.line) == played.lines)
        #expect(opened.damage?.line == (1 << 18) + 1)
    }

    @Test func `an empty line is damage, and so is a first line without end`() throws {
        let played = try PlayedMatch.won()
        let bytes = played.file() + [0x0a, 0x0a]
        #expect(verify(bytes).refusal?.line == played.lines.count + 2)
        #expect(try played.opening(bytes).0.damage?.line == played.lines.count + 2)
        for count in [5_000, 1 << 20] {
            #expect(verify(.init(repeating: 0x61, count: count)).refusal?.line == 1)
            let long = [UInt8](repeating: 0x61, count: count) + [0x0a]
            #expect(verify(long).refusal?.reason == "The line is too long.")
        }
    }

    @Test func `no more drafts than may wait are taken from a file`() throws {
        let played = try PlayedMatch.won()
        let drafts = (1...300).flatMap { [UInt8].guarded("draft say \($0)") }
        let (opened, _) = try played.opening(played.file() + drafts)
        #expect(opened.match.drafts == (1...256).map { .say("\($0)") })
        #expect(opened.damage?.line == played.lines.count + 2 + 256)
        let some = drafts.withLineEnds.prefix(200).joined()
        let dropped = repeatElement([UInt8].guarded("drop"), count: 200).joined()
        let again = try played.opening(played.file() + some + dropped + some)
        #expect(again.0.damage == nil && again.0.match.drafts.count == 200)
    }

    @Test func `what was put aside before stays`() throws {
        let played = try PlayedMatch.won()
        var damaged = played.file()
        damaged[damaged.count - 5] ^= 1
        let disk = SimulatedDisk()
        disk.put([1], as: played.name.damaged(1))
        disk.put(damaged, as: played.name.file)
        #expect(try played.open(in: disk).damage?.file == played.name.damaged(2))
        #expect(disk.content(played.name.damaged(1)) == [1])
    }
}
