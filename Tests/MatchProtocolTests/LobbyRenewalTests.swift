// SPDX-License-Identifier: MIT

import SessionProtocol
import Testing

@testable import MatchProtocol

/// A connection that breaks before a game has begun costs the player nothing: whoever was asked for
/// is dialled again.
@Suite struct LobbyRenewalTests {
    private let start = Instant(nanoseconds: 0)
    private let host = InstanceID(value: 7)

    /// A player who has found the host that it asked for, and sits with it over dial 1.
    private func seated(
        _ target: Lobby.Target, letsIn: Bool = false, needsCode: Bool = false,
        patience: UInt64? = nil
    ) -> Lobby {
        var lobby = Lobby(
            Lobby.Configuration(
                instance: InstanceID(value: 5), letsIn: letsIn, target: target,
                needsCode: needsCode, patience: patience))
        var effects = lobby.begin(now: start)
        effects += lobby.found(host, name: "Ann", isOpen: true, now: start)
        if target == .chosen { effects += lobby.choose(host, now: start) }
        #expect(effects.last == .dial(1, destination(target)))
        #expect(lobby.welcomed(1).last == .seat(.dial(1)))
        return lobby
    }

    private func destination(_ target: Lobby.Target) -> Lobby.Destination {
        target == .address ? .address : .advert(host)
    }

    @Test(arguments: [Lobby.Target.address, .name("ann"), .chosen])
    func `whoever was asked for is dialled again at once, three times`(
        target: Lobby.Target
    ) {
        var lobby = seated(target)
        for dial in 2...4 {
            #expect(
                lobby.unseated(.lost("cut"), peer: host, now: start)
                    == [.dial(dial, destination(target))])
            #expect(lobby.welcomed(dial) == [.seat(.dial(dial))])
        }
        let failure = Lobby.Failure.unreachable("cut")
        #expect(
            lobby.unseated(.lost("cut"), peer: host, now: start)
                == [target == .chosen ? .report(failure) : .fail(failure)])
        // Who chooses again has as many tries again.
        guard target == .chosen else { return }
        #expect(lobby.choose(host, now: start) == [.dial(5, .advert(host))])
        _ = lobby.welcomed(5)
        #expect(
            lobby.unseated(.lost("cut"), peer: host, now: start) == [.dial(6, .advert(host))])
    }

    @Test(arguments: [Lobby.Target.address, .name("ann"), .chosen])
    func `who leaves, declines or breaks the protocol is not dialled again`(
        target: Lobby.Target
    ) {
        let reasons: [(Lobby.Unseating, Lobby.Failure)] = [
            (.left("bye"), .unreachable("bye")), (.brokenPeer("no"), .brokenPeer("no")),
            (.declined("no"), .refused(Refusal(.declined, text: "no"))),
        ]
        for (reason, failure) in reasons {
            var lobby = seated(target)
            #expect(
                lobby.unseated(reason, peer: host, now: start)
                    == [target == .chosen ? .report(failure) : .fail(failure)])
        }
    }

    @Test(arguments: [Lobby.Target.address, .name("ann"), .chosen])
    func `who is not there yet, or does not know yet, is tried again after a second`(
        target: Lobby.Target
    ) {
        let passing: [Lobby.DialFailure] = [
            .unreachable("no"), .refused(Refusal(.busy, text: "no")),
            .refused(Refusal(.full, text: "no")),
        ]
        for failure in passing {
            var lobby = seated(target, patience: 4_000)
            // Long after the patience for finding it.
            var now = start.advanced(milliseconds: 20_000)
            #expect(
                lobby.unseated(.lost("cut"), peer: host, now: now)
                    == [.dial(2, destination(target))])
            #expect(lobby.deadline == nil)
            for dial in 3...4 {
                #expect(lobby.failed(dial - 1, failure, now: now) == [])
                // Nor is it dialled because its advert is seen meanwhile.
                #expect(lobby.found(host, name: "Ann", isOpen: true, now: now) == [])
                #expect(lobby.tick(now: now) == [])
                now = now.advanced(milliseconds: 1_000)
                #expect(lobby.deadline == now)
                #expect(lobby.tick(now: now) == [.dial(dial, destination(target))])
            }
            let end = Lobby.Failure(failure)
            #expect(
                lobby.failed(4, failure, now: now) == [
                    target == .chosen ? .report(end) : .fail(end)
                ]
            )
        }
    }

    @Test func `who refuses for good is not tried again`() {
        for failure in [
            Lobby.DialFailure.refused(Refusal(.declined, text: "no")), .brokenPeer("no"), .stale,
        ] {
            var lobby = seated(.address)
            _ = lobby.unseated(.lost("cut"), peer: host, now: start)
            #expect(lobby.failed(2, failure, now: start) == [.fail(Lobby.Failure(failure))])
        }
    }

    @Test(arguments: [Lobby.Target.address, .chosen])
    func `a code that was not proven after the connection broke is not tried again`(
        target: Lobby.Target
    ) {
        var lobby = seated(target, needsCode: true)
        #expect(
            lobby.unseated(.lost("cut"), peer: host, now: start) == [.dial(2, destination(target))])
        #expect(lobby.asked(over: 2) == [])
        #expect(
            lobby.failed(2, .refused(Refusal(.wrongCode)), now: start)
                == [.fail(.refused(Refusal(.wrongCode)))])
    }

    @Test func `meanwhile others may come again`() {
        var lobby = seated(.chosen, letsIn: true)
        #expect(
            lobby.unseated(.lost("cut"), peer: host, now: start)
                == [.advertise(.open), .dial(2, .advert(host))])
    }
}
