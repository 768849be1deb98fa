// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// An engine is a value, and what it refuses has not happened.
@Suite struct EngineValueTests {
    private typealias Match = KeptMatch<Position>

    private func match() throws -> (Match, mover: Role) {
        var match = Match(
            random: ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)))
        match.settle()
        return (match, try #require(match.mover))
    }

    @Test func `two copies of an engine know nothing of each other`() throws {
        let (match, mover) = try match()
        let engine = match[mover].engine
        var (first, second) = (engine, engine)
        _ = first.handle(.command(.play(Square.allCases[3])), at: match.now)
        _ = second.handle(.parted, at: match.now)
        #expect(engine.isInCompany && first.isInCompany && !second.isInCompany)
        #expect(engine.lines.count == 1 && first.lines.count == 2 && second.lines == engine.lines)
    }

    @Test func `an input of which only the last part is refused changes nothing`() throws {
        var (match, mover) = try match()
        let old = match[mover].disk
        match.input(.command(.say("first")), to: mover.other)
        match.settle()
        match.input(.command(.say("second")), to: mover)
        match.settle()
        let theirs = try #require(match[mover.other].engine.lines.last)
        let own = try #require(match[mover].engine.lines.last)
        match.restart(mover, from: old)
        match.complete(match.dial(by: mover))
        var engine = match[mover].engine
        let logs = engine.logs
        // What comes back was written after what is not here yet, so it waits; then it is looked at.
        let forged: [UInt8] = own.dropLast() + [own.last == 0x30 ? 0x31 : 0x30]
        #expect(engine.handle(.note(MatchNote.kept(line: forged).bytes), at: match.now) == [])
        let effects = engine.handle(
            .packet(number: logs.theirs.count + 1, theirs), at: match.now)
        guard case .close(.protocolError, _)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(!effects.contains { if case .store = $0 { true } else { false } })
        #expect(engine.logs.own == logs.own && engine.logs.theirs == logs.theirs)
    }

    @Test func `a host has begun nothing by an opening that it refuses`() throws {
        let (another, _) = try match()
        let foreign = try #require(another[.initiator].engine.lines.first)
        var match = Match(
            random: ([UInt8](repeating: 3, count: 32), [UInt8](repeating: 2, count: 32)))
        while match[.initiator].engine.lines.isEmpty {
            #expect(match.deliver(to: .responder) || match.deliver(to: .initiator))
        }
        // As it is right before it takes the joiner's opening.
        var host = match[.responder].engine
        while match[.responder].engine.lines.isEmpty {
            host = match[.responder].engine
            guard match.deliver(to: .responder) else { break }
        }
        #expect(match[.responder].engine.identity != nil)
        let effects = host.handle(.packet(number: 1, foreign), at: match.now)
        guard case .close(.protocolError, _)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(host.identity == nil && host.lines.isEmpty)
    }
}
