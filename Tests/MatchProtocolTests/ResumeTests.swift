// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// What goes on when connections and processes come and go, one thing at a time.
@Suite struct ResumeTests {
    private typealias Match = KeptMatch<Position>
    private typealias Event = MatchEvent<Position>

    /// A match in its first game after these squares, and who is to move.
    private func match(after squares: [Int] = []) throws -> (Match, mover: Role) {
        var match = Match.begun()
        for number in squares {
            let mover = try #require(match.mover)
            match.input(.command(.play(try #require(Square(number: number)))), to: mover)
            match.settle()
        }
        return (match, try #require(match.mover))
    }

    @Test func `a process that comes back tells the game as it stands, and the other nothing new`()
        throws
    {
        var (match, mover) = try match(after: [5, 1])
        let before = match[mover.other].told
        match.part(mover.other)
        match.restart(mover)
        let told = match[mover].told
        guard case .started(_, 1, .first, _, let position, .some)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(position.board == "O...X....")
        #expect(Array(told.dropFirst()) == [.turn(you: true, ply: 3)])
        match.complete(match.dial(by: mover))
        match.settle()
        #expect(match[mover].told.last == .together)
        #expect(match[mover.other].told == before + [.apart(nil), .together])
    }

    @Test func `a move made apart is kept, made when company is back, and blocks another`() throws {
        var (match, mover) = try match(after: [5, 1])
        match.cut()
        let lines = match[mover].engine.lines
        let (square, other) = (Square.allCases[8], Square.allCases[7])
        match.input(.command(.play(square)), to: mover)
        guard case .sending(3, .first, square, let position)? = match[mover].told.last else {
            Issue.record("\(match[mover].told)")
            return
        }
        #expect(position.board == "O...X...X")
        match.input(.command(.play(other)), to: mover)
        guard case .rejected(.early, _)? = match[mover].told.last else {
            Issue.record("\(match[mover].told)")
            return
        }
        #expect(match[mover].engine.lines == lines)
        // The wish outlives the process too, and is not offered as a turn again.
        match.restart(mover)
        guard case .started? = match[mover].told.first, match[mover].told.count == 2,
            case .sending(3, .first, square, position) = match[mover].told[1]
        else {
            Issue.record("\(match[mover].told)")
            return
        }
        match.complete(match.dial(by: mover.other))
        match.settle()
        let end = match[mover].told.suffix(3)
        #expect(end.first == .together)
        guard case .moved(3, .first, square, position) = end.dropFirst().first,
            end.last == .turn(you: false, ply: 4)
        else {
            Issue.record("\(end)")
            return
        }
        #expect(match[mover].disk.drafts.isEmpty)
    }

    @Test func `a wish that is not allowed any more is dropped, and told`() throws {
        var (match, mover) = try match(after: [5, 1])
        // The move is made, and then forgotten here: the wish is another move for the same ply.
        let old = match[mover].disk
        match.input(.command(.play(Square.allCases[8])), to: mover)
        match.settle()
        match.restart(mover, from: old)
        match.input(.command(.play(Square.allCases[7])), to: mover)
        match.input(.command(.say("and this stays")), to: mover)
        match.complete(match.dial(by: mover))
        match.settle()
        #expect(match.drops == 1 && match[mover].disk.drafts.isEmpty)
        let told = match[mover].told
        let index = try #require(told.firstIndex(of: .together))
        guard case .moved(3, .first, Square.allCases[8], _) = told[index - 2],
            case .dropped(.early, _) = told[index + 1]
        else {
            Issue.record("\(told)")
            return
        }
        #expect(told.last == .said(byYou: true, text: "and this stays"))
    }

    @Test func `a draft counts in what may be wished for next`() throws {
        var (match, mover) = try match(after: [5, 1])
        match.input(.command(.offer(.draw)), to: mover.other)
        match.settle()
        match.cut()
        match.input(.command(.accept), to: mover)
        match.input(.command(.play(Square.allCases[8])), to: mover)
        guard case .rejected(.over, _)? = match[mover].told.last else {
            Issue.record("\(match[mover].told)")
            return
        }
        match.complete(match.dial(by: mover))
        match.settle()
        #expect(match[mover].engine.standing?.score == MatchScore(draws: 1))
    }

    @Test func `both wishing for a rematch apart get one`() throws {
        var (match, _) = try match(after: [1, 4, 2, 5])
        match.input(.command(.play(Square.allCases[2])), to: try #require(match.mover))
        match.settle()
        match.cut()
        for role in Role.allCases { match.input(.command(.offer(.rematch)), to: role) }
        match.complete(match.dial(by: .initiator))
        match.settle()
        #expect(match.mover != nil && match.drops == 0)
        for role in Role.allCases { #expect(match[role].disk.drafts.isEmpty) }
    }

    @Test func `a lost log comes back from the other side before anything is signed`() throws {
        var (match, mover) = try match(after: [5])
        let old = match[mover].disk
        for index in 0..<40 {
            match.input(.command(.say("word \(index)")), to: mover)
            match.settle()
        }
        let lines = match[mover].engine.lines
        match.restart(mover, from: old)
        match.input(.command(.play(Square.allCases[8])), to: mover)
        match.complete(match.dial(by: mover))
        var asked = 0
        while match.deliver(to: mover.other) || match.deliver(to: mover) {
            let isWhole = match[mover].engine.lines.count >= lines.count
            #expect(isWhole == match[mover].engine.isInCompany)
            asked = match.refills.values.reduce(0) { $0 + $1.count }
        }
        #expect(asked == 1)
        #expect(Array(match[mover].engine.lines.prefix(lines.count)) == lines)
        // The wish was signed behind what came back.
        #expect(match[mover].engine.lines.count == lines.count + 1)
        #expect(match[mover].engine.logs.own == match[mover.other].engine.logs.theirs)
    }

    /// With many words the other side has more of the second machine's log than the first machine
    /// has of its own.
    @Test(arguments: [0, 1, 20])
    func `one key on two machines is a fork as soon as both have signed`(words: Int) throws {
        var (match, mover) = try match(after: [5])
        // The copy does not know what the first machine signs while nobody hears it.
        match.backUp(mover)
        match.part(mover.other)
        match.input(.command(.play(Square.allCases[8])), to: mover)
        let first = match
        // Signed before the other side hears of either.
        match.input(.command(.say("meanwhile")), to: mover.other)
        match.restart(mover, from: match[mover].backups[0])
        match.input(.command(.play(Square.allCases[7])), to: mover)
        match.complete(match.dial(by: mover))
        match.settle()
        for index in 0..<words {
            match.input(.command(.say("word \(index)")), to: mover)
            match.settle()
        }
        #expect(match.end == nil)
        // Now the first machine comes back, dialling or dialled.
        for dialler in [mover, mover.other] {
            var again = match
            again[mover] = first[mover]
            let count = again[mover].engine.lines.count
            again.complete(again.dial(by: dialler))
            again.settle()
            #expect(again.end == .forked)
            #expect(again[mover].told.last == .ended(.forked))
            #expect(again[mover.other].told.last == .ended(.forked))
            #expect(again[mover].engine.lines.count == count)
            // What the other side has may be the second machine's, so nothing is told by it.
            let isTold = again[mover].told.contains {
                if case .moved(2, _, _, _) = $0 { true } else { false }
            }
            #expect(!isTold)
        }
    }

    @Test func `what is not one's own log is not taken back`() throws {
        var (match, mover) = try match(after: [5])
        let old = match[mover].disk
        match.input(.command(.say("lost")), to: mover)
        match.settle()
        let line = try #require(match[mover].engine.lines.last)
        match.restart(mover, from: old)
        match.complete(match.dial(by: mover))
        let theirs = try #require(match[mover.other].engine.lines.last)
        let logs = match[mover].engine.logs
        let seat = try #require(match[mover].engine.identity?.seat)
        let forged = try #require(
            Entry(
                after: logs.own, by: seat, seen: logs.theirs, .say("forged"),
                cryptography: FastCryptography(key: 0x55)))
        for kept in [theirs, line.dropLast() + [0x30], forged.line, Array("x".utf8)] {
            var engine = match[mover].engine
            let effects = engine.handle(.note(MatchNote.kept(line: kept).bytes), at: match.now)
            guard case .close(.protocolError, _)? = effects.last, effects.count == 3 else {
                Issue.record("\(String(decoding: kept, as: UTF8.self)) \(effects)")
                continue
            }
        }
        var engine = match[mover].engine
        let effects = engine.handle(.note(MatchNote.kept(line: line).bytes), at: match.now)
        #expect(effects.contains(.tell(.together)) && effects.count == 3)
    }

    @Test func `an entry that comes again is acknowledged again, and one that differs is a fork`()
        throws
    {
        var (match, mover) = try match(after: [5, 1])
        let other = match[mover.other]
        let line = try #require(other.engine.lines.last)
        let number = UInt64(other.engine.lines.count)
        let head = match[mover].engine.logs.theirs
        let effects = match[mover].engine.handle(.packet(number: number, line), at: match.now)
        #expect(effects == [.acknowledge(through: head.count, hash: head.hash)])

        let first = try Entry(line: other.engine.lines[0])
        let entry = try #require(
            Entry(
                after: LogHead(count: 1, hash: first.hash(FastCryptography(key: 0))),
                by: first.seat, seen: .start, .say("another"),
                cryptography: FastCryptography(key: mover == .initiator ? 0xb2 : 0xa1)))
        let forked = match[mover].engine.handle(.packet(number: 2, entry.line), at: match.now)
        #expect(forked.last == .close(.forked, text: ""))
    }

    @Test func `a match whose other side never began is given up`() throws {
        var match = Match(
            random: ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)))
        match.deliver(to: .responder)
        match.deliver(to: .initiator)
        match.part(.initiator)
        #expect(match.joiner.told.last == .apart(nil))
        match.input(.refused(.noSuchSession), to: .initiator)
        #expect(match.joiner.told.last == .ended(.lost))
        var (running, mover) = try self.match()
        running.part(mover)
        running.input(.refused(.noSuchSession), to: mover)
        #expect(running[mover].told.last == .apart(nil))
    }

    @Test func `a connection that was dialled before the last entries sends them too`() throws {
        var (match, mover) = try match(after: [5])
        let dial = match.dial(by: mover.other)
        match.input(.command(.play(Square.allCases[0])), to: mover)
        match.settle()
        match.input(.command(.say("late")), to: mover.other)
        match.cut()
        match.complete(dial)
        match.settle()
        #expect(match[mover].engine.logs.theirs == match[mover.other].engine.logs.own)
        #expect(match[mover].engine.logs.own == match[mover.other].engine.logs.theirs)
        #expect(match[mover].told.contains(.said(byYou: false, text: "late")))
    }
}
