// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import MatchProtocol

/// An answer reaches the question that it was meant for.
@Suite struct QuestionHoldTests {
    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `the first question is answered at once`() {
        var hold = QuestionHold()
        hold.asked(of: [1], now: at(0))
        #expect(hold.allows(at: at(0)))
    }

    @Test func `a question in place of one that went away takes no answer for a second`() {
        for gap in [0, 1_000, 4_999] as [UInt64] {
            var hold = QuestionHold()
            hold.asked(of: [1], now: at(0))
            hold.ended(now: at(100))
            hold.asked(of: [2], now: at(100 + gap))
            #expect(!hold.allows(at: at(100 + gap)))
            #expect(!hold.allows(at: at(1_099 + gap)))
            #expect(hold.allows(at: at(1_100 + gap)))
        }
    }

    @Test func `one after an answer, or after one that went away long ago, is answered at once`() {
        var hold = QuestionHold()
        hold.asked(of: [1], now: at(0))
        hold.answered()
        hold.ended(now: at(10))
        hold.asked(of: [2], now: at(10))
        #expect(hold.allows(at: at(10)))
        hold.ended(now: at(20))
        hold.asked(of: [1], now: at(5_020))
        #expect(hold.allows(at: at(5_020)))
    }

    @Test func `who asks again because its connection broke is answered at once`() {
        var hold = QuestionHold()
        hold.asked(of: [1], now: at(0))
        hold.ended(now: at(10))
        hold.asked(of: [1], now: at(1_010))
        #expect(hold.allows(at: at(1_010)))
    }
}
