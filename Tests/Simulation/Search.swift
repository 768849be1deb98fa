// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// Goes through everything that can happen in a short game, in every order: what arrives, who
/// acts, dials, is cut, dies between which effects and comes back. States that were seen before
/// are not gone through again.
package struct Search {
    /// What was found.
    package struct Result: Sendable {
        /// States seen, and steps taken to see them.
        package var states = 0
        package var steps = 0
        /// States in which nothing was left to do: every one of them a finished game.
        package var ends = 0
        /// What is wrong, and the choices that lead there.
        package var violation: String?
        package var path: [Int] = []
    }

    private let crashes: Int
    private let cuts: Int
    private let plies: Int
    private let most: Int

    /// Searches games of so many plies with so many crashes and cuts, up to `most` states.
    package init(plies: Int, crashes: Int, cuts: Int, most: Int = .max) {
        self.plies = plies
        self.crashes = crashes
        self.cuts = cuts
        self.most = most
    }

    /// Searches.
    package func run() -> Result {
        var result = Result()
        var seen: Set<UInt64> = []
        var paths: [[Int]] = [[]]
        while let path = paths.popLast(), result.states < most {
            guard let (world, choices) = walk(path) else { continue }
            result.steps += path.count
            result.violation = world.violation
            if world.violation == nil, choices.isEmpty {
                result.ends += 1
                result.violation = world.unfinished(plies: plies)
            }
            if result.violation != nil {
                result.path = path
                return result
            }
            guard seen.insert(world.fingerprint).inserted else { continue }
            result.states += 1
            for index in choices.indices { paths.append(path + [index]) }
        }
        return result
    }

    /// Goes a path again; `nil` if it is the same as another.
    private func walk(_ path: [Int]) -> (World, [World.Choice])? {
        let world = World(searching: ())
        var choices = world.choices(plies: plies, crashes: crashes, cuts: cuts)
        for index in path {
            guard index < choices.count, world.take(choices[index]), world.violation == nil else {
                return world.violation == nil ? nil : (world, [])
            }
            choices = world.choices(plies: plies, crashes: crashes, cuts: cuts)
        }
        return (world, choices)
    }
}

extension World {
    /// One of the things that can happen next.
    enum Choice {
        /// The next bytes arrive; the reader may lose its power after so many effects.
        case arrival(link: Int, side: Int, doom: Int?)
        case act(process: Int, doom: Int?)
        case tick(process: Int)
        case connect(Int)
        case kill(process: Int)
        case restart(machine: Int)
        case cut(link: Int)
    }

    /// A world in which a match has just begun.
    convenience init(searching: Void) {
        self.init(seed: 1, plan: .quiet)
        start(0)
        start(1)
        isCalm = true
        meet()
        while processes.contains(where: { $0.bot.game == 0 }), let entry = agenda.next() {
            now = max(now, entry.time)
            if entry.item == .arrival { perform(entry) }
        }
        agenda = Agenda()
    }

    func choices(plies: Int, crashes: Int, cuts: Int) -> [Choice] {
        var all: [Choice] = []
        let mayDie = figures.crashes < crashes
        let dooms: [Int?] = mayDie ? [nil, 1, 2, 3] : [nil]
        for (index, link) in links.enumerated() {
            for side in [0, 1] where link.ends[side].head < link.ends[side].arriving.count {
                guard !link.ends[side].isOver else { continue }
                all += dooms.map { .arrival(link: index, side: side, doom: $0) }
            }
            if figures.cuts < cuts, link.ends.allSatisfy({ !$0.isOver && !$0.isClosed }) {
                all.append(.cut(link: index))
            }
        }
        for process in processes where process.isAlive {
            if let owed = process.bot.owed, owed <= plies {
                all += dooms.map { .act(process: process.index, doom: $0) }
            }
            let isIdle = process.dialling.isEmpty && process.ends.isEmpty
            if isIdle, process.seat?.deadline != nil { all.append(.tick(process: process.index)) }
            if mayDie { all.append(.kill(process: process.index)) }
        }
        for (index, dialled) in dialled.enumerated() where canConnect(dialled) {
            all.append(.connect(index))
        }
        for (index, machine) in machines.enumerated() where machine.isStarting {
            all.append(.restart(machine: index))
        }
        return all
    }

    private func canConnect(_ dialled: Dialled) -> Bool {
        let process = processes[dialled.process]
        return process.isAlive && process.dialling.contains(dialled.dial) && !dialled.isTaken
            && machines[1 - process.player].process != nil
    }

