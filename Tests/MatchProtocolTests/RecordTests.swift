// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@Suite struct RecordTests {
    @Test func `a finished record says who played what and how it ended`() throws {
        let played = try PlayedMatch.won()
        let record = try #require(verify(played.file()).record)
        #expect(record.match == played.name.match)
        #expect(record.player(played.name.seat).name == "Ann")
        #expect(record.player(played.name.seat).publicKey == annKey.publicKey)
        #expect(record.player(played.name.seat.other).name == "Bob")
        let game = try #require(record.games.first)
        #expect(game.moves.map(\.square) == [1, 4, 2, 5, 3])
        #expect(game.moves.map(\.by) == [.first, .second, .first, .second, .first])
        #expect(game.moves.map(\.mark) == ["X", "O", "X", "O", "X"])
        #expect(game.result == GameResult(.win(.first), termination: "line"))
        #expect(Set(game.endedBy) == [.first, .second])
        #expect(game.board == "XXXOO....")
        #expect(record.isFinished)
        #expect((record.wins(of: .first), record.wins(of: .second), record.draws) == (1, 0, 0))
    }

    @Test func `both players' files say the same`() throws {
        var pair = MatchPair<Position>.started()
        try pair.play([1, 4, 2, 5, 3])
        pair.command(.say("well played"), from: .responder)
        pair.settle()
        let ann = try PlayedMatch(pair, .initiator).file()
        let bob = try PlayedMatch(pair, .responder).file()
        var ofBob = try #require(verify(bob).record)
        let ofAnn = try #require(verify(ann).record)
        #expect(try #require(verify(ann, bob).record) == ofAnn)
        ofBob.seat = ofAnn.seat
        #expect(ofBob.games.map(\.moves) == ofAnn.games.map(\.moves))
        #expect(ofBob.games.map(\.result) == ofAnn.games.map(\.result))
    }

    @Test func `a rematch is a second game in which the other side moves first`() throws {
        var pair = MatchPair<Position>.started()
        try pair.play([1, 4, 2, 5, 3])
        pair.command(.offer(.rematch), from: .initiator)
        pair.settle()
        pair.command(.accept, from: .responder)
        pair.settle()
        try pair.play([5])
        let record = try #require(verify(try PlayedMatch(pair, .initiator).file()).record)
        #expect(record.games.map(\.number) == [1, 2])
        #expect(record.games.map(\.first) == [.first, .second])
        #expect(record.games[1].moves.map(\.by) == [.second])
        #expect(record.games[1].toMove == [.first])
        #expect(!record.isFinished)
        #expect(record.games[0].isFinished)
    }

    /// One bit of each byte; the real library, which is faster, tries them all.
    @Test func `a flipped bit is refused, whatever line it is in`() async throws {
        let played = try PlayedMatch.won()
        var bytes = played.file()
        bytes += .guarded("link 28888 10.0.0.7:28888") + .guarded("draft say hi")
        bytes += .guarded("drop") + .guarded("colour blue")
        #expect(verify(bytes).record?.isFinished == true)
        for index in bytes.indices {
            await Task.yield()
            let bit = UInt8(1) << UInt8((index * 5 + index / 8) % 8)
            bytes[index] ^= bit
            if verify(bytes).refusal == nil { Issue.record("byte \(index) passed") }
            bytes[index] ^= bit
        }
    }

    @Test(arguments: 0..<8)
    func `a record whose last line end is another byte is not taken for a cut one`(bit: Int) throws
    {
        for end: [UInt8] in [[], .guarded("link 1"), .guarded("colour blue")] {
            var bytes = try PlayedMatch.won().file() + end
            bytes[bytes.count - 1] ^= 1 << bit
            #expect(verify(bytes).refusal != nil)
        }
    }

    @Test func `a record cut anywhere is unfinished or says nothing, and never wrong`() async throws
    {
        let bytes = try PlayedMatch.won().file()
        let whole = try #require(verify(bytes).record)
        let opened = try #require(bytes.withLineEnds.prefix(2).map(\.count).reduce(0, +) as Int?)
        for count in 0..<bytes.count {
            await Task.yield()
            switch verify(Array(bytes.prefix(count))) {
            case .authentic(let record):
                #expect(!record.isFinished)
                #expect(
                    whole.games.first?.moves.starts(with: record.games.first?.moves ?? []) == true)
            case .refused: #expect(count < opened, "cut at \(count)")
            case .forked: Issue.record("a cut is no fork")
            }
        }
    }

    @Test func `the missing signature under an end is named`() throws {
        let played = try PlayedMatch.won()
        let record = try #require(verify(played.file(played.lines.dropLast())).record)
        let game = try #require(record.games.first)
        #expect(game.endedBy.count == 1)
        #expect(game.result?.termination == "line")
        #expect(!record.isFinished)
    }

    @Test func `another match's id is refused in the first line and in the entries`() throws {
        let (one, two) = (try PlayedMatch.won(seed: 1), try PlayedMatch.won(seed: 2))
        #expect(one.name.match != two.name.match)
        let header = one.file([])
        #expect(verify(header + two.lines.flatMap { $0 + [0x0a] }).refusal != nil)
        let mixed = one.lines.prefix(3) + two.lines.dropFirst(3)
        #expect(verify(one.file(Array(mixed))).refusal?.line == 5)
        #expect(verify(one.file(), two.file()).refusal?.file == 1)
    }

    @Test func `swapped plies are refused`() throws {
        let played = try PlayedMatch.won()
        for index in 2..<(played.lines.count - 1) {
            var lines = played.lines
            lines.swapAt(index, index + 1)
            let record = verify(played.file(lines)).record
            // Both ends may stand in either order, if neither had seen the other.
            #expect(record == nil || record?.games.first?.moves.map(\.square) == [1, 4, 2, 5, 3])
        }
        var lines = played.lines
        lines.swapAt(2, 4)
        #expect(verify(played.file(lines)).refusal?.line == 4)
    }

    @Test func `an entry that comes twice is refused`() throws {
        let played = try PlayedMatch.won()
        #expect(verify(played.file(played.lines + [played.lines[3]])).refusal != nil)
    }

    /// The lines up to the first move, and that move again with other arguments and right hashes.
    private func forged(
        _ played: PlayedMatch, _ body: EntryBody, after count: Int
    ) throws -> [[UInt8]] {
        let kept = try played.lines.prefix(count).map { try Entry(line: $0) }
        let original = try Entry(line: played.lines[count])
        let signer = original.seat == played.name.seat ? annKey : bobKey
        let own = kept.last { $0.seat == original.seat }
        let forged = try #require(
            Entry(
                after: LogHead(
                    count: original.number - 1,
                    hash: own?.hash(annKey) ?? LogHead.start.hash),
                by: original.seat, seen: original.seen, body, cryptography: signer))
        return kept.map(\.line) + [forged.line]
    }

    @Test func `an illegal move with valid signatures is refused`() throws {
        let played = try PlayedMatch.won()
        // A square that is taken; the right one passes.
        let legal = try forged(played, .move(game: 1, ply: 2, action: [0x39]), after: 3)
        #expect(verify(played.file(legal)).record?.games.first?.moves.last?.square == 9)
        for body: EntryBody in [
            .move(game: 1, ply: 2, action: [0x31]), .move(game: 1, ply: 3, action: [0x39]),
            .move(game: 2, ply: 2, action: [0x39]), .move(game: 1, ply: 2, action: [0x30]),
            .end(game: 1, Ending(.win(.first), termination: "line")), .accept(offer: 1),
        ] {
            let lines = try forged(played, body, after: 3)
            #expect(verify(played.file(lines)).refusal?.line == 5, "\(body)")
        }
    }

    @Test func `a false end is refused`() throws {
        let played = try PlayedMatch.won()
        let first = played.lines.count - 2
        for ending in [
            Ending(.draw, termination: "line"), Ending(.win(.second), termination: "line"),
        ] {
            let lines = try forged(played, .end(game: 1, ending), after: first)
            #expect(verify(played.file(lines)).refusal?.line == first + 2)
        }
    }

    @Test func `two signed entries of one number are a fork, and the key is named`() throws {
        let played = try PlayedMatch.won()
        let other = try forged(played, .move(game: 1, ply: 2, action: [0x39]), after: 3)
        let twin = try Entry(line: other[3])
        let one = verify(played.file(played.lines + [other[3]]))
        let two = verify(played.file(), played.file(other))
        for verdict in [one, two] {
            guard case .forked(let fork) = verdict else {
                Issue.record("no fork: \(verdict)")
                continue
            }
            #expect(fork.publicKey == (twin.seat == played.name.seat ? annKey : bobKey).publicKey)
            #expect(fork.seat == twin.seat)
            #expect(fork.number == twin.number)
            #expect(Set(fork.lines) == [played.lines[3], other[3]])
        }
    }

    @Test func `what a key signed in another match makes no fork of this one`() throws {
        let one = try PlayedMatch.won()
        // The same players in the same seats, in one file and in two.
        let other = try #require(
            try (2..<64).lazy.map { try PlayedMatch.won(seed: $0) }.first {
                $0.name.seat == one.name.seat
            })
        for count in other.lines.indices {
            let line = other.lines[count]
            let mixed = verify(one.file(one.lines + [line]))
            #expect(mixed.refusal?.line == one.lines.count + 2, "\(mixed)")
            #expect(mixed.refusal?.reason.contains("does not follow") == true)
            let two = verify(one.file(), one.file([line]))
            #expect(two.refusal?.file == 1 && two.refusal?.line == 2, "\(two)")
        }
    }

    @Test func `two different openings of one match are a fork`() throws {
        let played = try PlayedMatch.won()
        guard case .open(var opening) = try Entry(line: played.lines[0]).body else {
            Issue.record("no open")
            return
        }
        func opened(_ opening: Opening) throws -> Verdict {
            let entry = try #require(
                Entry(
                    after: .start, by: played.name.seat, seen: .start, .open(opening),
                    cryptography: annKey))
            return verify(played.file(played.lines + [entry.line]))
        }
        opening.name = "Anna"
        guard case .forked(let fork) = try opened(opening) else {
            Issue.record("no fork")
            return
        }
        #expect(fork.number == 1)
        opening.options = [1]
        #expect(try opened(opening).refusal?.line == played.lines.count + 2)
    }

    @Test func `what follows on either branch of a fork hides it not`() throws {
        let played = try PlayedMatch.won()
        let other = try forked(played)
        guard case .forked(let fork) = verify(played.file(), played.file(other)) else {
            Issue.record("no fork")
            return
        }
        #expect(fork.number == 2)
    }

    /// Another second move, and a text behind it.
    private func forked(_ played: PlayedMatch) throws -> [[UInt8]] {
        let lines = try forged(played, .move(game: 1, ply: 2, action: [0x39]), after: 3)
        let entry = try Entry(line: lines[3])
        let signer = entry.seat == played.name.seat ? annKey : bobKey
        let next = try #require(
            Entry(
                after: LogHead(count: entry.number, hash: entry.hash(signer)), by: entry.seat,
                seen: entry.seen, .say("hi"), cryptography: signer))
        return lines + [next.line]
    }

    @Test func `somebody else's signature makes no fork`() throws {
        let played = try PlayedMatch.won()
        var line = try forged(played, .move(game: 1, ply: 2, action: [0x39]), after: 3)[3]
        line[line.count - 1] ^= 1
        #expect(verify(played.file(played.lines + [line])).refusal != nil)
    }

    @Test func `rules that are not known are refused with their name`() throws {
        let bytes = try PlayedMatch.won().file()
        let verdict = Verdict.verifying([bytes], rules: [], cryptography: annKey)
        #expect(verdict.refusal?.reason.contains("tictactoe version 1") == true)
    }

    @Test func `a file of another version is refused with both versions named`() throws {
        let played = try PlayedMatch.won()
        let header = "ttt-journal 2 \(played.name.matchDigits) 1 something new"
        let reason = verify(.guarded(header) + .init("anything\n")).refusal?.reason ?? ""
        #expect(reason.contains("version 2") && reason.contains("version 1"))
    }
}
