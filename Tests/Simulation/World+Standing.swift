// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// Whether the match is done, and what must be so then.
extension World {
    /// Whether the process has seen the end of all games that were to be played.
    func isDoneHere(_ process: Process) -> Bool {
        process.bot.isOver && Int(process.bot.game) >= plan.games && process.isAlive
    }

    /// Looks whether the match is done, or must be by now.
    func judgeStanding() {
        guard !isDone, violation == nil else { return }
        let living = [0, 1].map { process(of: $0) }
        if let first = living[0], let second = living[1], isDoneHere(first), isDoneHere(second),
            let a = first.seat?.engine, let b = second.seat?.engine,
            a.isInCompany, b.isInCompany, a.logs.own == b.logs.theirs, a.logs.theirs == b.logs.own
        {
            isDone = true
            haveBothAll = true
            if plan.leaves { takeLeave(first, second) }
            return
        }
        // A match that cannot go on has said why, to one of them at least.
        let endings = processes.compactMap(\.ending)
        if endings.contains(.forked) || endings.contains(.lost) || endings.contains(.left)
            || endings.contains(.unusable)
        {
            isDone = true
            return
        }
        guard isCalm, now > calmAt + patience(for: plan.affliction) else { return }
        switch plan.affliction {
        case .partition, .oneWay, .gone, .disk:
            // Nothing can go on; who is there was told.
            for process in living.compactMap({ $0 }) where !process.bot.isApart {
                if process.name != nil, !isDoneHere(process) {
                    return fail("nothing goes on, and process \(process.index) was not told why")
                }
            }
            isDone = true
        case .cuts, .slow, .kills, nil: fail("the match is stuck: \(standing)")
        }
    }

    private func patience(for affliction: Affliction?) -> UInt64 {
        (affliction == nil ? 150_000 : 400_000) * Self.millisecond
    }

    private func takeLeave(_ first: Process, _ second: Process) {
        let (leaver, other) = chance(1, in: 2) ? (first, second) : (second, first)
        end(leaver, .done)
        var steps = 0
        while other.isAlive, !other.bot.isApart, violation == nil, steps < 5_000,
            let entry = agenda.next()
        {
            now = max(now, entry.time)
            steps += 1
            switch entry.item {
            // The end of a connection may be told only when no other one has come.
            case .seat where entry.a == other.index: perform(entry)
            case .arrival, .session, .write:
                if links[entry.a].ends[entry.b].process == other.index { perform(entry) }
            default: break
            }
        }
        if other.ending != .left, isCalm, plan.affliction == nil, other.isAlive, !other.bot.isApart
        {
            fail("a player left, and the other was not told: \(standing)")
        }
    }

    /// Where everything stands, for who must find out why.
    var standing: String {
        processes.suffix(4).map { process in
            let logs = process.seat?.engine.logs
            return "[\(process.index) of \(names[process.player]) "
                + "\(process.isAlive ? "lives" : "is gone") \(process.ending.map { "\($0)" } ?? "") "
                + "game \(process.bot.game) over \(process.bot.isOver) apart \(process.bot.isApart) "
                + "logs \(logs?.own.count ?? 0) \(logs?.theirs.count ?? 0) "
                + "company \(process.seat?.engine.isInCompany ?? false)]"
        }.joined(separator: " ")
    }

    /// The match is done: nothing that was wished for is missing, and the two disks agree.
    func judgeEnd() {
        let living = [0, 1].compactMap { process(of: $0) }
        guard living.count == 2, living.allSatisfy(isDoneHere) else { return }
        for player in [0, 1] {
            let wishes = ledger.wishes[player]
            let missing = wishes.filter { !$0.isMade }.count
            let hasLost = machines.contains { $0.player == player && $0.hasLost }
            if missing > ledger.dropped[player], !hasLost {
                let words = wishes.filter { !$0.isMade }.map {
                    String(decoding: $0.words, as: UTF8.self)
                }
                fail("wishes are missing: \(words)")
            }
        }
        for seat in Seat.allCases {
            let texts = ledger.accepted[seat].map { Array(Ledger.words(of: $0)) }
                .filter { $0.starts(with: "say ".utf8) }
            for (index, text) in texts.enumerated() where texts[..<index].contains(text) {
                fail("said twice: \(String(decoding: text, as: UTF8.self))")
            }
        }
        if ledger.results[0].count != ledger.results[1].count {
            fail("the players were told of different numbers of games")
        }
        // Where nothing can go on, a text may be on one disk only.
        if plan.reads, haveBothAll { judgeDisks(living) }
    }

    /// Both journals, opened once more, hold the same.
    private func judgeDisks(_ living: [Process]) {
        var matches: [StoredMatch] = []
        for process in living {
            guard let name = process.name else { continue }
            let disk = machines[process.machine].disk
            process.keep(nil)
            disk.losePower(.none)
            disk.refusal = nil
            do throws(JournalError) {
                matches.append(
                    try Journal.open(
                        name, in: disk, rules: [Position.self],
                        publicKey: cryptography[process.player].publicKey,
                        cryptography: cryptography[process.player]
                    ).match)
            } catch {
                fail("a journal does not open at the end: \(error)")
            }
        }
        guard matches.count == 2 else { return }
        for seat in Seat.allCases where matches[0].log(of: seat) != matches[1].log(of: seat) {
            fail("the two journals differ at the end")
        }
    }
}
