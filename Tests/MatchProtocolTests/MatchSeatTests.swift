// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

extension [MatchSeat<Position>.Effect] {
    fileprivate var saysApart: Bool {
        contains { if case .tell(.apart) = $0 { true } else { false } }
    }
}

@Suite struct MatchSeatTests {
    private let second = Instant(nanoseconds: 1_000_000_000)

    @Test func `from one connection to the next no word is said of a lost link`() throws {
        var pair = SeatPair()
        pair.deliver()
        let hello = try pair.hello(of: 0, epoch: 1, number: 1)
        let wanted = pair.seats[1].greeted(
            by: 2, hello, publicKey: pair.keys[0].player(named: "").publicKey, now: pair.now)
        #expect(wanted.contains { if case .accept(2, _) = $0 { true } else { false } })
        #expect(wanted.contains(.close(.guest(1), .superseded, text: "")))
        #expect(wanted.contains(.tell(.together)))
        #expect(!wanted.saysApart)
        #expect(pair.seats[1].current == .guest(2))
    }

    @Test func `a connection that the other side gave up for a newer one is lost after a second`() {
        var pair = SeatPair()
        pair.deliver()
        let end = SessionEvent.ended(.left(.superseded, text: ""))
        var wanted = pair.seats[0].received(end, over: .dial(0), now: pair.now)
        while let due = pair.seats[0].deadline, due < second {
            wanted += pair.seats[0].tick(now: due)
        }
        #expect(!wanted.saysApart)
        #expect(!wanted.contains(.look(true)))
        #expect(!wanted.contains(.trying))
        wanted = pair.seats[0].tick(now: second)
        #expect(wanted.starts(with: [.tell(.apart(nil)), .look(true)]))
        while let due = pair.seats[0].deadline, due < second.advanced(milliseconds: 1_000) {
            wanted += pair.seats[0].tick(now: due)
        }
        #expect(wanted.contains(.trying))
    }

    @Test
    func `who gives up one connection after the other for a newer one is missed after a second`()
        throws
    {
        var pair = SeatPair()
        pair.deliver()
        let end = SessionEvent.ended(.left(.superseded, text: ""))
        let key = pair.keys[0].player(named: "").publicKey
        var told: [UInt64] = []
        var connection = SeatPair.Seat.Connection.guest(1)
        for epoch in 1...24 as ClosedRange<UInt16> {
            let wanted = pair.seats[1].received(end, over: connection, now: pair.now)
            if wanted.saysApart { told.append(pair.now.nanoseconds / 1_000_000) }
            pair.now = pair.now.advanced(milliseconds: 500)
            let hello = try pair.hello(of: 0, epoch: epoch, number: 1)
            let back = pair.seats[1].greeted(
                by: Int(epoch) + 1, hello, publicKey: key, now: pair.now)
            #expect(back.contains(.tell(.together)))
            connection = .guest(Int(epoch) + 1)
        }
        // Ten seconds after the first it is believed again, for a second in which it may happen often.
        let aloud = Array(2...19) + [22, 23] as [UInt64]
        #expect(told == aloud.map { $0 * 500 })
    }

    @Test func `a connection on which the other side must first give back is told as none`() throws
    {
        var pair = SeatPair()
        pair.deliver()
        let key = pair.keys[0].player(named: "").publicKey
        for epoch in 1...3 as ClosedRange<UInt16> {
            var hello = try pair.hello(of: 0, epoch: epoch, number: 1)
            hello.have = pair.seats[1].engine.logs.own.count + 1
            hello.hash = [UInt8](repeating: 9, count: 32)
            let wanted = pair.seats[1].greeted(
                by: Int(epoch) + 1, hello, publicKey: key, now: pair.now)
            #expect(wanted.saysApart == (epoch == 1))
            #expect(!wanted.contains(.tell(.together)))
        }
        let hello = try pair.hello(of: 0, epoch: 4, number: 1)
        let wanted = pair.seats[1].greeted(by: 5, hello, publicKey: key, now: pair.now)
        #expect(wanted.contains(.tell(.together)))
    }

    /// A joiner whose connection was lost before it had anything of the host's.
    private func unborn() -> SeatPair {
        var pair = SeatPair()
        pair.deliver { $0.seats[0].hasStarted }
        let lost = pair.seats[0].received(.ended(.lost("cut")), over: .dial(0), now: pair.now)
        #expect(lost.saysApart)
        return pair
    }

    /// A dial of the joiner that the other side refuses with this code.
    private func refuse(
        _ pair: inout SeatPair, _ code: RefuseCode, by key: Int = 1
    ) -> [SeatPair.Seat.Effect] {
        let wanted = pair.seats[0].tick(now: pair.now.advanced(milliseconds: 1_000))
        guard case .dial(let dial, _)? = wanted.last else { return wanted }
        return pair.seats[0].failed(
            dial, refusal: Refusal(code), publicKey: pair.keys[key].player(named: "").publicKey,
            now: pair.now)
    }

    @Test func `a match of which only the own opening came about does not keep others waiting`() {
        var pair = SeatPair()
        pair.deliver { $0.seats[0].hasStarted }
        #expect(pair.seats[0].engine.logs.theirs.count == 0)
        #expect(pair.seats[0].visited(now: pair.now) == [])
        pair = unborn()
        // It stays stored, for the other side may have begun it.
        #expect(pair.seats[0].visited(now: pair.now) == [.tell(.ended(.lost))])
    }

