// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What goes wrong, and how it ends.
extension World {
    /// Something goes wrong, and the next thing is planned.
    func strike() {
        guard !isCalm else { return }
        let isBegun = processes.contains { $0.isAlive && $0.bot.game > 0 }
        if isBegun || plan.has(.early) || now > 20_000 * Self.millisecond {
            strikes += 1
            let sudden = Fault.sudden.filter(plan.has)
            if let fault = pick(sudden) {
                note("fault: \(fault)")
                mix(UInt64(fault.rawValue.utf8.count) << 32 | 77)
                strike(fault)
            }
        }
        if strikes < plan.strikes, now < 120_000 * Self.millisecond {
            agenda.add(.fault, at: within(2 * pause))
        } else {
            agenda.add(.calm, at: within(chance(1, in: 4) ? 60_000 : 2_000))
        }
    }

    private var pause: UInt64 {
        let step = plan.thinking + plan.latency + 1
        return [step / 4 + 1, step, 3 * step, plan.pause][Int(random.next() % 4)]
    }

    private func strike(_ fault: Fault) {
        switch fault {
        case .cut: pickLink().map { cut($0) }
        case .halfCut: pickLink().map { cut($0, sides: [Int(random.next() % 2)]) }
        case .partition: wall([true, true])
        case .oneWay: wall(chance(1, in: 2) ? [true, false] : [false, true])
        case .clog: for link in links.indices.suffix(6) { clog(link) }
        case .loss: pickLink().map { retime($0, Int(random.next() % 2), within: 3_000) }
        case .kill: pickProcess().map { lose($0, power: false) }
        case .power: pickProcess().map { lose($0, power: true) }
        case .killInside, .powerInside:
            pickProcess()?.doom = (Int(random.next() % 10), fault == .powerInside)
        case .torn, .disk, .full: strikeDisk(fault)
        case .restore: restore()
        case .twin: twin()
        case .rot: rot()
        case .suspend: pickProcess().map(suspend)
        case .step: pickProcess().map(step)
        case .quit: pickProcess().map(quit)
        case .second: second()
        case .early, .drip, .shortWrites, .smallWindow, .smallFrames, .earlyTimers, .slow,
            .patientSystem, .eagerWrites:
            break
        }
    }

    private func pickLink() -> Int? {
        pick(links.indices.suffix(8).filter { !links[$0].ends.allSatisfy(\.isOver) })
    }

    private func pickProcess() -> Process? { pick(processes.suffix(4).filter(\.isAlive)) }

    private func wall(_ walls: [Bool]) {
        self.walls = walls
        for link in links.indices.suffix(8) { watch(link) }
        agenda.add(.heal, at: within([300, 8_000, 40_000][Int(random.next() % 3)]))
    }

    /// Whatever was walled off is open again.
    func heal() {
        guard !isCalm || plan.affliction != .partition && plan.affliction != .oneWay else { return }
        note("the network heals")
        walls = [false, false]
        release()
    }

    private func clog(_ link: Int) {
        for side in [0, 1] { retime(link, side, within: 2_000) }
    }

    private func strikeDisk(_ fault: Fault) {
        guard let process = pickProcess() else { return }
        let disk = machines[process.machine].disk
        let operation = disk.operations.count + Int(random.next() % 8)
        switch fault {
        case .torn: disk.faults[operation] = .crash
        case .full: disk.faults[operation] = .fail(.full)
        default: disk.faults[operation] = .fail(.failed)
        }
        // So that also the opening of the journal is struck.
        if chance(1, in: 4) {
            lose(process, power: false)
            disk.faults[disk.operations.count + Int(random.next() % 12)] =
                fault == .torn ? .crash : .fail(.failed)
        }
    }

    private func restore() {
        guard let process = pickProcess(), process.name != nil else { return }
        let machine = machines[process.machine]
        if machine.backup == nil {
            machine.backup = machine.disk.snapshot
        } else {
            machine.restores = true
            lose(process, power: false)
        }
    }

    private func twin() {
        guard let process = pickProcess(), process.name != nil else { return }
        if machines.count == 2 {
            let twin = Machine(player: process.player, seed: random.next())
            twin.disk.snapshot = machines[process.machine].disk.snapshot
            twin.durable = machines[process.machine].durable
            machines[process.machine].hasLost = true
            twin.hasLost = true
            machines.append(twin)
            restartLater(twin)
        } else if machines[2].process == nil, !machines[2].isStarting {
            restartLater(machines[2])
        }
    }

