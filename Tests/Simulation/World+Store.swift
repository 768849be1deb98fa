// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// Stores what is to be stored, and notes it in the ledger.
extension World {
    /// Stores an entry.
    func store(_ entry: [UInt8], by author: Seat, number: UInt64, _ process: Process) {
        let machine = machines[process.machine]
        guard let own = process.seat?.engine.identity?.seat else { return fail("stored too early") }
        let isKept: Bool
        if process.name == nil {
            isKept = create(entry, by: own, process)
        } else {
            isKept = keep(process) { (journal) throws(JournalError) in
                try journal.store(entry: entry)
            }
        }
        guard isKept, let file = process.file else { return }
        machine.durable.raise(author, to: number)
        if !machine.disk.isDurable(entry, in: file) {
            return fail("an entry counts as stored and is not durable")
        }
        process.lastStore = author == own ? .own : .theirs
        let words = Ledger.words(of: entry)
        ledger.note(words, by: author, number: number)
        if author != own {
            figures.entries += 1
            if let wrong = ledger.accept(entry, by: author, number: number) { return fail(wrong) }
            return
        }
        if number <= UInt64(ledger.accepted[own].count) {
            if ledger.accepted[own][Int(number) - 1] == entry {
                count(.ownEntryRefilled)
            } else if !plan.losesData {
                fail("an own entry was accepted and is written anew")
            }
        }
        if !isWished(words, by: process.player) { return fail("what nobody wished was said") }
        wishMade(words, process)
    }

    /// Whether something that is said is what the player wished to say.
    private func isWished(_ words: ArraySlice<UInt8>, by player: Int) -> Bool {
        guard words.starts(with: "say ".utf8) else { return true }
        let number = Int(String(decoding: words.dropFirst(5), as: UTF8.self)) ?? 0
        return words.dropFirst(4).first == 0x77 && (1...max(texts.count, 1)).contains(number)
            && !texts.isEmpty && texts[number - 1] == player
    }

    private func create(_ entry: [UInt8], by own: Seat, _ process: Process) -> Bool {
        let machine = machines[process.machine]
        if let identity = process.seat?.engine.identity {
            match = identity.match
            seats[process.player] = own
            seats[1 - process.player] = own.other
        }
        do throws(JournalError) {
            process.keep(
                try Journal(
                    creating: entry, by: own, in: machine.disk,
                    cryptography: cryptography[process.player]))
            return true
        } catch {
            storeFailed(process, error)
            return false
        }
    }

    /// Stores something in the journal; says whether it got there.
    func keep(
        _ process: Process,
        _ store: (inout Journal<SimulatedDisk>) throws(JournalError) -> Void
    ) -> Bool {
        guard process.name != nil else {
            fail("there is no journal to store in")
            return false
        }
        do throws(JournalError) {
            try process.store(store)
            return true
        } catch {
            storeFailed(process, error)
            return false
        }
    }

    /// The match never began for the other player: no disk of theirs may have it.
    func forget(_ process: Process) {
        guard let name = process.name else { return fail("there is no journal to remove") }
        let theirs = JournalName(match: name.match, seat: name.seat.other)
        for machine in machines where machine.player != process.player {
            if machine.disk.content(theirs.file) != nil {
                fail("a match was removed that the other player has")
            }
        }
        process.removeJournal()
        machines[process.machine].durable = PerSeat(both: 0)
    }

    private func storeFailed(_ process: Process, _ error: JournalError) {
        note("the disk: \(error)")
        if machines[process.machine].disk.isOff {
            count(.powerLostInsideStore)
            return lose(process, power: true)
        }
        if case .store(let error) = error {
            count(error.code == .full ? .diskFull : .syncFailed)
        }
        let effects = process.seat?.storeFailed(now: process.clock(now)) ?? []
        for effect in effects where !effect.isStore { perform(effect, process) }
        end(process, .disk)
    }

    /// Notes that what the player wants was stored.
    func wish(_ words: [UInt8], _ process: Process) {
        guard process.wished == .waiting else { return }
        process.wished = .stored
        ledger.wishes[process.player].append(Ledger.Wish(words: words))
    }

    private func wishMade(_ words: ArraySlice<UInt8>, _ process: Process) {
        let isNew = process.wished == .waiting
        if isNew { wish(Array(words), process) }
        if ledger.made(words, by: process.player), !isNew { count(.draftSigned) }
    }
}
