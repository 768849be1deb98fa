// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// Carries out what a process's machines want, in the order of the effects, as the program does.
extension World {
    typealias Effect = MatchSeat<Position>.Effect

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
        let end = links[link].ends[side]
        let now = process.clock(now)
        switch event {
        case .hello(let hello): greet(hello, link, process)
        case .ready(let welcome):
            links[link].ends[side].isReady = true
            guard side == 0 else { return }
            if links[link].isFirst { return begin(link, side, process, welcome) }
            guard case .dial(let dial) = end.connection, end.isKnown else { return }
            process.dialling.removeAll { $0 == dial }
            let key = cryptography[1 - process.player].publicKey
            let isApart = process.seat?.current == nil
            let effects = process.seat?.welcomed(dial, welcome, publicKey: key, now: now) ?? []
            if isApart, effects.count == 1, case .abandon? = effects.first { count(.dialOvertaken) }
            perform(effects, process)
        case .ended(let reason):
            count(reason)
            note("link \(link) ends for \(process.index): \(reason)")
            guard end.isKnown else { return }
            links[link].ends[side].isKnown = false
            if links[link].isFirst { agenda.add(.meet, at: within(1_000)) }
            if case .dial(let dial) = end.connection, !end.isReady, !links[link].isFirst {
                guard process.dialling.contains(dial) else { return }
                process.dialling.removeAll { $0 == dial }
                var refusal: Refusal?
                if case .refused(let why) = reason { refusal = why }
                let effects = process.seat?.failed(
                    dial, refusal: refusal, publicKey: cryptography[1 - process.player].publicKey,
                    now: now)
                return perform(effects ?? [], process)
            }
            receive(event, over: end.connection, process)
        case .packet, .had, .note, .asked, .answered:
            guard end.isKnown else { return }
            receive(event, over: end.connection, process)
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
        let effects = process.seat?.greeted(
            by: guest, hello, publicKey: cryptography[1 - process.player].publicKey,
            now: process.clock(now))
        if hadLink, let effects, effects.contains(where: \.isAccept) { count(.ghostDisplaced) }
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

    // MARK: Effects

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

    private func perform(_ effect: Effect, _ process: Process) {
        note("process \(process.index): \(effect.brief)")
        mix(effect.code)
        switch effect {
        case .store(let entry, let author, let number):
            store(entry, by: author, number: number, process)
        case .storeDraft(let words):
            guard
                keep(
                    process,
                    { (journal) throws(JournalError) in try journal.store(draftWords: words) })
            else { return }
            count(.draftStored)
            wish(words, process)
        case .dropDraft:
            guard keep(process, { (journal) throws(JournalError) in try journal.dropDraft() })
            else { return }
            ledger.dropped[process.player] += 1
            count(.draftDropped)
        case .sendNote(let bytes, let connection):
            if bytes.starts(with: Array("lost".utf8)) {
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
        if plan.has(.eagerWrites) {
            for (link, side) in process.ends { flush(link, side) }
        }
    }

    private func store(_ entry: [UInt8], by author: Seat, number: UInt64, _ process: Process) {
        let machine = machines[process.machine]
        guard let own = process.seat?.engine.identity?.seat else { return fail("stored too early") }
        let isKept: Bool
        if process.journal == nil {
            isKept = create(entry, by: own, process)
        } else {
            isKept = keep(process) { (journal) throws(JournalError) in
                try journal.store(entry: entry)
            }
        }
        guard isKept, let name = process.journal?.name else { return }
        machine.durable.raise(author, to: number)
        if !machine.disk.isDurable(entry, in: name.file) {
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
        guard words.starts(with: Array("say ".utf8)) else { return true }
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
            process.journal = try Journal(
                creating: entry, by: own, in: machine.disk,
                cryptography: cryptography[process.player])
            return true
        } catch {
            storeFailed(process, error)
            return false
        }
    }

    private func keep(
        _ process: Process,
        _ store: (inout Journal<SimulatedDisk>) throws(JournalError) -> Void
    ) -> Bool {
        guard var journal = process.journal else {
            fail("there is no journal to store in")
            return false
        }
        process.journal = nil
        defer { if process.isAlive { process.journal = journal } }
        do throws(JournalError) {
            try store(&journal)
            return true
        } catch {
            storeFailed(process, error)
            return false
        }
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

    private func forget(_ connection: MatchSeat<Position>.Connection, _ process: Process) {
        for (link, side) in process.ends where links[link].ends[side].connection == connection {
            links[link].ends[side].isKnown = false
        }
    }

    // MARK: The player

    /// A match's deadline has come.
    func tickSeat(_ process: Process) {
        process.alarm = .max
        guard process.isAlive else { return }
        perform(process.seat?.tick(now: process.clock(now)) ?? [], process)
        settle(process)
    }

    /// The player does something, or leaves for a while.
    func act(_ process: Process) {
        process.isBotPlanned = false
        guard process.isAlive, process.journal != nil, process.seat?.engine.isOver == false else {
            return
        }
        let command = process.bot.act(
            &random, liveliness: plan.liveliness, games: plan.games, serious: isCalm
        ) {
            texts.append(process.player)
            return "w\(texts.count)"
        }
        guard let command else { return }
        process.wished = .waiting
        note("process \(process.index) wishes \(command)")
        perform(process.seat?.command(command, now: process.clock(now)) ?? [], process)
        if process.wished == .waiting, !process.isAlive { count(.wishLostInCrash) }
        process.wished = .nothing
        settle(process)
        if process.bot.owed != nil || isCalm && process.bot.isOver { wake(process) }
    }

    func wake(_ process: Process) {
        guard process.isAlive, !process.isBotPlanned else { return }
        process.isBotPlanned = true
        agenda.add(.bot, at: within(plan.thinking) + 100_000, process.index)
    }

    /// The match never began for the other player: no disk of theirs may have it.
    private func forget(_ process: Process) {
        guard let name = process.journal?.name else { return fail("there is no journal to remove") }
        let theirs = JournalName(match: name.match, seat: name.seat.other)
        for machine in machines where machine.player != process.player {
            if machine.disk.content(theirs.file) != nil {
                fail("a match was removed that the other player has")
            }
        }
        // What is removed in vain is removed the next time.
        try? process.journal?.remove()
        machines[process.machine].durable = PerSeat(both: 0)
    }

    private func wish(_ words: [UInt8], _ process: Process) {
        guard process.wished == .waiting else { return }
        process.wished = .stored
        ledger.wishes[process.player].append(Ledger.Wish(words: words))
    }

    private func wishMade(_ words: ArraySlice<UInt8>, _ process: Process) {
        let isNew = process.wished == .waiting
        if isNew { wish(Array(words), process) }
        if ledger.made(words, by: process.player), !isNew { count(.draftSigned) }
    }

    // MARK: Ends

    /// The process is no more, without a word of its own.
    func lose(_ process: Process, power: Bool) {
        guard process.isAlive else { return }
        let machine = machines[process.machine]
        figures.crashes += 1
        note("process \(process.index) \(power ? "loses its power" : "is killed")")
        process.isAlive = false
        process.seat = nil
        process.journal = nil
        machine.process = nil
        if power {
            machine.isOn = false
            machine.disk.losePower(pick(SimulatedDiskMercy.all) ?? .none)
        } else {
            machine.disk.kill()
        }
        for (link, side) in process.ends {
            links[link].ends[side].isOver = true
            if power {
                watch(link, [1 - side])
            } else if !links[link].ends[side].isClosed {
                if chance(1, in: 2) { truncate(link, 1 - side) }
                add(chance(1, in: 2) ? .reset : .end, link, to: 1 - side)
            }
            links[link].ends[side].isClosed = true
        }
        process.ends = []
        if machines.allSatisfy({ $0.process == nil }) { count(.bothDown) }
        restartLater(machine)
    }

    /// The process ends by itself, with goodbyes.
    func end(_ process: Process, _ ending: Leaving) {
        guard process.isAlive else { return }
        note("process \(process.index) ends: \(ending)")
        process.ending = ending
        let code: GoodbyeCode =
            switch ending {
            case .broken: .protocolError
            case .disk: .disk
            default: process.seat?.goodbye ?? .left
            }
        process.isAlive = false
        for (link, side) in process.ends {
            links[link].ends[side].machine.close(code)
            while links[link].ends[side].machine.nextEvent() != nil {}
            if !links[link].ends[side].isClosed,
                let bytes = links[link].ends[side].machine.nextOutput()
            {
                add(.bytes(bytes), link, to: 1 - side)
            }
            close(link, side)
        }
        process.ends = []
        let machine = machines[process.machine]
        if machine.process == process.index {
            machine.process = nil
            machine.disk.kill()
        }
        process.seat = nil
        process.journal = nil
        judge(ending, process)
        switch ending {
        case .quit, .disk: restartLater(machine)
        // The word may also be for a process that is gone: the player takes the match up again.
        case .elsewhere: if isCalm || !plan.has(.twin) { restartLater(machine) }
        case .done, .left, .forked, .lost, .broken, .unusable: judgeStanding()
        }
    }

    func restartLater(_ machine: Machine) {
        guard !machine.isStarting, !machine.isRetired else { return }
        machine.isStarting = true
        var pause: UInt64 = isCalm ? 500 : [20, 500, 5_000][Int(random.next() % 3)]
        if !isCalm, chance(1, in: 12) { pause = 60_000 }
        for index in machines.indices where machines[index] === machine {
            agenda.add(.restart, at: within(pause), index)
        }
    }

    private func count(_ reason: SessionEnd) {
        switch reason {
        case .lost("silent"): count(.silentPeerLost)
        case .lost("the hello took too long"): count(.helloTookTooLong)
        case .lost("a frame took too long"): count(.frameTookTooLong)
        case .lost("cut inside a frame"): count(.cutInsideFrame)
        case .protocolError(let text): fail("a session broke the protocol: \(text)")
        case .left(.protocolError, let text): fail("the other side says: \(text)")
        default: break
        }
    }
}

/// The mercies of a disk, in an order that does not change.
enum SimulatedDiskMercy {
    static let all = SimulatedDisk.Mercy.allCases
}

extension MatchSeat.Effect {
    fileprivate var isAccept: Bool { if case .accept = self { true } else { false } }

    fileprivate var isStore: Bool {
        switch self {
        case .store, .storeDraft, .dropDraft: true
        default: false
        }
    }

    /// What it is, as a number for the trace.
    fileprivate var code: UInt64 {
        switch self {
        case .store(let entry, let seat, let number):
            1 | UInt64(seat.rawValue) << 8 | number << 16 | UInt64(entry.last ?? 0) << 40
        case .storeDraft(let words): 2 | UInt64(words.count) << 8
        case .dropDraft: 3
        case .sendNote(let bytes, _): 4 | UInt64(bytes.count) << 8
        case .sendPacket(let bytes, _): 5 | UInt64(bytes.count) << 8
        case .acknowledge(let through, _, _): 6 | through << 8
        case .close(_, let code, _): 7 | UInt64(code.value) << 8
        case .accept(let guest, _): 8 | UInt64(guest) << 8
        case .refuse(_, let refusal): 9 | UInt64(refusal.code.value) << 8
        case .dial(let dial, _): 10 | UInt64(dial) << 8
        case .abandon(let dial): 11 | UInt64(dial) << 8
        case .look: 12
        case .trying: 13
        case .tell(let event): 14 | event.code << 8
        case .goneElsewhere: 15
        case .brokenPeer: 16
        case .missing: 17
        case .forget: 18
        }
    }

    /// What it is, in a few words.
    fileprivate var brief: String {
        switch self {
        case .store(let entry, let seat, let number):
            let words = String(decoding: Ledger.words(of: entry).prefix(40), as: UTF8.self)
            return "stores \(seat.rawValue).\(number) \(words)"
        case .storeDraft(let words): return "drafts \(String(decoding: words, as: UTF8.self))"
        case .sendNote(let bytes, let to):
            return "notes \(String(decoding: bytes.prefix(12), as: UTF8.self)) to \(to)"
        case .sendPacket(_, let to): return "sends to \(to)"
        case .acknowledge(let through, _, let to): return "has \(through), to \(to)"
        case .accept(let guest, let greeting):
            return "accepts \(guest), has \(greeting.have), log to \(greeting.log.last)"
        case .dial(let dial, let greeting):
            return "dials \(dial), has \(greeting.have), log to \(greeting.log.last)"
        case .tell(let event): return "tells \(event)"
        default: return "\(self)"
        }
    }
}

extension MatchEvent {
    fileprivate var code: UInt64 {
        switch self {
        case .challenged: 1
        case .declined: 2
        case .started(_, let game, _, _, _, let resumed): 3 | UInt64(game) << 8 | (resumed ? 16 : 0)
        case .turn(_, let ply): 4 | UInt64(ply) << 8
        case .sending(let ply, _, _, _): 5 | UInt64(ply) << 8
        case .moved(let ply, _, let action, _):
            6 | UInt64(ply) << 8 | UInt64(action.bytes.first ?? 0) << 16
        case .offered: 7
        case .answered: 8
        case .said(_, let text): 9 | UInt64(text.utf8.count) << 8
        case .over: 10
        case .rejected: 11
        case .dropped: 12
        case .apart: 13
        case .together: 14
        case .ended: 15
        case .timeUp, .claimed, .claimDeclined: 16
        }
    }
}