    private func rot() {
        guard let process = pickProcess(), let name = process.name else { return }
        let machine = machines[process.machine]
        lose(process, power: false)
        guard var bytes = machine.disk.content(name.file), !bytes.isEmpty else { return }
        let at = Int(random.next() % UInt64(bytes.count))
        bytes[at] ^= 1 << UInt8(random.next() % 7)
        machine.disk.put(bytes, as: name.file)
        machine.hasLost = true
        machine.durable = PerSeat(both: 0)
        if chance(1, in: 2) {
            machine.disk.faults[machine.disk.operations.count + Int(random.next() % 14)] = .crash
        }
    }

    private func suspend(_ process: Process) {
        let span = within([500, 12_000, 60_000][Int(random.next() % 3)]) - now
        if span > 10_000 * Self.millisecond { count(.longSuspension) }
        process.frozenUntil = now + span
        // Its clock stands still, or goes on.
        guard chance(1, in: 2) else { return }
        process.ahead -= span
        process.alarm = .max
        for (link, side) in process.ends { links[link].ends[side].alarm = .max }
        agenda.add(.bot, at: process.frozenUntil, process.index)
        plan(process)
    }

    private func step(_ process: Process) {
        process.ahead += within([2_000, 100_000, 300_000_000][Int(random.next() % 3)]) - now
        plan(process)
    }

    private func quit(_ process: Process) {
        guard process.name != nil else { return }
        end(process, .quit)
        count(.leftAndCameBack)
    }

    private func second() {
        guard let process = pickProcess(), let name = process.name else { return }
        let disk = machines[process.machine].disk
        do throws(JournalError) {
            _ = try Journal.open(
                name, in: disk, rules: [Position.self],
                publicKey: cryptography[process.player].publicKey,
                cryptography: cryptography[process.player])
            fail("two processes have one journal")
        } catch {
            if case .inUse = error { count(.journalInUse) }
            // A fault that was meant for the first process struck the second.
            if disk.isOff { lose(process, power: true) }
        }
    }

    // MARK: Calm

    /// From here on nothing goes wrong but what always will; so the match must come to its end.
    func calm() {
        if isCalm {
            pickProcess().map { lose($0, power: false) }
            return agenda.add(.calm, at: now + 4_000 * Self.millisecond + within(4_000) - now)
        }
        isCalm = true
        calmAt = now
        note("calm; what stays wrong: \(plan.affliction?.rawValue ?? "nothing")")
        if plan.affliction != nil { figures.afflicted += 1 }
        walls = [false, false]
        release()
        if machines.count == 3 { retireOne() }
        for machine in machines {
            machine.disk.faults = [:]
            if machine.process == nil {
                // Sooner than was planned.
                machine.isStarting = false
                restartLater(machine)
            }
        }
        for process in processes where process.isAlive {
            process.doom = nil
            process.frozenUntil = min(process.frozenUntil, now + 100 * Self.millisecond)
            if process.frozenUntil > now {
                agenda.add(.bot, at: process.frozenUntil, process.index)
            }
            wake(process)
        }
        afflict()
    }

    private func afflict() {
        switch plan.affliction {
        case .partition: walls = [true, true]
        case .oneWay: walls = chance(1, in: 2) ? [true, false] : [false, true]
        case .disk: machines[Int(random.next() % 2)].disk.refusal = .failed
        case .gone:
            let machine = machines[Int(random.next() % 2)]
            machine.isRetired = true
            machine.process.map { lose(processes[$0], power: true) }
        case .kills: agenda.add(.calm, at: within(8_000))
        case .cuts:
            for link in links { link.fuse = 3_000 + Int(random.next() % 20_000) }
        case .slow, nil: break
        }
        for link in links.indices.suffix(8) where walls[0] || walls[1] { watch(link) }
    }

    /// Of two machines with one key only one goes on.
    private func retireOne() {
        let player = machines[2].player
        let index = chance(1, in: 2) ? 2 : player
        machines[index].isRetired = true
        machines[index].process.map { lose(processes[$0], power: false) }
    }
}
