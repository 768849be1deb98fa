// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@testable import MatchProtocol

private let start = Instant(nanoseconds: 0)

private func id(_ value: UInt64) -> InstanceID { InstanceID(value: value) }

private func lobby(
    _ instance: UInt64, _ target: Lobby.Target, listening: Bool = true, patience: UInt64? = nil
) -> Lobby {
    Lobby(
        Lobby.Configuration(
            instance: id(instance), letsIn: listening, target: target, patience: patience))
}

extension Lobby {
    fileprivate mutating func greeted(
        by guest: Guest, _ id: InstanceID, _ standing: Standing
    ) -> [Effect] {
        greeted(by: guest, Caller(id, standing), now: Instant(nanoseconds: 0))
    }
}

@Suite struct LobbyTests {
    @Test func `a host lets the first guest in and turns the second away`() {
        var host = lobby(5, .guests)
        #expect(host.begin(now: start) == [.advertise(.open)])
        #expect(host.greeted(by: 1, id(9), .new) == [.accept(1)])
        #expect(host.challenged(by: 1, now: start) == [.advertise(.busy), .seat(.guest(1))])
        #expect(host.greeted(by: 2, id(8), .known) == [.refuse(2, .busy)])
    }

    @Test func `a process that dials itself is told so`() {
        var host = lobby(5, .guests)
        #expect(host.greeted(by: 1, id(5), .known) == [.refuse(1, .dialledSelf)])
    }

    @Test func `ancestor fault 12: a player knows itself by its instance, not its name`() {
        var player = lobby(5, .anyOpen)
        _ = player.begin(now: start)
        #expect(player.found(id(5), name: "me", isOpen: true, now: start) == [])
        #expect(player.deadline == nil)
    }

    @Test func `only known players are let in where the host wants it so`() {
        var configuration = Lobby.Configuration(
            instance: id(5), letsIn: true, target: .guests)
        configuration.onlyKnown = true
        var host = Lobby(configuration)
        #expect(host.greeted(by: 1, id(9), .new) == [.refuse(1, .notKnown)])
        #expect(host.greeted(by: 2, id(9), .known).contains(.accept(2)))
        #expect(host.welcomes(.known) && !host.welcomes(.new) && !host.welcomes(.blocked))
        configuration.letsIn = false
        #expect(!Lobby(configuration).welcomes(.known))
    }

    @Test func `who is blocked is declined, whatever else holds`() {
        var host = lobby(5, .guests)
        #expect(host.greeted(by: 1, id(9), .blocked) == [.refuse(1, .declined)])
    }

