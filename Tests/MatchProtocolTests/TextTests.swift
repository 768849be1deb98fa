// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Nobody fills the other's disk by talking: fifty texts in a row (`docs/protocol.md` §5.4).
@Suite struct TextTests {
    private func isRejected(_ event: MatchEvent<Position>?) -> Bool {
        if case .rejected(.early, _)? = event { true } else { false }
    }

    @Test func `after fifty texts the other one must write before there are more`() throws {
        var pair = MatchPair<Position>.started()
        let mover = try #require(pair.mover)
        for round in 0..<3 {
            for _ in 0..<50 { pair.command(.say("hello"), from: mover.other) }
            #expect(!pair[mover.other].told.contains(where: isRejected))
            let count = pair[mover.other].engine.logs.own.count
            let silent = pair
            pair.command(.say("more"), from: mover.other)
            #expect(isRejected(pair[mover.other].told.last))
            #expect(pair[mover.other].engine.logs.own.count == count)
            pair = silent
            pair.settle()
            // Only a text counts: whoever may not talk plays on.
            pair.command(.offer(.draw), from: mover.other)
            pair.settle()
            // Any entry of the other side will do.
            if round == 0 {
                pair.command(.say("yes?"), from: mover)
            } else {
                pair.command(.decline, from: mover)
            }
            pair.settle()
            if round == 0 { pair.command(.decline, from: mover) }
            pair.settle()
        }
        try pair.play([5, 1])
        pair.expectAgreement()
    }

    @Test func `texts that cross are each counted by what its author had seen`() throws {
        var pair = MatchPair<Position>.started()
        for _ in 0..<5 {
            for _ in 0..<50 {
                for role in Role.allCases { pair.command(.say("hi"), from: role) }
            }
            for role in Role.allCases {
                let before = pair
                pair.command(.say("more"), from: role)
                #expect(isRejected(pair[role].told.last))
                pair = before
            }
            pair.settle()
        }
        pair.expectAgreement()
        #expect(pair.joiner.engine.logs.own.count > 250)
    }

    @Test func `one text more is a broken protocol`() throws {
        var pair = MatchPair<Position>.started()
        for _ in 0..<50 { pair.command(.say("hello"), from: .initiator) }
        pair.settle()
        let logs = pair.joiner.engine.logs
        let key = FastCryptography(key: 0xa1)
        func take(_ body: EntryBody) throws -> [MatchEngine<Position>.Effect] {
            let entry = try #require(
                Entry(
                    after: logs.own, by: pair.joiner.seat, seen: logs.theirs, body,
                    cryptography: key))
            var host = pair.host.engine
            return host.handle(.packet(number: entry.number, entry.line), at: pair.now)
        }
        #expect(try take(.say("more")).areRefusal)
        #expect(try !take(.resign(game: 1)).areRefusal)
    }

    @Test func `whoever is alone may say fifty texts, and all of them arrive`() throws {
        var match = KeptMatch<Position>.begun()
        match.cut()
        for index in 0..<51 { match.input(.command(.say("\(index)")), to: .initiator) }
        #expect(isRejected(match[.initiator].told.last))
        match.restart(.initiator)
        match.input(.command(.say("more")), to: .initiator)
        #expect(isRejected(match[.initiator].told.last))
        match.complete(match.dial(by: .initiator))
        match.settle()
        let heard = match[.responder].told.compactMap { event -> String? in
            if case .said(false, let text) = event { text } else { nil }
        }
        #expect(heard == (0..<50).map(String.init))
    }

    @Test func `what the other program answers by itself lets nobody say more`() throws {
        var match = KeptMatch<Position>.begun(clock: MoveClock(seconds: 10, increment: 2))
        let mover = try #require(match.mover)
        let start = match.now
        for _ in 0..<50 { match.input(.command(.say("hello")), to: mover.other) }
        for count in 1...8 as ClosedRange<UInt64> {
            // What the claimant measured took no time there.
            match.now = start.advanced(milliseconds: 60_000 * count)
            match.input(.command(.claim), to: mover.other)
            match.now = start
            match.settle()
            #expect(match[mover.other].told.last == .claimDeclined(byYou: false))
            match.input(.command(.say("more")), to: mover.other)
            #expect(isRejected(match[mover.other].told.last))
        }
        #expect(match.end == nil)
    }

    private func entries(_ side: MatchPair<Position>.Side) -> UInt64 {
        side.engine.logs.own.count + side.engine.logs.theirs.count
    }

    private func isTooLong(_ event: MatchEvent<Position>?) -> Bool {
        if case .rejected(.illegal, let text)? = event { text.contains("too long") } else { false }
    }

    /// A match of so many entries, or one less: of texts, and then of offers that are declined.
    private func long(_ count: UInt64) -> MatchPair<Position> {
        var pair = MatchPair<Position>.started()
        while entries(pair.joiner) + 1 < min(count, 8_192) {
            for role in Role.allCases { pair.command(.say("blah"), from: role) }
            pair.settle()
        }
        while entries(pair.joiner) + 1 < count {
            pair.command(.offer(.draw), from: .initiator)
            pair.settle()
            pair.command(.decline, from: .responder)
            pair.settle()
        }
        return pair
    }

    @Test func `a match that has grown long has no more texts, whoever writes them`() throws {
        var pair = long(8_180)
        // What crosses is judged by what its author had seen.
        for role in Role.allCases {
            for _ in 0..<20 { pair.command(.say("blah"), from: role) }
            #expect(isTooLong(pair[role].told.last))
            #expect(entries(pair[role]) == 8_192)
        }
        pair.settle()
        pair.expectAgreement()
        let logs = pair.joiner.engine.logs
        for (body, isRight) in [(EntryBody.say("more"), false), (.offer(game: 1, .draw), true)] {
            let entry = try #require(
                Entry(
                    after: logs.own, by: pair.joiner.seat, seen: logs.theirs, body,
                    cryptography: FastCryptography(key: 0xa1)))
            var host = pair.host.engine
            let effects = host.handle(.packet(number: entry.number, entry.line), at: pair.now)
            #expect(effects.areRefusal == !isRight)
        }
        try pair.play([1, 4, 2, 5, 3])
        pair.expectAgreement()
    }

    @Test func `a match that has grown very long has no more offers or games, and can be left`()
        throws
    {
        var pair = long(16_384)
        while !isTooLong(pair.joiner.told.last) {
            pair.command(.offer(.draw), from: .initiator)
            pair.settle()
            if !isTooLong(pair.joiner.told.last) { pair.command(.decline, from: .responder) }
            pair.settle()
        }
        #expect((16_384...16_386).contains(entries(pair.joiner)))
        pair.command(.resign, from: .initiator)
        pair.settle()
        for role in Role.allCases {
            pair.command(.offer(.rematch), from: role)
            #expect(isTooLong(pair[role].told.last))
        }
        pair.expectAgreement()
    }
}
