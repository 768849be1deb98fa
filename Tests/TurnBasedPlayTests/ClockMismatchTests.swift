// SPDX-License-Identifier: MIT

import MatchProtocol
import Testing
import TurnBasedPlay

@Suite struct ClockMismatchTests {
    static let five = MoveClock(seconds: 300, increment: 3)
    static let ten = MoveClock(seconds: 600, increment: 0)

    @Test(
        arguments: [
            (
                ten, five, true,
                "The other side plays with a clock of 5m+3, you want to play with a clock of 10m: "
                    + "use --clock 5m+3, or leave --clock out."
            ),
            (
                ten, nil, true,
                "The other side plays without a clock, you want to play with a clock of 10m: "
                    + "leave --clock out."
            ),
            (
                ten, nil, false,
                "The other side plays with another clock, you want to play with a clock of 10m: "
                    + "agree on one, or leave --clock out."
            ),
            (
                nil, nil, false,
                "The other side plays with another clock, you want to play without a clock: "
                    + "agree on one and give it with --clock."
            ),
        ] as [(MoveClock?, MoveClock?, Bool, String)])
    func `who joins is told both clocks and what to do`(
        own: MoveClock?, other: MoveClock?, isKnown: Bool, sentence: String
    ) {
        let mismatch = ClockMismatch(own: own, other: other, isKnown: isKnown, isHost: false)
        #expect(mismatch.sentence == sentence)
    }

    @Test func `a clock of less than ten seconds is not taken because the other side says so`() {
        #expect(
            MoveClock(seconds: 9, increment: 60).flatMap(ClockMismatch.refusal)
                == "The other side plays with a clock of 9s+1m, and less than 10 seconds are played "
                + "only if you ask for it: use --clock 9s+1m.")
        #expect(MoveClock(seconds: 10, increment: 0).flatMap(ClockMismatch.refusal) == nil)
    }

    @Test func `a host is told whom its clock turned away`() {
        #expect(
            ClockMismatch(own: Self.five, other: Self.ten, isKnown: true, isHost: true).sentence
                == "Somebody wanted to play with a clock of 10m, and was declined: "
                + "you play with a clock of 5m+3.")
        #expect(
            ClockMismatch(own: nil, other: nil, isKnown: false, isHost: true).sentence
                == "Somebody wanted to play with another clock, and was declined: "
                + "you play without a clock.")
    }
}
