// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import MatchProtocol

/// Strangers keep no guest out, and a person can answer what is asked.
@Suite struct LobbyDoorTests {
    private let start = Instant(nanoseconds: 0)

    private func at(_ milliseconds: UInt64) -> Instant {
        start.advanced(milliseconds: milliseconds)
    }

    private func host(asks: Bool = true) -> Lobby {
        var lobby = Lobby(
            Lobby.Configuration(
                instance: InstanceID(value: 5), letsIn: true, target: .guests, asks: asks))
        _ = lobby.begin(now: start)
        return lobby
    }

    /// Somebody of this number, from an address of its own or from one that everybody has.
    private func caller(_ number: UInt8, isHere: Bool = false) -> Lobby.Caller {
        Lobby.Caller(
            InstanceID(value: 100 + UInt64(number)), .new,
            key: [UInt8](repeating: number, count: 32), place: isHere ? [] : [10, 0, 0, number])
    }

    private func seat(_ guest: Int) -> [Lobby.Effect] {
        [.advertise(.busy), .seat(.guest(guest))]
    }

    @Test func `of any number at the door the first who challenges takes the board`() {
        var lobby = host()
        for guest in 1...30 {
            #expect(lobby.greeted(by: guest, caller(UInt8(guest)), now: start) == [.accept(guest)])
        }
        #expect(lobby.isAtDoor(30) && !lobby.isSeated)
        #expect(lobby.challenged(by: 30, now: at(20)) == seat(30))
        #expect(!lobby.isAtDoor(30) && lobby.isAtDoor(1))
        #expect(lobby.challenged(by: 1, now: at(30)) == [.turnAway(1, .busy)])
        #expect(lobby.challenged(by: 1, now: at(30)) == [])
        // Also while the board is taken those who say nothing have to go.
        #expect(lobby.deadline == at(10_000))
        #expect(lobby.tick(now: at(9_999)) == [])
        #expect(lobby.tick(now: at(10_000)) == (2...29).map { .letGo($0) })
        #expect(lobby.deadline == nil)
    }

    @Test func `who has gone from the door is not awaited`() {
        var lobby = host()
        _ = lobby.greeted(by: 1, caller(1), now: start)
        lobby.left(1)
        #expect(lobby.deadline == nil)
        #expect(lobby.challenged(by: 1, now: start) == [])
    }

