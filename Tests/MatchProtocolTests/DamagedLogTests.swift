// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Who goes on after damage does not sign a second entry of a number because the other side denies
/// to have had the first.
@Suite struct DamagedLogTests {
    private typealias Engine = MatchEngine<Position>

    /// Ann's journal with a flipped bit in the first of these entries, as it is opened.
    private func opened(
        _ played: PlayedMatch, damaging isDamaged: (Entry) -> Bool
    ) throws -> StoredMatch {
        var lines = played.lines
        let index = try #require(try lines.firstIndex { isDamaged(try Entry(line: $0)) })
        lines[index][lines[index].count - 1] ^= 1
        return try played.opening(played.file(lines)).0.match
    }

    private func engine(_ match: StoredMatch) throws -> Engine {
        var engine = try #require(
            Engine(
                resuming: match, local: annKey.player(named: "Ann"), cryptography: annKey))
        _ = engine.handle(.begin, at: Instant(nanoseconds: 0))
        return engine
    }

    private func met(
        _ engine: Engine, _ entry: Entry
    ) -> (may: Bool, effects: [Engine.Effect]) {
        let (have, hash) = (entry.number, entry.hash(annKey))
        var engine = engine
        let effects = engine.handle(
            .met(have: have, hash: hash, sent: have), at: Instant(nanoseconds: 0))
        return (engine.mayMeet(have: have, hash: hash), effects)
    }

    @Test func `entries that the other side signed to have seen cannot be denied after damage`()
        throws
    {
        let played = try PlayedMatch.won()
        let seat = played.name.seat
        let own = try played.lines.map { try Entry(line: $0) }.filter { $0.seat == seat }
        let match = try opened(played) { $0.seat == seat && $0.number == 2 }
        #expect(match.log(of: seat).count == 1)
        let engine = try engine(match)
        let seen = Int(try #require(match.floor))
        #expect(seen > 1 && seen <= own.count)
        for entry in own {
            let (may, effects) = met(engine, entry)
            #expect(may == (entry.number >= seen))
            #expect(effects.areRefusal == (entry.number < seen))
            let asks = effects.contains(.sendNote(Array("lost 1".utf8)))
            #expect(asks == (entry.number >= seen))
        }
    }

    @Test func `what was lost without a trace can be denied`() throws {
        // The limit of it: nothing that is left says that there was more.
        let played = try PlayedMatch.won()
        let seat = played.name.seat
        let own = try played.lines.map { try Entry(line: $0) }.filter { $0.seat == seat }
        let cut = Array(played.lines.prefix(2))
        let match = try played.opening(played.file(cut)).0.match
        #expect(match.floor == nil)
        #expect(met(try engine(match), own[0]).may)
    }

    @Test func `how much was seen is kept, whatever is damaged next`() throws {
        let played = try PlayedMatch.won()
        let seat = played.name.seat
        let first = try opened(played) { $0.seat == seat && $0.number == 2 }
        var lines = first.entries.map(\.line)
        lines[1][9] ^= 1
        let floor = try #require(first.floor)
        let bytes = played.file(lines) + .guarded("damaged \(floor)") + .guarded("damaged 1")
        #expect(verify(played.file() + .guarded("damaged 1")).record?.isFinished == true)
        #expect(try played.opening(bytes).0.match.floor == floor)
    }

    @Test func `what somebody else signed says nothing of what was seen`() throws {
        let played = try PlayedMatch.won()
        let seat = played.name.seat
        let forged = try #require(
            Entry(
                after: .start, by: seat.other, seen: LogHead(count: 99, hash: LogHead.start.hash),
                .say("hi"), cryptography: FastCryptography(key: 3)))
        let match = try played.opening(played.file(played.lines + [forged.line])).0.match
        #expect(match.floor == 0)
    }

    @Test func `a match that was damaged is not given up because the other side has none`() throws {
        let played = try PlayedMatch.won()
        let seat = played.name.seat
        for isDamaged in [true, false] {
            let match =
                isDamaged
                ? try opened(played) { $0.seat == seat.other && $0.number == 1 }
                : try played.opening(played.file([played.lines[0]])).0.match
            var engine = try engine(match)
            #expect(engine.logs.theirs.count == 0)
            let effects = engine.handle(.refused(.noSuchSession), at: Instant(nanoseconds: 0))
            #expect(engine.isOver == !isDamaged)
            #expect(effects.isEmpty == isDamaged)
        }
    }
}
