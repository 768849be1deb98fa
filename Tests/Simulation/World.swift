// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// Two players, their machines and the network between them, in a time of its own.
///
/// All that happens follows from the seed: no set or dictionary is walked through, no clock read.
final class World {
    static let millisecond: UInt64 = 1_000_000
    /// What every process's clock shows at least.
    private static let epoch: UInt64 = 1_000_000_000_000_000

    let plan: Plan
    var random: SeededGenerator
    var now: UInt64 = 0
    var agenda = Agenda()
    var machines: [Machine]
    var processes: [Process] = []
    var links: [Link] = []
    var dialled: [Dialled] = []
    let cryptography = [FastCryptography(key: 0xa1), FastCryptography(key: 0xb2)]
    let names = ["Ann", "Bob"]
    /// Whose bytes do not get through.
    var walls = [false, false]
    var stalled: [(link: Int, side: Int)] = []
    var ledger = Ledger()
    /// The seats, once they are known.
    var seats: [Seat?] = [nil, nil]
    var strikes = 0
    var isCalm = false
    var calmAt: UInt64 = 0
    var isDone = false
    /// Whether it is because both have all of both logs.
    var haveBothAll = false
    /// When to look next whether the match is stuck.
    private var judgeAt: UInt64 = 0
    /// How much has happened at this very moment.
    private var standstill = 0
    var violation: String?
    /// Who wished to say which text.
    var texts: [Int] = []
    var figures = Figures()
    var trace: UInt64 = 0
    /// Takes what happens, line by line, in a replay.
    let tell: ((String) -> Void)?
    /// Whether nothing is left to chance, because a search goes through all that can be.
    let isSearched: Bool

    /// A dial under way.
    struct Dialled {
        var process: Int
        var dial: MatchSeat<Position>.Dial
        var greeting: MatchSeat<Position>.Greeting
        var since: UInt64
        /// Whether it has got through, where that happens by choice.
        var isTaken = false
    }

    /// A world in which nothing goes wrong by itself.
    init(searched tell: ((String) -> Void)?) {
        plan = .quiet
        machines = [Machine(player: 0, seed: 1), Machine(player: 1, seed: 2)]
        random = SeededGenerator(seed: 1)
        isSearched = true
        self.tell = tell
    }

    init(
        seed: UInt64, without: [Fault] = [], strikes: Int? = nil, tell: ((String) -> Void)? = nil
    ) {
        var random = SeededGenerator(seed: seed)
        plan = Plan(&random, without: without, strikes: strikes)
        machines = [
            Machine(player: 0, seed: random.next()), Machine(player: 1, seed: random.next()),
        ]
        self.random = random
        self.tell = tell
        isSearched = false
    }

    /// Lives until the match is done or something is wrong.
    func run() {
        start(0)
        start(1)
        agenda.add(.meet, at: 0)
        if plan.faults.contains(where: Fault.sudden.contains), plan.strikes > 0 {
            agenda.add(.fault, at: within(2 * plan.pause))
        } else {
            agenda.add(.calm, at: within(5_000))
        }
        while !isDone, violation == nil, let entry = agenda.next() {
            standstill = entry.time > now ? 0 : standstill + 1
            if standstill > 100_000 { fail("time stands still: \(entry.item)") }
            now = max(now, entry.time)
            perform(entry)
            if isCalm, now > judgeAt {
                judgeAt = now + 10_000 * Self.millisecond
                judgeStanding()
            }
        }
        if violation == nil, isDone { judgeEnd() }
        figures.milliseconds = now / Self.millisecond
        // Who never met cannot go on when one of them is gone for ever.
        if violation == nil, !isDone, plan.affliction == nil {
            violation = "nothing is left to happen"
        }
        figures.matches = 1
    }

    func perform(_ entry: Agenda.Entry) {
        switch entry.item {
        case .arrival: whenAwake(links[entry.a].ends[entry.b].process, entry) { arrive(entry) }
        case .session:
            guard links[entry.a].ends[entry.b].alarm == entry.time else { return }
            whenAwake(links[entry.a].ends[entry.b].process, entry) {
                tickSession(entry.a, entry.b)
            }
        case .write:
            whenAwake(links[entry.a].ends[entry.b].process, entry) {
                links[entry.a].ends[entry.b].writesLater = false
                flush(entry.a, entry.b)
            }
        case .giveUp: giveUp(entry.a, entry.b)
        case .seat:
            guard processes[entry.a].alarm == entry.time else { return }
            whenAwake(entry.a, entry) { tickSeat(processes[entry.a]) }
        case .bot: whenAwake(entry.a, entry) { act(processes[entry.a]) }
        case .connect: connect(entry.a)
        case .meet: meet()
        case .fault: strike()
        case .restart: restart(entry.a)
        case .heal: heal()
        case .calm: calm()
        }
    }

