// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What can happen next in a searched world.
extension World {
    /// One of the things that can.
    struct Choice: Equatable {
        enum Kind: UInt8 {
            /// What is next on its way arrives: link, side.
            case arrival
            /// All that is on its way is lost, and its end arrives: link, side.
            case overtaking
            /// The player moves: process.
            case act
            /// A deadline passes: process.
            case tick
            /// A dial gets through: dialling.
            case connect
            /// A process is killed: process.
            case kill
            /// A machine starts a process again: machine.
            case restart
            /// A connection breaks: link.
            case cut
        }

        var kind: Kind
        /// After so many effects of it the process is killed; 0 if it is not.
        var effects: UInt8 = 0
        var a: UInt16
        var b: UInt8 = 0

        init(_ kind: Kind, _ a: Int, _ b: Int = 0, effects: UInt8 = 0) {
            self.kind = kind
            self.effects = effects
            // cannot trap: there are few of each.
            self.a = UInt16(a)
            self.b = UInt8(b)
        }
    }

    /// A world in which a match has just begun.
    convenience init(searching tell: ((String) -> Void)? = nil) {
        self.init(searched: tell)
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

    /// All that can happen next. A process that dies on the way is tried with one effect, and with
    /// one more as long as it does die.
    func choices(within limits: Search) -> [Choice] {
        var all: [Choice] = []
        let mayDie = figures.crashes < limits.crashes
        for (index, link) in links.enumerated() {
            for side in [0, 1] where !link.ends[side].isOver && link.ends[side].hasArriving {
                if link.ends[side].isOvertakable { all.append(Choice(.overtaking, index, side)) }
                all.append(Choice(.arrival, index, side))
                if mayDie { all.append(Choice(.arrival, index, side, effects: 1)) }
            }
            if figures.cuts < limits.cuts, link.ends.allSatisfy({ !$0.isOver && !$0.isClosed }) {
                all.append(Choice(.cut, index))
            }
        }
        for process in processes where process.isAlive {
            if let owed = process.bot.owed, owed <= limits.plies {
                all.append(Choice(.act, process.index))
                if mayDie { all.append(Choice(.act, process.index, effects: 1)) }
            }
            if mayTick(process) { all.append(Choice(.tick, process.index)) }
            if mayDie { all.append(Choice(.kill, process.index)) }
        }
        for (index, dialled) in dialled.enumerated()
        where isUnderWay(dialled) && machines[1 - processes[dialled.process].player].process != nil
        {
            all.append(Choice(.connect, index))
        }
        for (index, machine) in machines.enumerated() where machine.isStarting {
            all.append(Choice(.restart, index))
        }
        return all
    }

    /// Who is apart dials, but not twice at once: a second dial says what the first one does.
    private func mayTick(_ process: Process) -> Bool {
        guard let seat = process.seat, seat.current == nil, seat.deadline != nil else {
            return false
        }
        return process.dialling.isEmpty
    }

    /// Whether a dial may still get through.
    func isUnderWay(_ dialled: Dialled) -> Bool {
        let process = processes[dialled.process]
        return process.isAlive && process.dialling.contains(dialled.dial) && !dialled.isTaken
    }

    /// Takes a choice; `false` if the process has not died before the effects were all done.
    func take(_ choice: Choice) -> Bool {
        let index = Int(choice.a)
        // What is drawn decides nothing, and is the same for states that are.
        random = SeededGenerator(seed: 1)
        now += Self.millisecond
        defer { agenda = Agenda() }
        switch choice.kind {
        case .arrival:
            let process = processes[links[index].ends[Int(choice.b)].process]
            return doomed(process, choice.effects) { arrive(index, Int(choice.b)) }
        case .overtaking:
            links[index].ends[Int(choice.b)].head =
                links[index].ends[Int(choice.b)].arriving.count - 1
            arrive(index, Int(choice.b))
        case .act: return doomed(processes[index], choice.effects) { act(processes[index]) }
        case .tick:
            let process = processes[index]
            // Until it dials; before that it may only have said that it is apart.
            while process.dialling.isEmpty, let due = process.seat?.deadline {
                now = max(now, due.nanoseconds &- process.ahead)
                tickSeat(process)
            }
        case .connect:
            dialled[index].isTaken = true
            connect(index)
        case .kill: lose(processes[index], power: false)
        case .restart: restart(index)
        case .cut:
            figures.cuts += 1
            note("link \(index) is cut")
            for side in [0, 1] {
                breakOff(index, side)
                links[index].ends[side].isClosed = true
            }
        }
        return true
    }

    private func arrive(_ link: Int, _ side: Int) {
        links[link].ends[side].arriving[links[link].ends[side].head].time = now
        arrive(Agenda.Entry(time: now, order: 0, item: .arrival, a: link, b: side))
    }

    private func doomed(_ process: Process, _ effects: UInt8, _ body: () -> Void) -> Bool {
        if effects == 0 {
            body()
            return true
        }
        process.doom = (Int(effects), false)
        body()
        process.doom = nil
        return !process.isAlive && process.ending == nil
    }

    /// Nothing more gets to a side of a connection but what is on its way, frame by frame, and of
    /// that perhaps not all.
    func breakOff(_ link: Int, _ side: Int) {
        let end = links[link].ends[side]
        guard !end.isOver, !end.isBroken else { return }
        var arriving: [(time: UInt64, segment: Link.Segment)] = []
        for (time, segment) in end.arriving[end.head...] {
            guard case .bytes(let bytes) = segment else { continue }
            arriving += Frames(bytes).map { (time, .bytes(Array($0))) }
        }
        links[link].ends[side].arriving = arriving + [(now, .reset)]
        links[link].ends[side].head = 0
        links[link].ends[side].isBroken = true
    }

    /// What is missing where a game of so many plies ought to be played.
    func unfinished(plies: UInt32) -> String? {
        let living = [0, 1].compactMap { process(of: $0)?.seat?.engine }
        guard living.count == 2, living[0].logs.own == living[1].logs.theirs,
            living[1].logs.own == living[0].logs.theirs, living[0].logs.own.count > 0,
            living.allSatisfy(\.isInCompany), !ledger.moves(1, plies).isEmpty
        else { return "nothing is left to happen: \(standing)" }
        return nil
    }
}

extension Link.End {
    fileprivate var hasArriving: Bool { head < arriving.count }

    fileprivate var isOvertakable: Bool { isBroken && head < arriving.count - 1 }
}

/// The frames of a stream that ends with one; what has no meaning is part of the one before it.
struct Frames: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let start = rest
        repeat {
            rest = rest.dropFirst(4 + rest.prefix(4).reduce(0) { $0 << 8 | Int($1) })
        } while rest.dropFirst(4).first.map { $0 >= 0xf0 } ?? false
        return start.prefix(rest.startIndex - start.startIndex)
    }
}
