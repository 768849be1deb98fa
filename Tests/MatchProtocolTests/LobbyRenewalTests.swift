// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import Testing

/// A connection that breaks before a game has begun costs the player nothing: whoever was asked for
/// is dialled again.
@Suite struct LobbyRenewalTests {
    private let start = Instant(nanoseconds: 0)
    private let host = InstanceID(value: 7)

    /// A player who has found the host that it asked for, and sits with it over dial 1.
    private func seated(_ target: Lobby.Target, letsIn: Bool = false) -> Lobby {
        var lobby = Lobby(
            Lobby.Configuration(
                instance: InstanceID(value: 5), letsIn: letsIn, target: target))
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

    @Test func `who is not there any more is not waited for`() {
        var lobby = seated(.address)
        #expect(
            lobby.unseated(.lost("cut"), peer: host, now: start) == [.dial(2, .address)])
        #expect(
            lobby.failed(2, .unreachable("Nobody answers."), now: start)
                == [.fail(.unreachable("Nobody answers."))])
    }

    @Test func `meanwhile others may come again`() {
        var lobby = seated(.chosen, letsIn: true)
        #expect(
            lobby.unseated(.lost("cut"), peer: host, now: start)
                == [.advertise(.open), .dial(2, .advert(host))])
    }
}