    /// A process that stands still does everything later.
    private func whenAwake(_ process: Int, _ entry: Agenda.Entry, _ body: () -> Void) {
        let until = processes[process].frozenUntil
        guard until > now else { return body() }
        switch entry.item {
        case .session: links[entry.a].ends[entry.b].alarm = until
        case .seat: processes[process].alarm = until
        default: break
        }
        agenda.add(entry.item, at: until, entry.a, entry.b)
    }

    // MARK: Processes

    /// Starts a process on a machine; it takes up what is in the journal, if there is one.
    func start(_ index: Int) {
        let machine = machines[index]
        machine.starts += 1
        let process = Process(
            index: processes.count, machine: index, player: machine.player,
            instance: InstanceID(value: isSearched ? machine.number : random.next()))
        process.ahead = Self.epoch + random.next() % Self.epoch
        processes.append(process)
        machine.process = process.index
        note("process \(process.index) of \(names[machine.player]) starts on machine \(index)")
        guard let seat = seats[machine.player], let match else { return }
        open(JournalName(match: match, seat: seat), process, machine)
    }

    private func open(_ name: JournalName, _ process: Process, _ machine: Machine) {
        let before = machine.disk.content(name.file)
        do throws(JournalError) {
            let opened = try Journal.open(
                name, in: machine.disk, rules: [Position.self],
                publicKey: cryptography[process.player].publicKey,
                cryptography: cryptography[process.player])
            judge(opened, process, machine, before)
            process.keep(opened.journal)
            let player = cryptography[process.player].player(named: names[process.player])
            guard violation == nil,
                let engine = MatchEngine<Position>(
                    resuming: opened.match, local: player,
                    cryptography: cryptography[process.player])
            else { return fail("a journal that was opened cannot be resumed") }
            figures.restarts += 1
            let seat = MatchSeat(
                engine, instance: process.instance, run: opened.match.run, random: random.next())
            process.seat = seat
            process.seat?.port = 1
            perform(process.seat?.resume(now: process.clock(now)) ?? [], process)
            settle(process)
            if process.bot.isOver { count(.overResumed) }
        } catch {
            note("the journal does not open: \(error)")
            switch error {
            case .absent:
                if machine.durable[name.seat] > 0 { fail("a journal is gone") }
            case .inUse: end(process, .disk)
            case .store:
                if machine.disk.isOff {
                    count(.powerLostInsideOpening)
                    lose(process, power: true)
                } else {
                    end(process, .disk)
                }
            case .unusable where machine.hasLost:
                // Nothing in it says what the match is: that is said, and there is no match.
                end(process, .unusable)
            default: fail("a journal does not open: \(error)")
            }
        }
    }

    func restart(_ index: Int) {
        let machine = machines[index]
        machine.isStarting = false
        guard machine.process == nil, !machine.isRetired else { return }
        machine.isOn = true
        if let backup = machine.backup, machine.restores {
            machine.disk.snapshot = backup
            machine.disk.losePower(.none)
            machine.hasLost = true
            machine.durable = PerSeat(both: 0)
            count(.backupPutBack)
        }
        machine.restores = false
        start(index)
        if processes[processes.count - 1].isAlive { agenda.add(.meet, at: now) }
    }

    /// The running process of a player; of two machines the newer one.
    func process(of player: Int) -> Process? {
        for machine in machines.reversed() where machine.player == player {
            if let index = machine.process { return processes[index] }
        }
        return nil
    }

    /// The match id, once it is known.
    var match: [UInt8]?

    // MARK: Chance

    /// A moment within so many milliseconds.
    func within(_ milliseconds: UInt64) -> UInt64 {
        now + random.next() % (max(milliseconds, 1) * Self.millisecond)
    }

    func chance(_ one: UInt64, in all: UInt64) -> Bool { random.next() % all < one }

    func pick<T>(_ all: [T]) -> T? {
        all.isEmpty ? nil : all[Int(random.next() % UInt64(all.count))]
    }

    // MARK: Notes

    func note(_ text: @autoclosure () -> String) {
        guard let tell else { return }
        tell("\(now / 1_000) µs: \(text())")
    }

    func count(_ event: RareEvent) {
        figures.rare[event.rawValue] += 1
        mix(UInt64(event.rawValue) + 1_000)
        note("* \(event)")
    }

    func fail(_ text: String) {
        note("WRONG: \(text)")
        if violation == nil { violation = text }
    }

    func mix(_ value: UInt64) {
        trace = (trace ^ value) &* 0x9e37_79b9_7f4a_7c15
        trace ^= trace >> 29
    }
}
