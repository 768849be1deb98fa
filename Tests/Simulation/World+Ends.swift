// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// How processes end, and start again.
extension World {
    /// The process is no more, without a word of its own.
    func lose(_ process: Process, power: Bool) {
        guard process.isAlive else { return }
        let machine = machines[process.machine]
        figures.crashes += 1
        note("process \(process.index) \(power ? "loses its power" : "is killed")")
        process.isAlive = false
        process.seat = nil
        process.keep(nil)
        machine.process = nil
        if power {
            machine.isOn = false
            machine.disk.losePower(pick(SimulatedDiskMercy.all) ?? .none)
        } else {
            machine.disk.kill()
        }
        for (link, side) in process.ends {
            links[link].ends[side].isOver = true
            if isSearched {
                breakOff(link, 1 - side)
            } else if power {
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
        process.keep(nil)
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

    func count(_ reason: SessionEnd) {
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
