// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import Testing

@Suite struct CodeKeeperTests {
    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: 0).advanced(milliseconds: milliseconds)
    }

    @Test func `a code is spent by its third miss`() {
        var keeper = CodeKeeper(now: at(0))
        for _ in 0..<3 {
            #expect(keeper.mayJudge(1, now: at(1)))
            keeper.missed()
        }
        #expect(!keeper.mayJudge(1, now: at(1)) && keeper.isSpent(now: at(1)))
    }

    @Test func `of any number of tries at once no more than three are judged`() {
        var keeper = CodeKeeper(now: at(0))
        var judged = 0
        for _ in 0..<32 where keeper.mayJudge(1, now: at(1)) {
            judged += 1
            keeper.missed()
        }
        #expect(judged == 3)
    }

    @Test func `a code is good for ten minutes`() {
        let keeper = CodeKeeper(now: at(5))
        #expect(keeper.expiry == at(600_005))
        #expect(keeper.mayJudge(1, now: at(600_004)))
        #expect(!keeper.mayJudge(1, now: at(600_005)) && keeper.isSpent(now: at(600_005)))
    }

    @Test func `another code is due at once after the third miss, else when this one ends`() {
        var keeper = CodeKeeper(now: at(5))
        for _ in 0..<3 {
            #expect(keeper.renewalDue == at(600_005))
            keeper.missed()
        }
        #expect(keeper.renewalDue <= at(5))
        keeper.renew(now: at(10))
        #expect(keeper.renewalDue == at(600_010))
    }

    @Test func `a try under an earlier code is not judged, and the next code begins afresh`() {
        var keeper = CodeKeeper(now: at(0))
        for _ in 0..<3 { keeper.missed() }
        keeper.renew(now: at(10))
        #expect(!keeper.mayJudge(1, now: at(10)))
        #expect(keeper.mayJudge(2, now: at(600_009)))
        keeper.missed()
        #expect(keeper.mayJudge(2, now: at(11)))
    }
}
