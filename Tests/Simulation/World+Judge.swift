// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What must never be, looked at whenever it could come to be.
extension World {
    /// What is sent was durable before.
    func judge(sent entry: [UInt8], _ process: Process) {
        guard let file = process.file else { return fail("sent before it was stored") }
        if !machines[process.machine].disk.isDurable(entry, in: file) {
            fail("an entry is sent that is not durable")
        }
    }

    /// What is acknowledged was durable before.
    func judge(acknowledged count: UInt64, _ process: Process) {
        guard let file = process.file, let other = process.name?.seat.other else {
            return fail("had before it was stored")
        }
        guard count > 0, count <= UInt64(ledger.accepted[other].count) else {
            return fail("what nobody stored is acknowledged")
        }
        let entry = ledger.accepted[other][Int(count) - 1]
        if !machines[process.machine].disk.isDurable(entry, in: file) {
            fail("an entry is acknowledged that is not durable")
        }
    }

    /// Who dials or answers has on its disk what it says.
    func judge(_ greeting: MatchSeat<Position>.Greeting, _ process: Process) {
        guard let own = seats[process.player] else { return fail("there is no match yet") }
        let durable = machines[process.machine].durable
        if greeting.have > durable[own.other] { fail("more is said to be had than is durable") }
        if greeting.log.last > durable[own] { fail("more would be sent than is durable") }
    }

    /// Whether a process and another one play over one and the same connection, which it has dialled.
    func playsOverOwnDial(_ process: Process, _ other: InstanceID) -> Bool {
        process.ends.contains { link, side in
            let peer = processes[links[link].ends[1].process]
            return side == 0 && peer.isAlive && peer.instance == other
                && links[link].ends.allSatisfy { !$0.isOver && !$0.isClosed }
                && links[link].ends[0].connection == process.seat?.current
                && links[link].ends[1].connection == peer.seat?.current
        }
    }

    /// A journal that is opened holds what was durable, and what was damaged is still there.
    func judge(
        _ opened: OpenedJournal<SimulatedDisk>, _ process: Process, _ machine: Machine,
        _ before: [UInt8]?
    ) {
        if let before, before.last != 0x0a { count(.tornTailDropped) }
        if let damage = opened.damage {
            count(.damagedFilePutAside)
            if machine.disk.durableContent(damage.file) != before { fail("damage was not kept") }
            if !machine.hasLost, !plan.has(.disk), !plan.has(.full) {
                fail("undamaged, and put aside")
            }
        }
        for seat in Seat.allCases {
            let log = opened.match.log(of: seat)
            if !machine.hasLost, UInt64(log.count) < machine.durable[seat] {
                fail("of \(machine.durable[seat]) durable entries \(log.count) are left")
            }
            machine.durable[seat] = UInt64(log.count)
            // What is on no disk any more may be written anew.
            ledger.forget(by: seat, after: known(of: seat))
            for (entry, accepted) in zip(log, ledger.accepted[seat])
            where entry.line != accepted && !plan.losesData {
                fail("a journal holds another entry \(entry.number) than was accepted")
            }
            // What was being stored when the process died may have got through.
            for entry in log {
                let words = Ledger.words(of: entry.line)
                ledger.note(words, by: seat, number: entry.number)
                guard seat != opened.match.seat else {
                    _ = ledger.made(words, by: process.player)
                    continue
                }
                let wrong = ledger.accept(entry.line, by: seat, number: entry.number)
                if let wrong { fail(wrong) }
            }
        }
        let name = opened.journal.name
        if machine.disk.durableContent(name.file) != machine.disk.content(name.file) {
            fail("an opened journal is not durable")
        }
    }

    /// How much of a log is on some disk that is still in use.
    private func known(of seat: Seat) -> UInt64 {
        machines.filter { !$0.isRetired }.map { $0.durable[seat] }.max() ?? 0
    }

    /// A process has ended by itself: is that a reason?
    func judge(_ ending: Leaving, _ process: Process) {
        switch ending {
        case .broken(let text): fail("the protocol was broken: \(text)")
        case .forked:
            figures.forks += 1
            count(.forkNoticed)
            if !plan.losesData { fail("the logs differ, and nothing was lost") }
        case .lost:
            count(.beginningHalfDone)
            guard let seat = seats[1 - process.player] else { return }
            for machine in machines where machine.player != process.player {
                let name = JournalName(match: match ?? [], seat: seat)
                // Who has begun and knows nothing of ours waits, and was told.
                let known = ledger.accepted[seat.other].count
                if known > 0, machine.disk.content(name.file) != nil {
                    fail("a match was given up that the other player has")
                }
            }
        case .elsewhere:
            if !plan.losesData { fail("the match goes on nowhere else") }
        case .left, .done, .quit, .disk, .unusable: break
        }
    }
}
