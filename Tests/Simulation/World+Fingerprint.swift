// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What tells states of a searched world apart.
extension World {
    /// A number for all that depends on where the world stands. What is left out makes no
    /// difference, and so much less has to be searched:
    ///
    /// - *Time.* Deadlines are chosen, not waited for: any that is set may pass at any moment at which
    ///   its owner is apart, and no other does. So it counts whether there is one, not when.
    /// - *Words.* Whether it has been told that somebody is apart, or dialled, decides nothing.
    /// - *Names.* Connections are a set: no step goes through more than one of a process, so their
    ///   order, their numbers, and the places of processes and links in the world are only names.
    /// - *Counters.* A process's epoch and its dials are only compared with other epochs and dials
    ///   of that same process, by their distance; so they count from where it stands now.
    /// - *What is gone.* Whatever is on its way to nobody; and of a process that is gone only what
    ///   can still be compared: hellos that are on their way.
    ///
    /// The ledger follows from the journals as long as no disk loses anything, which here none does.
    var fingerprint: UInt64 {
        var print = Fingerprint()
        print.add(UInt64(figures.crashes) << 8 | UInt64(figures.cuts) << 16)
        for machine in machines { add(machine, to: &print) }
        for process in processes where process.isAlive { add(process, to: &print) }
        var links: UInt64 = 0
        for link in self.links where !link.ends[0].isOver || !link.ends[1].isOver {
            var print = Fingerprint()
            for side in [0, 1] where !link.ends[side].isOver { add(link, side, to: &print) }
            links &+= print.value
        }
        print.add(links)
        return print.value
    }

    private func add(_ machine: Machine, to print: inout Fingerprint) {
        print.add(
            machine.starts << 2 | (machine.process == nil ? 0 : 1) | (machine.isStarting ? 2 : 0))
        for name in machine.disk.names {
            let content = machine.disk.content(name)
            print.add(content ?? [])
            if machine.disk.durableContent(name) != content {
                print.add(machine.disk.durableContent(name) ?? [])
            }
        }
        print.add(UInt64(ledger.wishes[machine.player].count { !$0.isMade }))
    }

    private func add(_ process: Process, to print: inout Fingerprint) {
        print.add(UInt64(process.bot.owed ?? 0))
        print.add(Array(process.bot.position.board.utf8))
        guard let seat = process.seat, let reunion = seat.reunion else { return print.add(0) }
        print.add(seat.engine)
        print.add((seat.current == nil ? 0 : 1) | (seat.deadline == nil ? 0 : 2))
        if let current = reunion.current {
            print.add(current.byLarger ? 3 : 2)
            let peer = current.peer.instance
            print.add(age(of: peer))
            if let other = self.reunion(of: peer) {
                print.add(UInt64(other.epoch &- current.peer.epoch))
            }
            if case .dial = current.connection {
                print.add(UInt64(reunion.nextDial &- current.number))
            } else if let other = self.reunion(of: peer) {
                print.add(UInt64(other.nextDial &- current.number))
            }
        }
        for dial in reunion.dials {
            print.add(UInt64(reunion.nextDial &- dial))
            print.add(Int16(bitPattern: dial &- reunion.firstDial) < 0 ? 1 : 0)
            print.add(seat.taken[dial]?.last ?? 0)
            print.add(seat.taken[dial]?.have ?? 0)
            print.add(process.dialling.contains(dial) ? 1 : 0)
        }
        for dialled in dialled where dialled.process == process.index && isUnderWay(dialled) {
            print.add(UInt64(reunion.nextDial &- dialled.dial))
            print.add(dialled.greeting.have << 32 | dialled.greeting.log.last)
            print.add(UInt64(reunion.epoch &- dialled.greeting.detail.epoch))
        }
    }

    /// How many processes of the player have started since.
    private func age(of instance: InstanceID) -> UInt64 {
        machines[Int(instance.value & 1)].starts - instance.value >> 1
    }

    /// Where a process stands, if it is not gone.
    private func reunion(of instance: InstanceID) -> Reunion? {
        let machine = machines[Int(instance.value & 1)]
        guard machine.number == instance.value, let process = machine.process else { return nil }
        return processes[process].seat?.reunion
    }

