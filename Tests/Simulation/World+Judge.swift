// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What must never be, looked at whenever it could come to be.
extension World {
    // MARK: While it goes on

    /// What is sent was durable before.
    func judge(sent entry: [UInt8], _ process: Process) {
        guard let name = process.journal?.name else { return fail("sent before it was stored") }
        if !machines[process.machine].disk.isDurable(entry, in: name.file) {
            fail("an entry is sent that is not durable")
        }
    }

    /// What is acknowledged was durable before.
    func judge(acknowledged count: UInt64, _ process: Process) {
        guard let name = process.journal?.name else { return fail("had before it was stored") }
        let other = name.seat.other
        guard count > 0, count <= UInt64(ledger.accepted[other].count) else {
            return fail("what nobody stored is acknowledged")
        }
        let entry = ledger.accepted[other][Int(count) - 1]
        if !machines[process.machine].disk.isDurable(entry, in: name.file) {
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

    /// Takes what a player is told.
    func hear(_ event: MatchEvent<Position>, _ process: Process) {
        let before = process.bot
        if process.bot.hear(event) { wake(process) }
        switch event {
        case .moved(let ply, let seat, let action, let position):
            judge(moved: ply, by: seat, action, position, before, process)
        case .over(let result, _, _): judge(result, process)
        case .answered(.draw, accepted: true): count(.drawAgreed)
        case .offered(.rematch, let byYou) where !byYou && before.hasOffered: count(.offersCrossed)
        case .started(_, let game, _, _, _, let resumed):
            if game > 1, !resumed { count(.rematchPlayed) }
            if resumed, process.seat?.current == nil { restarted(process) }
        case .together: process.isRefilling = false
        case .dropped(_, let message):
            note("dropped: \(message)")
            process.hasDropped = true
        case .declined: beginningLost(process)
        case .ended(let reason): ended(reason, process)
        default: break
        }
    }

    private func restarted(_ process: Process) {
        if process.index > 2, let other = self.process(of: 1 - process.player), other.index > 1,
            other.seat?.current == nil
        {
            count(.bothRestarted)
        }
        if process.machine == 2 { count(.twinPlayed) }
    }

    private func judge(
        moved ply: UInt32, by seat: Seat, _ action: Square, _ position: Position, _ before: Bot,
        _ process: Process
    ) {
        let author = seat.inGame(before.game)
        guard let move = ledger.move(before.game, ply), move.author == author,
            move.action == action.bytes
        else { return fail("a move was told that was not made") }
        var board = before.position
        do throws(IllegalAction) {
            try board.apply(action, by: seat)
        } catch {
            return fail("a move was told that the rules forbid")
        }
        if board != position { fail("a move was told with another board") }
        for player in [0, 1] where !isDurable(move, for: player) {
            fail("a move was told that is not on both disks")
        }
        if process.player == 0 { figures.moves += 1 }
    }

    private func isDurable(_ move: Ledger.Move, for player: Int) -> Bool {
        machines.contains { machine in
            machine.player == player
                && (machine.hasLost || machine.durable[move.author] >= move.number)
        }
    }

    private func judge(_ result: GameResult, _ process: Process) {
        // A match that cannot go on, which is said besides, decides nothing.
        guard result.outcome != nil else { return }
        let game = Int(process.bot.game)
        let (own, other) = (process.player, 1 - process.player)
        while ledger.results[own].count < game { ledger.results[own].append(nil) }
        if let told = ledger.results[own][game - 1], told != result, !ledger.hasForgotten {
            fail("one player was told two results of a game")
        }
        ledger.results[own][game - 1] = result
        if ledger.hasForgotten { ledger.results[own][game - 1] = nil }
        if result.termination == "resign" { count(.resigned) }
        guard ledger.results[other].count >= game, let told = ledger.results[other][game - 1] else {
            return
        }
        figures.games += 1
        if told != result, !ledger.hasForgotten { fail("the players were told different results") }
    }

    private func ended(_ reason: MatchEnd, _ process: Process) {
        let isKept = process.journal != nil
        switch reason {
        case .left(let code) where code == .protocolError:
            end(process, .broken("the other side says so"))
        case .left, .lost, .tookTooLong:
            guard isKept else { return beginningLost(process) }
            if case .left = reason { return end(process, .left) }
            if reason == .tookTooLong { return end(process, .disk) }
            end(process, .lost)
        case .forked: end(process, .forked)
        case .protocolError(let text): end(process, .broken(text))
        case .failed: break
        }
    }

    private func beginningLost(_ process: Process) {
        count(.beginningLost)
        process.seat = nil
        process.bot = Bot()
        for (link, side) in process.ends {
            links[link].ends[side].machine.close(.left)
            links[link].ends[side].isKnown = false
        }
        agenda.add(.meet, at: within(100))
        agenda.add(.meet, at: within(30_000))
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
        case .left, .done, .quit, .elsewhere, .disk, .unusable: break
        }
    }

    // MARK: At the end

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
                if process.journal != nil, !isDoneHere(process) {
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
        while other.isAlive, violation == nil, steps < 5_000, let entry = agenda.next() {
            now = max(now, entry.time)
            steps += 1
            guard entry.item == .arrival || entry.item == .session || entry.item == .write else {
                continue
            }
            if links[entry.a].ends[entry.b].process == other.index { perform(entry) }
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
                .filter { $0.starts(with: Array("say ".utf8)) }
            for (index, text) in texts.enumerated() where texts[..<index].contains(text) {
                fail("said twice: \(String(decoding: text, as: UTF8.self))")
            }
        }
        if ledger.results[0].count != ledger.results[1].count {
            fail("the players were told of different numbers of games")
        }
        if plan.reads { judgeDisks(living) }
    }

    /// Both journals, opened once more, hold the same.
    private func judgeDisks(_ living: [Process]) {
        var matches: [StoredMatch] = []
        for process in living {
            guard let name = process.journal?.name else { continue }
            let disk = machines[process.machine].disk
            process.journal = nil
            disk.losePower(.none)
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