    /// Takes a choice; `false` if nothing came of it that another does not bring.
    func take(_ choice: Choice) -> Bool {
        // What is drawn depends on nothing but the processes there are.
        random = SeededGenerator(seed: UInt64(processes.count))
        now += Self.millisecond
        defer { agenda = Agenda() }
        switch choice {
        case .arrival(let link, let side, let doom):
            let process = processes[links[link].ends[side].process]
            let head = links[link].ends[side].head
            links[link].ends[side].arriving[head].time = now
            return doomed(process, doom) {
                arrive(Agenda.Entry(time: now, order: 0, item: .arrival, a: link, b: side))
            }
        case .act(let index, let doom):
            return doomed(processes[index], doom) { act(processes[index]) }
        case .tick(let index):
            let process = processes[index]
            if let due = process.seat?.deadline { now = max(now, due.nanoseconds &- process.ahead) }
            tickSeat(process)
        case .connect(let index):
            dialled[index].isTaken = true
            connect(index)
        case .kill(let index): lose(processes[index], power: false)
        case .restart(let index): restart(index)
        case .cut(let link): cut(link)
        }
        return true
    }

    private func doomed(_ process: Process, _ doom: Int?, _ body: () -> Void) -> Bool {
        process.doom = doom.map { ($0, true) }
        body()
        guard doom != nil else { return true }
        process.doom = nil
        return !process.isAlive
    }

    /// What is missing where nothing is left to do.
    func unfinished(plies: Int) -> String? {
        let living = [0, 1].compactMap { process(of: $0)?.seat?.engine }
        guard living.count == 2, living[0].logs.own == living[1].logs.theirs,
            living[1].logs.own == living[0].logs.theirs, living[0].logs.own.count > 0,
            living.allSatisfy(\.isInCompany), ledger.move(1, UInt32(plies)) != nil
        else { return "nothing is left to happen: \(standing)" }
        return nil
    }

    /// A number for all that what comes depends on.
    var fingerprint: UInt64 {
        var print = Fingerprint()
        print.add(UInt64(figures.crashes) << 8 | UInt64(figures.cuts) << 16)
        for machine in machines {
            for name in machine.disk.names {
                print.add(machine.disk.content(name) ?? [])
                print.add(machine.disk.durableContent(name) ?? [])
            }
            print.add((machine.process == nil ? 0 : 1) | (machine.isStarting ? 2 : 0))
        }
        for process in processes where process.isAlive { print.add(process) }
        for (index, link) in links.enumerated() {
            for end in link.ends where !end.isOver {
                print.add(UInt64(index) << 8 | end.machine.have << 32 | (end.isClosed ? 1 : 0))
                print.add(end.machine.log.first << 16 | UInt64(end.machine.log.count))
                print.add((end.isKnown ? 1 : 0) | (end.isReady ? 2 : 0))
                for (_, segment) in end.arriving[end.head...] {
                    switch segment {
                    case .bytes(let bytes): print.add(bytes)
                    case .end: print.add(1)
                    case .reset: print.add(2)
                    }
                }
            }
        }
        for dialled in dialled where canConnect(dialled) {
            print.add(UInt64(dialled.process) << 32 | UInt64(dialled.dial))
            print.add(dialled.greeting.have << 32 | dialled.greeting.log.last)
        }
        return print.value
    }
}

/// Mixes whatever it is given into one number.
private struct Fingerprint {
    private(set) var value: UInt64 = 0x1234_5678

    mutating func add(_ number: UInt64) {
        value = (value ^ number) &* 0x9e37_79b9_7f4a_7c15
        value ^= value >> 29
    }

    mutating func add(_ bytes: [UInt8]) {
        add(UInt64(bytes.count))
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }

    mutating func add(_ process: Process) {
        add(UInt64(process.index) << 8 | UInt64(process.bot.owed ?? 0))
        add(Array(process.bot.position.board.utf8))
        guard let seat = process.seat else { return add(0) }
        add(seat.engine.logs.own.count << 32 | seat.engine.logs.theirs.count)
        add(seat.engine.isInCompany ? 1 : 0)
        switch seat.current {
        case .dial(let dial)?: add(UInt64(dial) << 8 | 1)
        case .guest(let guest)?: add(UInt64(guest) << 8 | 2)
        case nil: add(0)
        }
        for dial in process.dialling { add(UInt64(dial)) }
    }
}
