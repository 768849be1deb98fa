// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What a process's sessions tell, handed on to its match.
extension World {
    /// Hands on what the sessions of a process tell, sends what they want to send, and plans.
    func settle(_ process: Process) {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for (link, side) in process.ends {
                while process.isAlive, let event = links[link].ends[side].machine.nextEvent() {
                    isQuiet = false
                    take(event, link, side, process)
                }
            }
        }
        guard process.isAlive else { return }
        for (link, side) in process.ends { flush(link, side) }
        plan(process)
        if isDoneHere(process) { judgeStanding() }
    }

    private func take(_ event: SessionEvent, _ link: Int, _ side: Int, _ process: Process) {
        // Looked at one by one: a copy of an end copies its machine.
        let connection = links[link].ends[side].connection
        let isKnown = links[link].ends[side].isKnown
        let now = process.clock(now)
        switch event {
        case .hello(let hello): greet(hello, link, process)
        case .ready(let welcome):
            links[link].ends[side].isReady = true
            guard side == 0 else { return }
            if links[link].isFirst { return begin(link, side, process, welcome) }
            guard case .dial(let dial) = connection, isKnown else { return }
            process.dialling.removeAll { $0 == dial }
            let key = cryptography[1 - process.player].publicKey
            perform(
                process.seat?.welcomed(dial, welcome, publicKey: key, now: now) ?? [], process)
        case .ended(let reason):
            count(reason)
            note("link \(link) ends for \(process.index): \(reason)")
            guard isKnown else { return }
            let isReady = links[link].ends[side].isReady
            links[link].ends[side].isKnown = false
            if links[link].isFirst { agenda.add(.meet, at: within(1_000)) }
            if case .dial(let dial) = connection, !isReady, !links[link].isFirst {
                guard process.dialling.contains(dial) else { return }
                process.dialling.removeAll { $0 == dial }
                var refusal: Refusal?
                if case .refused(let why) = reason { refusal = why }
                let effects = process.seat?.failed(
                    dial, refusal: refusal, publicKey: cryptography[1 - process.player].publicKey,
                    now: now)
                return perform(effects ?? [], process)
            }
            receive(event, over: connection, process)
        case .packet, .had, .note, .asked, .answered:
            guard isKnown else { return }
            receive(event, over: connection, process)
        }
    }

    private func receive(
        _ event: SessionEvent, over connection: MatchSeat<Position>.Connection, _ process: Process
    ) {
        let effects = process.seat?.received(event, over: connection, now: process.clock(now))
        if case .ended = event, process.isRefilling { count(.cutWhileRefilling) }
        perform(effects ?? [], process)
    }

    private func greet(_ hello: Hello, _ link: Int, _ process: Process) {
        guard case .guest(let guest) = links[link].ends[1].connection else { return }
        if links[link].isFirst {
            links[link].ends[1].machine.accept(detail: MatchDetail(port: 1).bytes)
            return begin(link, 1, process, hello)
        }
        let hadLink = process.seat?.current != nil
        let isGood = playsOverOwnDial(process, hello.instance)
        let effects = process.seat?.greeted(
            by: guest, hello, publicKey: cryptography[1 - process.player].publicKey,
            now: process.clock(now))
        if hadLink, let effects, effects.contains(where: \.isAccept) {
            count(.ghostDisplaced)
            // Of dials that cross that of the larger instance serves, once both play over it.
            if isGood, hello.instance < process.instance {
                fail("a good connection was given up for a late dial")
            }
        }
        perform(effects ?? [.refuse(guest, Refusal(.noSuchSession))], process)
    }

    /// Both are there: the fair start, and the match.
    private func begin(_ link: Int, _ side: Int, _ process: Process, _ peer: Hello) {
        let (own, other) = (process.player, 1 - process.player)
        let engine = MatchEngine<Position>(
            role: side == 0 ? .initiator : .responder,
            local: cryptography[own].player(named: names[own]),
            remote: cryptography[other].player(named: names[other]),
            exporter: [UInt8](repeating: UInt8(truncatingIfNeeded: link), count: 32), options: [],
            asks: false, random: random.bytes(32), cryptography: cryptography[own],
            now: process.clock(now))
        var seat = MatchSeat(engine, instance: process.instance, random: random.next())
        seat.port = 1
        process.seat = seat
        process.bot = Bot()
        let effects = process.seat?.begin(
            over: links[link].ends[side].connection, with: peer.instance, now: process.clock(now))
        perform(effects ?? [], process)
    }
}