    private func add(_ link: Link, _ side: Int, to print: inout Fingerprint) {
        let end = link.ends[side]
        let seat = processes[end.process].seat
        print.add(
            (end.isKnown ? 1 : 0) | (end.isReady ? 2 : 0) | (end.isClosed ? 4 : 0)
                | (end.isBroken ? 8 : 0) | (link.isFirst ? 16 : 0) | (side == 0 ? 32 : 0)
                | (seat?.current == end.connection ? 64 : 0)
                | (seat?.reunion?.current?.connection == end.connection ? 128 : 0))
        print.add(UInt64(processes[end.process].player))
        if case .dial(let dial) = end.connection {
            print.add(UInt64((seat?.reunion?.nextDial ?? 0) &- dial))
        }
        print.add(end.machine)
        let current = seat?.reunion?.current
        for (_, segment) in end.arriving[end.head...] {
            switch segment {
            case .bytes(let bytes):
                print.add(10)
                for frame in Frames(bytes) { add(frame, beside: current, to: &print) }
            case .end: print.add(11)
            case .reset: print.add(12)
            }
        }
        print.add(13)
    }

    private func add(
        _ frame: ArraySlice<UInt8>, beside current: Reunion.Current?, to print: inout Fingerprint
    ) {
        // What follows a frame as a part of it has no meaning.
        let bytes = Array(
            frame.dropFirst(4).prefix(frame.prefix(4).reduce(0) { $0 << 8 | Int($1) }))
        guard let kind = bytes.first else { return }
        guard kind == FrameKind.hello.rawValue || kind == FrameKind.welcome.rawValue else {
            return print.add(bytes)
        }
        switch try? SessionMessage(frame: bytes.span) {
        case .hello(let hello)?, .welcome(let hello)?:
            print.add(UInt64(kind) << 8 | (hello.token == nil ? 0 : 1))
            print.add(hello.have)
            print.add(hello.hash ?? [])
            print.add(age(of: hello.instance))
            guard let detail = MatchDetail(hello.detail) else { return }
            if let reunion = reunion(of: hello.instance) {
                print.add(UInt64(reunion.epoch &- detail.epoch))
                if kind == FrameKind.hello.rawValue {
                    print.add(UInt64(reunion.nextDial &- detail.number))
                }
            } else if let current, current.peer.instance == hello.instance {
                print.add(UInt64(detail.epoch &- current.peer.epoch))
                print.add(UInt64(detail.number &- current.number))
            } else {
                print.add(UInt64(detail.epoch) << 16 | UInt64(detail.number))
            }
        default: print.add(bytes)
        }
    }
}

/// Mixes whatever it is given into one number.
private struct Fingerprint {
    private(set) var value: UInt64 = 0x1234_5678

    mutating func add(_ number: UInt64) {
        value = (value ^ number) &* 0x9e37_79b9_7f4a_7c15
        value ^= value >> 32
    }

    mutating func add(_ bytes: [UInt8]) {
        add(UInt64(bytes.count))
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset + 8 <= raw.count {
                add(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < raw.count {
                add(UInt64(raw[offset]))
                offset += 1
            }
        }
    }

    /// What does not follow from the journal.
    mutating func add(_ engine: MatchEngine<Position>) {
        add((engine.isInCompany ? 1 : 0) | (engine.isOver ? 2 : 0))
        add(engine.logs.own.count << 32 | engine.logs.theirs.count)
        guard let awaited = engine.awaited else { return }
        add(awaited.confirmed)
        add(UInt64(awaited.untold) << 32 | UInt64(awaited.arrived))
    }

    /// Its output is sent and its events are taken in the step in which there are any.
    mutating func add(_ machine: SessionMachine) {
        add((machine.isOpen ? 1 : 0) | (machine.end == nil ? 0 : 2) | (machine.hasOutput ? 4 : 0))
        add(machine.log.first << 32 | UInt64(machine.log.count))
        add(machine.have << 32 | machine.received)
        add(machine.said << 32 | UInt64(machine.sentCount))
    }
}