    @Test func `a host keeps no match that the joiner does not keep`() {
        var pair = SeatPair()
        pair.deliver { $0.seats[0].hasStarted }
        #expect(!pair.seats[1].hasStarted)
        pair.deliver { $0.seats[1].hasStarted }
        #expect(pair.seats[1].engine.logs.theirs.count == 1)
        let stored = pair.effects[1].compactMap { effect -> String? in
            guard case .store(let entry, let by, let number) = effect else { return nil }
            return entry.starts(with: Array("\(by.rawValue) 1 ".utf8)) ? "\(by) \(number)" : nil
        }
        // The own one first: a journal begins with it.
        let host = pair.seats[1].engine.identity?.seat
        #expect(stored == [host, host?.other].compactMap { $0.map { "\($0) 1" } })
    }

    @Test func `a match that never began is given up, and removed, when the other side says so`() {
        var pair = unborn()
        #expect(refuse(&pair, .noSuchSession) == [.forget, .tell(.ended(.lost))])
    }

    @Test func `what somebody else says of a match does not count`() {
        for code in [.noSuchSession, .forked] as [RefuseCode] {
            var pair = unborn()
            #expect(refuse(&pair, code, by: 0) == [])
            #expect(!pair.seats[0].engine.isOver)
        }
    }

    @Test func `while a match is beginning nobody is told that there is none`() throws {
        var pair = unborn()
        let hello = try pair.hello(of: 0, epoch: 1, number: 1)
        let key = pair.keys[0].player(named: "").publicKey
        #expect(!pair.seats[1].hasStarted)
        let early = pair.seats[1].greeted(by: 2, hello, publicKey: key, now: pair.now)
        guard case .refuse(2, let refusal)? = early.first else {
            Issue.record("the joiner was not refused: \(early)")
            return
        }
        #expect(refusal.code == .busy)
        // Who is refused so tries again.
        #expect(refuse(&pair, .busy) == [])
        #expect(pair.seats[0].deadline != nil)
        // What was under way arrives, and the next try gets through.
        pair.deliver()
        let late = pair.seats[1].greeted(by: 3, hello, publicKey: key, now: pair.now)
        #expect(late.contains { if case .accept(3, _) = $0 { true } else { false } })
    }

    @Test func `a player whose other side has the match no longer is told so, once`() {
        var pair = SeatPair()
        pair.deliver()
        _ = pair.seats[0].received(.ended(.lost("cut")), over: .dial(0), now: pair.now)
        #expect(refuse(&pair, .noSuchSession) == [.missing(.withoutTheMatch)])
        pair.now = second
        #expect(refuse(&pair, .noSuchSession) == [])
        #expect(pair.seats[0].deadline != nil)
    }

    @Test func `a player whose other side is at something else is told so, once`() {
        var pair = SeatPair()
        pair.deliver()
        _ = pair.seats[0].received(.ended(.lost("cut")), over: .dial(0), now: pair.now)
        #expect(refuse(&pair, .busy) == [.missing(.atSomethingElse)])
        pair.now = second
        #expect(refuse(&pair, .busy) == [])
    }

    @Test func `who is refused for another connection is told when that cannot be a dead one`() {
        var pair = SeatPair()
        pair.deliver()
        _ = pair.seats[0].received(.ended(.lost("cut")), over: .dial(0), now: pair.now)
        var told: [UInt64] = []
        for number in 0..<60 as Range<UInt64> {
            pair.now = Instant(nanoseconds: number * 1_000_000_000)
            // One other refusal in between, and the time begins anew.
            let wanted = refuse(&pair, number == 10 ? .full : .crossing)
            if wanted.contains(.missing(.withAnother)) { told.append(number) }
        }
        #expect(told == [41])
    }

    @Test func `who does not come back after a game has gone, and may return`() throws {
        var pair = SeatPair()
        pair.deliver()
        pair.carryOut(pair.seats[0].command(.resign, now: pair.now), 0)
        pair.deliver()
        #expect(pair.seats[1].engine.isGameOver)
        _ = pair.seats[1].received(.ended(.lost("cut")), over: .guest(1), now: pair.now)
        var missed: [UInt64] = []
        while let due = pair.seats[1].deadline, due.nanoseconds < 60_000_000_000 {
            let wanted = pair.seats[1].tick(now: due)
            if wanted.contains(.missing(.sinceTheEnd)) { missed.append(due.nanoseconds) }
        }
        #expect(missed == [30_000_000_000])
        let hello = try pair.hello(of: 0, epoch: 1, number: 1)
        let back = pair.seats[1].greeted(
            by: 2, hello, publicKey: pair.keys[0].player(named: "").publicKey, now: pair.now)
        #expect(back.contains(.tell(.together)))
    }

    @Test func `in the middle of a game nobody is said to have gone`() {
        var pair = SeatPair()
        pair.deliver()
        _ = pair.seats[1].received(.ended(.lost("cut")), over: .guest(1), now: pair.now)
        while let due = pair.seats[1].deadline, due.nanoseconds < 60_000_000_000 {
            #expect(!pair.seats[1].tick(now: due).contains(.missing(.sinceTheEnd)))
        }
    }

    @Test func `a match that began for both keeps its place for the other player`() {
        var pair = SeatPair()
        pair.deliver()
        _ = pair.seats[1].received(.ended(.lost("cut")), over: .guest(1), now: pair.now)
        #expect(pair.seats[1].visited(now: pair.now) == [])
    }
}
