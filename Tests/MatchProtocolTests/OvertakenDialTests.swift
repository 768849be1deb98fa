// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@testable import MatchProtocol

@Suite struct OvertakenDialTests {
    /// The joiner's side, taken up again, and the move that the host makes after it.
    private func kept() throws -> (seat: MatchSeat<Position>, host: [Entry]) {
        var pair = MatchPair<Position>(
            random: ([UInt8](repeating: 3, count: 32), [UInt8](repeating: 5, count: 32)))
        pair.settle()
        let stored = try pair.joiner.stored.map { try Entry(line: $0.line) }
        let own = try #require(pair.joiner.engine.identity?.seat)
        pair.command(.say("hello"), from: .responder)
        let host = try pair.host.stored.map { try Entry(line: $0.line) }.filter {
            $0.seat == own.other
        }
        let opening = try #require(pair.joiner.engine.opening)
        let match = StoredMatch(seat: own, opening: opening, entries: stored)
        let cryptography = FastCryptography(key: 0xa1)
        let engine = try #require(
            MatchEngine<Position>(
                resuming: match, local: cryptography.player(named: "Ann"),
                cryptography: cryptography))
        return (MatchSeat(engine, instance: InstanceID(value: 9), random: 1), host)
    }

    private func hello(
        _ seat: MatchSeat<Position>, number: UInt16
    ) throws -> Hello {
        let (match, own) = try #require(seat.engine.identity)
        var hello = Hello(
            application: "tictactoe", applicationVersions: VersionRange(1, 1), name: "Bob",
            instance: InstanceID(value: 4))
        hello.token = SessionToken(match)
        hello.have = seat.engine.logs.own.count
        hello.hash = seat.engine.logs.own.hash
        hello.detail = MatchDetail(port: 1, seat: own.other, epoch: 0, number: number).bytes
        return hello
    }

    private func dial(in effects: [MatchSeat<Position>.Effect]) -> (UInt16, have: UInt64)? {
        for case .dial(let dial, let greeting) in effects { return (dial, greeting.have) }
        return nil
    }

    @Test func `a dial that says what is old is given up for one that does not`() throws {
        var (seat, host) = try kept()
        let key = FastCryptography(key: 0xb2).publicKey
        let now = Instant(nanoseconds: 0)
        _ = seat.resume(now: now)
        let old = try #require(dial(in: seat.tick(now: now)))
        #expect(old.have == 1)
        // Meanwhile the other side comes by itself, brings an entry, and is lost again.
        _ = seat.greeted(by: 1, try hello(seat, number: 1), publicKey: key, now: now)
        let entry = try #require(host.last)
        // Whoever answers the old dial now believes what that said.
        let effects = seat.received(
            .packet(number: entry.number, entry.line), over: .guest(1), now: now)
        #expect(effects.last == .abandon(old.0))
        _ = seat.received(.ended(.lost("cut")), over: .guest(1), now: now)
        let welcome = try hello(seat, number: 0)
        #expect(seat.welcomed(old.0, welcome, publicKey: key, now: now) == [.abandon(old.0)])
        #expect(seat.current == nil)
        let new = try #require(dial(in: seat.tick(now: now)))
        #expect(new.have == 2)
        _ = seat.welcomed(new.0, welcome, publicKey: key, now: now)
        #expect(seat.current == .dial(new.0))
    }
}