    @Test func `somebody at the door does not stop the search`() {
        var lobby = Lobby(
            Lobby.Configuration(
                instance: InstanceID(value: 5), letsIn: true, target: .anyOpen))
        _ = lobby.begin(now: start)
        _ = lobby.greeted(by: 1, caller(1), now: start)
        let other = InstanceID(value: 7)
        #expect(
            lobby.found(other, name: "", isOpen: true, now: start) == [.dial(1, .advert(other))])
        #expect(lobby.greeted(by: 2, caller(2), now: start) == [.accept(2)])
        #expect(lobby.welcomed(1) == [.advertise(.busy), .seat(.dial(1))])
        #expect(lobby.challenged(by: 1, now: start) == [.turnAway(1, .busy)])
    }

    @Test func `whom the player declined is refused for five minutes, and others are not`() {
        var lobby = host()
        _ = lobby.greeted(by: 1, caller(1), now: start)
        _ = lobby.challenged(by: 1, now: start)
        lobby.playerDeclined(now: start)
        _ = lobby.unseated(.declined("no"), peer: nil, now: start)
        #expect(lobby.greeted(by: 2, caller(1), now: at(1)) == [.refuse(2, .declined)])
        #expect(lobby.greeted(by: 3, caller(1), now: at(299_999)) == [.refuse(3, .declined)])
        // The player has answered, so the next question comes at once.
        #expect(lobby.greeted(by: 4, caller(2), now: at(1)) == [.accept(4)])
        #expect(lobby.challenged(by: 4, now: at(1)) == seat(4))
        _ = lobby.unseated(.lost("cut"), peer: nil, now: at(2))
        #expect(lobby.greeted(by: 5, caller(1), now: at(300_000)) == [.accept(5)])
    }

    @Test func `who held another connection when it was declined is not asked about either`() {
        var lobby = host()
        for guest in 1...2 { _ = lobby.greeted(by: guest, caller(1), now: start) }
        _ = lobby.challenged(by: 1, now: start)
        lobby.playerDeclined(now: start)
        _ = lobby.unseated(.declined("no"), peer: nil, now: start)
        #expect(lobby.challenged(by: 2, now: at(1)) == [.turnAway(2, .busy)])
    }

    @Test func `after a question that went away there is a second of rest`() {
        var lobby = host()
        for guest in 1...3 { _ = lobby.greeted(by: guest, caller(UInt8(guest)), now: start) }
        _ = lobby.challenged(by: 1, now: start)
        _ = lobby.unseated(.declined("taken back"), peer: nil, now: at(10))
        #expect(lobby.challenged(by: 2, now: at(20)) == [])
        #expect(lobby.isAtDoor(2))
        #expect(lobby.challenged(by: 3, now: at(30)) == [])
        #expect(lobby.deadline == at(1_010))
        #expect(lobby.tick(now: at(1_009)) == [])
        #expect(lobby.tick(now: at(1_010)) == seat(2))
        // The other one learns in time that there is nothing to wait for.
        #expect(lobby.deadline == at(4_030))
        #expect(lobby.tick(now: at(4_030)) == [.turnAway(3, .busy)])
    }

    @Test func `where nobody is asked there is no rest`() {
        var lobby = host(asks: false)
        for guest in 1...2 { _ = lobby.greeted(by: guest, caller(UInt8(guest)), now: start) }
        _ = lobby.challenged(by: 1, now: start)
        _ = lobby.unseated(.lost("cut"), peer: nil, now: start)
        #expect(lobby.challenged(by: 2, now: start) == seat(2))
    }

    /// How many questions one can cause within 10 s that asks and takes back, with new connections
    /// every 5 ms, and with keys of this number.
    private func questions(keys: Int, isHere: Bool, seconds: UInt64 = 10) -> Int {
        var lobby = host()
        var (count, guest) = (0, 0)
        for moment in stride(from: 0, to: seconds * 1_000, by: 5) {
            guest += 1
            let pest = Lobby.Caller(
                InstanceID(value: 1_000), .new,
                key: [UInt8](repeating: UInt8(guest % keys), count: 32),
                place: isHere ? [] : [10, 0, 0, 1])
            var effects = lobby.tick(now: at(moment))
            effects += lobby.greeted(by: guest, pest, now: at(moment))
            effects += lobby.challenged(by: guest, now: at(moment))
            guard effects.contains(where: { if case .seat = $0 { true } else { false } }) else {
                continue
            }
            count += 1
            _ = lobby.unseated(.declined("taken back"), peer: nil, now: at(moment))
        }
        return count
    }

    @Test func `one key, and one address with many keys, cause few questions`() {
        #expect(questions(keys: 1, isHere: true) == 4)
        #expect(questions(keys: 1, isHere: false, seconds: 60) == 6)
        #expect(questions(keys: 200, isHere: false) == 4)
        // Whatever comes from this machine could be anybody: then a person still has time to read.
        #expect(questions(keys: 200, isHere: true) == 10)
    }

    @Test func `an honest guest has its turn although somebody asks and takes back`() {
        var lobby = host()
        var seated: UInt64?
        for moment in stride(from: 0, to: 20_000 as UInt64, by: 5) where seated == nil {
            var effects = lobby.tick(now: at(moment))
            // After 5 s an honest guest comes, once; one that asks is always there before it.
            for guest in [Int(moment) * 2 + 2, Int(moment) * 2 + 3]
            where guest.isMultiple(of: 2) || moment == 5_000 {
                let who = guest.isMultiple(of: 2) ? caller(1) : caller(2)
                effects += lobby.greeted(by: guest, who, now: at(moment))
                effects += lobby.challenged(by: guest, now: at(moment))
            }
            for case .seat(.guest(let guest)) in effects {
                if guest.isMultiple(of: 2) {
                    _ = lobby.unseated(.declined("taken back"), peer: nil, now: at(moment))
                } else {
                    seated = moment
                }
            }
        }
        #expect(seated.map { $0 <= 6_000 } == true)
    }

    @Test func `an honest guest whose connection breaks three times gets through each time`() {
        for asks in [true, false] {
            var lobby = host(asks: asks)
            var moment: UInt64 = 0
            for guest in 1...4 {
                #expect(lobby.greeted(by: guest, caller(1), now: at(moment)) == [.accept(guest)])
                var effects = lobby.challenged(by: guest, now: at(moment))
                if effects.isEmpty, let due = lobby.deadline {
                    moment = due.nanoseconds / 1_000_000
                    effects = lobby.tick(now: due)
                }
                #expect(effects == seat(guest), "\(asks) \(guest)")
                _ = lobby.unseated(.lost("cut"), peer: nil, now: at(moment))
            }
        }
    }

    @Test func `what is remembered is bounded and forgotten`() {
        var askers = Askers()
        for number in 0..<1_000 as Range<UInt64> {
            let who = Lobby.Caller(
                InstanceID(value: number), .new, key: Bytes.of(number), place: [1, 2, 3])
            askers.cameToNothing(who, wasAsked: false, at: at(number))
        }
        #expect(askers.count == Askers.most)
        let first = caller(1)
        askers.cameToNothing(first, wasAsked: false, at: at(2_000))
        askers.cameToNothing(first, wasAsked: false, at: at(2_000))
        #expect(askers.verdict(on: first, at: at(2_000)) == .from(at(4_000)))
        #expect(askers.misses(of: first, at: at(123_999)) == 2)
        #expect(askers.misses(of: first, at: at(124_000)) == 0)
    }

    private enum Bytes {
        static func of(_ number: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
    }
}