    @Test func `where a code is needed a guest is asked, and let in once it has proved it`() {
        var host = Lobby(
            Lobby.Configuration(
                instance: id(5), letsIn: true, target: .guests, needsCode: true))
        #expect(host.greeted(by: 1, id(9), .known) == [.ask(1)])
        #expect(host.greeted(by: 2, id(8), .new) == [.ask(2)])
        #expect(host.greeted(by: 3, id(7), .blocked) == [.refuse(3, .declined)])
        #expect(!host.isSeated)
        #expect(host.proved(by: 2, Lobby.Caller(id(8), .new), now: start) == [.accept(2)])
        #expect(host.challenged(by: 2, now: start) == [.advertise(.busy), .seat(.guest(2))])
        #expect(
            host.proved(by: 1, Lobby.Caller(id(9), .known), now: start) == [.refuse(1, .busy)])
        #expect(host.greeted(by: 4, id(6), .known) == [.refuse(4, .busy)])
    }

    @Test func `a game that wants a code is not dialled again, and told when nothing came of it`() {
        var player = lobby(5, .anyOpen, listening: false, patience: 10_000)
        _ = player.begin(now: start)
        _ = player.found(id(7), name: "a", isOpen: true, now: start)
        #expect(player.failed(1, .refused(Refusal(.codeNeeded)), now: start) == [])
        #expect(player.deadline == start.advanced(milliseconds: 10_000))
        #expect(
            player.tick(now: start.advanced(milliseconds: 10_000))
                == [.fail(.refused(Refusal(.codeNeeded)))])
    }

    @Test func `a code that was wrong is tried on nobody else`() {
        var player = Lobby(
            Lobby.Configuration(
                instance: id(5), letsIn: false, target: .anyOpen, needsCode: true))
        _ = player.begin(now: start)
        _ = player.found(id(7), name: "a", isOpen: true, now: start)
        _ = player.found(id(8), name: "b", isOpen: true, now: start)
        #expect(
            player.failed(1, .refused(Refusal(.wrongCode)), now: start)
                == [.fail(.refused(Refusal(.wrongCode)))])
    }

    @Test(arguments: [Lobby.Target.address, .name("a"), .anyOpen, .chosen])
    func `a code that was wrong ends the search, whoever was looked for`(target: Lobby.Target) {
        var player = Lobby(
            Lobby.Configuration(
                instance: id(5), letsIn: false, target: target, needsCode: true))
        _ = player.begin(now: start)
        _ = player.found(id(7), name: "a", isOpen: true, now: start)
        _ = player.choose(id(7), now: start)
        _ = player.asked(over: 1)
        #expect(
            player.failed(1, .refused(Refusal(.wrongCode)), now: start)
                == [.fail(.refused(Refusal(.wrongCode)))])
        #expect(player.choose(id(7), now: start) == [])
        #expect(player.deadline == nil)
    }

    @Test func `who has no code is not stopped by somebody who says that it was wrong`() {
        var player = lobby(5, .anyOpen, listening: false)
        _ = player.begin(now: start)
        _ = player.found(id(7), name: "a", isOpen: true, now: start)
        _ = player.found(id(8), name: "b", isOpen: true, now: start)
        #expect(
            player.failed(1, .refused(Refusal(.wrongCode)), now: start) == [
                .dial(2, .advert(id(8)))
            ])
    }

    @Test func `of several hosts that are dialled the first to ask for the code is the only one`() {
        var player = Lobby(
            Lobby.Configuration(
                instance: id(5), letsIn: false, target: .anyOpen, needsCode: true,
                patience: 1_000))
        _ = player.begin(now: start)
        for host in 7...9 as ClosedRange<UInt64> {
            _ = player.found(id(host), name: "a", isOpen: true, now: start)
        }
        let later = start.advanced(milliseconds: 500)
        #expect(player.tick(now: later) == [.dial(2, .advert(id(8)))])
        #expect(player.asked(over: 2) == [.abandon(1)])
        // Nor is the third dialled meanwhile, nor does the first one get an answer.
        #expect(player.asked(over: 1) == nil)
        #expect(player.deadline == nil)
        #expect(player.tick(now: start.advanced(milliseconds: 2_000)) == [])
        #expect(player.found(id(10), name: "a", isOpen: true, now: later) == [])
        // Where no answer was given, the search goes on.
        #expect(
            player.failed(2, .unreachable("no"), now: later).last == .dial(3, .advert(id(7))))
        #expect(player.asked(over: 3) == [])
        #expect(player.welcomed(3) == [.seat(.dial(3))])
        #expect(player.asked(over: 3) == nil)
    }

    @Test func `a busy game is not dialled until it opens`() {
        var player = lobby(5, .anyOpen)
        #expect(player.found(id(7), name: "a", isOpen: false, now: start) == [])
        #expect(
            player.found(id(7), name: "a", isOpen: true, now: start)
                == [.dial(1, .advert(id(7)))])
    }

    @Test func `a slow candidate does not hold the next one up`() {
        var player = lobby(5, .anyOpen)
        #expect(!player.found(id(7), name: "a", isOpen: true, now: start).isEmpty)
        #expect(player.found(id(8), name: "b", isOpen: true, now: start) == [])
        let later = start.advanced(milliseconds: 500)
        #expect(player.deadline == later)
        #expect(player.tick(now: later) == [.dial(2, .advert(id(8)))])
        #expect(player.welcomed(2) == [.abandon(1), .advertise(.busy), .seat(.dial(2))])
        #expect(player.welcomed(1) == [.abandon(1)])
    }

    @Test func `a flood of adverts of few hosts keeps nobody waiting`() {
        var player = lobby(5, .anyOpen)
        for number in 100..<350 as Range<UInt64> {
            let place = "10.0.0.\(number % 2)"
            _ = player.found(id(number), name: "x", isOpen: true, place: place, now: start)
        }
        _ = player.found(id(7), name: "a", isOpen: true, place: "10.0.0.9", now: start)
        _ = player.found(
            id(8), name: "b", isOpen: true, isKnown: true, place: "10.0.0.1", now: start)
        var dialled: [Lobby.Effect] = []
        for step in 1...4 as ClosedRange<UInt64> {
            dialled += player.tick(now: start.advanced(milliseconds: step * 500))
        }
        // One of the flood was dialled at once; the known player is next, then each place in turn.
        #expect(dialled.first == .dial(2, .advert(id(8))))
        #expect(
            dialled.contains { $0 == .dial(3, .advert(id(7))) || $0 == .dial(4, .advert(id(7))) })
        for number in 100..<350 as Range<UInt64> { player.gone(id(number)) }
        #expect(player.dialled.keys.sorted() == ["10.0.0.1", "10.0.0.9"])
    }

    @Test func `a stale advert is marked, passed over and tried again later`() {
        var player = lobby(5, .anyOpen)
        _ = player.found(id(7), name: "a", isOpen: true, now: start)
        #expect(player.failed(1, .stale, now: start) == [.markStale(id(7))])
        #expect(player.deadline == start.advanced(milliseconds: 1_000))
        #expect(
            player.tick(now: start.advanced(milliseconds: 1_000))
                == [.dial(2, .advert(id(7)))])
    }

    @Test func `an address that does not answer ends the search with its reason`() {
        var player = lobby(5, .address, listening: false)
        #expect(player.begin(now: start) == [.dial(1, .address)])
        #expect(
            player.failed(1, .unreachable("no"), now: start) == [.fail(.unreachable("no"))])
    }

    @Test func `nobody is told when the patience ends, and not before`() {
        var player = lobby(5, .anyOpen, listening: false, patience: 10_000)
        #expect(player.begin(now: start) == [])
        #expect(player.tick(now: start.advanced(milliseconds: 9_999)) == [])
        #expect(player.deadline == start.advanced(milliseconds: 10_000))
        #expect(player.tick(now: start.advanced(milliseconds: 10_000)) == [.fail(.nobody)])
        #expect(player.deadline == nil)
    }

    @Test func `a game is joined by its name whatever the case of the letters`() {
        var player = lobby(5, .name("Quiet Fox"), listening: false, patience: 4_000)
        #expect(player.found(id(7), name: "loud fox", isOpen: true, now: start) == [])
        #expect(
            player.found(id(8), name: "quiet FOX", isOpen: true, now: start)
                == [.dial(1, .advert(id(8)))])
    }

    @Test func `who was declined by one game goes on to others but not back`() {
        var player = lobby(5, .anyOpen)
        _ = player.found(id(7), name: "a", isOpen: true, now: start)
        _ = player.welcomed(1)
        let effects = player.unseated(.declined("no"), peer: id(7), now: start)
        #expect(effects == [.advertise(.open)])
        #expect(player.deadline == nil)
    }

    @Test func `a choice that fails is reported and may be made again`() {
        var player = lobby(5, .chosen, listening: false)
        #expect(player.found(id(7), name: "a", isOpen: true, now: start) == [])
        #expect(
            player.choose(id(8), now: start)
                == [.report(.unreachable("This game is no longer open."))])
        #expect(player.choose(id(7), now: start) == [.dial(1, .advert(id(7)))])
        #expect(
            player.failed(1, .refused(Refusal(.busy)), now: start)
                == [.report(.refused(Refusal(.busy)))])
        #expect(player.choose(id(7), now: start) == [.dial(2, .advert(id(7)))])
    }

    @Test func `what is picked is asked instead of whoever was dialled or asked before`() {
        for isAsked in [false, true] {
            var player = lobby(5, .anyOpen, patience: 10_000)
            _ = player.begin(now: start)
            #expect(
                player.found(id(7), name: "a", isOpen: true, now: start)
                    == [.dial(1, .advert(id(7)))])
            _ = player.found(id(8), name: "b", isOpen: true, now: start)
            if isAsked { _ = player.welcomed(1) }
            #expect(
                player.choose(id(8), now: start)
                    == [isAsked ? .advertise(.open) : .abandon(1), .dial(2, .advert(id(8)))])
            #expect(player.choose(id(8), now: start) == [])
            _ = player.welcomed(2)
            #expect(player.choose(id(8), now: start) == [])
            // Nobody but who is picked is asked any more, and the search lasts.
            #expect(
                player.unseated(.declined("no"), peer: id(8), now: start)
                    == [.advertise(.open), .report(.refused(Refusal(.declined, text: "no")))])
            #expect(player.deadline == nil)
        }
    }

    @Test func `who is at the board by its own wish is not let go for a choice`() {
        var player = lobby(5, .anyOpen)
        _ = player.begin(now: start)
        _ = player.greeted(by: 1, id(9), .new)
        _ = player.challenged(by: 1, now: start)
        _ = player.found(id(7), name: "a", isOpen: true, now: start)
        #expect(player.choose(id(7), now: start) == [] && player.isSeated)
    }

    @Test func `ancestor fault 11: of two dials that cross the larger instance keeps its own`() {
        var small = lobby(5, .anyOpen)
        var large = lobby(9, .anyOpen)
        _ = small.found(id(9), name: "l", isOpen: true, now: start)
        _ = large.found(id(5), name: "s", isOpen: true, now: start)
        #expect(large.greeted(by: 1, id(5), .new) == [.refuse(1, .crossing)])
        #expect(
            small.greeted(by: 1, id(9), .new)
                == [.accept(1), .abandon(1)])
        // Nor is whoever stands at the door dialled again.
        #expect(small.tick(now: start.advanced(milliseconds: 2_000)) == [])
        #expect(
            small.challenged(by: 1, now: start.advanced(milliseconds: 2_000))
                == [.advertise(.busy), .seat(.guest(1))])
    }
}
