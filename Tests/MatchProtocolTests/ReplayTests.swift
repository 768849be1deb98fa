// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// A match is a function of its two logs.
@Suite struct ReplayTests {
    @Test(arguments: 0..<10)
    func `an engine given the same logs again comes to the same and writes the same bytes`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let randoms = (random.bytes(32), random.bytes(32))
        var pair = MatchPair<Position>(random: randoms)
        pair.settle()
        for _ in 0..<200 {
            let role: Role = Bool.random(using: &random) ? .initiator : .responder
            if Bool.random(using: &random) {
                pair.wish(Wish.allCases.randomElement(using: &random) ?? .say, from: role)
            } else {
                pair.deliver(to: role)
            }
        }
        pair.settle()

        // A new joiner; the host's part comes from the record.
        let seat = pair.joiner.seat
        let own = pair.joiner.lines(by: seat)
        let theirs = pair.joiner.lines(by: seat.other)
        var again = MatchPair<Position>(random: randoms)
        again.deliver(to: .responder)
        again.deliver(to: .initiator)
        var taken = 0
        for (index, line) in own.enumerated() {
            let entry = try Entry(line: line)
            while taken < entry.seen.count {
                let packet = theirs[taken]
                taken += 1
                again.input(.packet(number: UInt64(taken), packet), to: .initiator)
            }
            if again.joiner.lines(by: seat).count == index {
                again.command(try command(entry.body), from: .initiator)
            }
        }
        while taken < theirs.count {
            taken += 1
            again.input(.packet(number: UInt64(taken), theirs[taken - 1]), to: .initiator)
        }
        #expect(again.joiner.lines(by: seat) == own)
        #expect(again.joiner.engine.logs.own == pair.joiner.engine.logs.own)
        #expect(
            again.joiner.engine.standing?.position == pair.joiner.engine.standing?.position)
        #expect(again.joiner.engine.standing?.score == pair.joiner.engine.standing?.score)
    }

    private func command(_ body: EntryBody) throws -> MatchEngine<Position>.Command {
        switch body {
        case .move(_, _, let bytes, _): .play(try #require(Square(bytes: bytes)))
        case .resign: .resign
        case .offer(_, let kind): .offer(kind)
        case .accept: .accept
        case .decline: .decline
        case .say(let text): .say(text)
        case .claim: .claim
        case .open, .end: .say("not a command")
        }
    }
}
