// SPDX-License-Identifier: MIT

import MatchEvents
import SessionProtocol
import Testing

@testable import TurnBasedPlay

@Suite struct HearingTests {
    private var hearing = Hearing()

    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: 5).advanced(milliseconds: milliseconds)
    }

    @Test mutating func `silence is told once, and once that it is over`() {
        #expect(hearing.deadline == nil)
        hearing.heard(at: at(0))
        #expect(hearing.deadline == at(17_000))
        #expect(hearing.look(at: at(16_999)) == nil)
        #expect(hearing.look(at: at(17_000)) == .silent)
        #expect(hearing.deadline == at(18_000))
        #expect(hearing.look(at: at(18_000)) == nil)
        #expect(hearing.silence(at: at(18_000)) == 18_000)
        hearing.heard(at: at(18_500))
        #expect(hearing.look(at: at(19_000)) == .heard)
        #expect(hearing.look(at: at(19_001)) == nil)
        #expect(hearing.deadline == at(35_500))
    }

    @Test mutating func `what is heard over an old connection does not set the clock back`() {
        hearing.heard(at: at(5_000))
        hearing.heard(at: at(1_000))
        #expect(hearing.silence(at: at(6_000)) == 1_000)
        #expect(hearing.silence(at: at(0)) == 0)
    }

    @Test mutating func `a connection that is lost ends the silence without a word`() {
        hearing.heard(at: at(0))
        #expect(hearing.look(at: at(20_000)) == .silent)
        hearing.reset()
        #expect(hearing.silence(at: at(25_000)) == 25_000)
        hearing.heard(at: at(26_000))
        #expect(hearing.look(at: at(26_000)) == nil)
    }
}
