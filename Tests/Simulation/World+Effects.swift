// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// Carries out what a process's machines want, in the order of the effects, as the program does.
extension World {
    typealias Effect = MatchSeat<Position>.Effect

    /// Carries effects out until one fails or the process is no more.
    func perform(_ effects: [Effect], _ process: Process) {
        process.lastStore = nil
        for effect in effects {
            guard process.isAlive, violation == nil else { return }
            if let doom = process.doom {
                if doom.effects == 0 {
                    switch (process.lastStore, effect) {
                    case (.own?, .sendPacket): count(.killBetweenStoreAndSend)
                    case (.theirs?, .acknowledge): count(.killBetweenStoreAndAcknowledge)
                    default: break
                    }
                    return lose(process, power: doom.power)
                }
                process.doom?.effects -= 1
            }
            perform(effect, process)
        }
    }

    func perform(_ effect: Effect, _ process: Process) {
        note("process \(process.index): \(effect.brief)")
        mix(effect.code)
        switch effect {
        case .store(let entry, let author, let number):
            store(entry, by: author, number: number, process)
        case .storeDraft(let words):
            let isKept = keep(process) { (journal) throws(JournalError) in
                try journal.store(draftWords: words)
            }
            guard isKept else { return }
            count(.draftStored)
            wish(words, process)
        case .dropDraft:
            let isKept = keep(process) { (journal) throws(JournalError) in
                try journal.dropDraft()
            }
            guard isKept else { return }
            ledger.dropped[process.player] += 1
            count(.draftDropped)
        case .sendNote(let bytes, let connection):
            if bytes.starts(with: "lost".utf8) {
                count(.lostLogAskedFor)
                process.isRefilling = true
            }
            with(connection, process) { _ = $0.sendNote(bytes) }
        case .sendPacket(let bytes, let connection):
            judge(sent: bytes, process)
            send(bytes, connection, process)
        case .acknowledge(let through, let hash, let connection):
            judge(acknowledged: through, process)
            with(connection, process) { $0.acknowledge(through: through, hash: hash) }
        case .close(let connection, let code, let text):
            if code == .superseded { count(.connectionSuperseded) }
            with(connection, process) { $0.close(code, text: text) }
        case .accept(let guest, let greeting):
            judge(greeting, process)
            with(.guest(guest), process) {
                $0.accept(
                    have: greeting.have, hash: greeting.hash, log: greeting.log,
                    detail: greeting.detail.bytes)
            }
        case .refuse(let guest, let refusal):
            if refusal.code == .crossing { count(.dialsCrossed) }
            with(.guest(guest), process) { $0.refuse(refusal) }
            forget(.guest(guest), process)
        case .dial(let dial, let greeting):
            judge(greeting, process)
            self.dial(process, dial, greeting)
        case .abandon(let dial):
            if process.lastStore == .theirs { count(.dialOvertaken) }
            process.dialling.removeAll { $0 == dial }
            with(.dial(dial), process) { $0.close(.superseded) }
            forget(.dial(dial), process)
        case .look, .missing: break
        case .forget: forget(process)
        case .trying: process.bot.isApart = true
        case .tell(let event): hear(event, process)
        case .goneElsewhere:
            count(.goneElsewhere)
            end(process, .elsewhere)
        case .brokenPeer(let text): end(process, .broken(text))
        }
        // Whatever was sent before the end of a process may also get lost, so this is all there is.
        if plan.has(.eagerWrites) || isSearched && process.doom != nil {
            for (link, side) in process.ends { flush(link, side) }
        }
    }

    private func send(
        _ bytes: [UInt8], _ connection: MatchSeat<Position>.Connection, _ process: Process
    ) {
        with(connection, process) { machine in
            switch machine.send(bytes) {
            case .accepted, .ended, .notReady: break
            case .windowFull, .tooLarge:
                count(.windowFull)
                machine.close(.tookTooLong, text: "nothing is taken")
            }
        }
    }

    private func with(
        _ connection: MatchSeat<Position>.Connection, _ process: Process,
        _ body: (inout SessionMachine) -> Void
    ) {
        for (link, side) in process.ends
        where links[link].ends[side].connection == connection && links[link].ends[side].isKnown {
            return body(&links[link].ends[side].machine)
        }
    }

    func forget(_ connection: MatchSeat<Position>.Connection, _ process: Process) {
        for (link, side) in process.ends where links[link].ends[side].connection == connection {
            links[link].ends[side].isKnown = false
        }
    }
}
