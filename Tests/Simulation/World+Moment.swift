// SPDX-License-Identifier: MIT

import MatchProtocol
import TestSupport

/// A world can be gone on from in several ways.
extension World {
    /// All of a searched world that changes. Whoever takes a world back to a moment may do so again.
    struct Moment {
        fileprivate var now: UInt64
        fileprivate var processes: [Process]
        fileprivate var links: [Link]
        fileprivate var dialled: [Dialled]
        fileprivate var ledger: Ledger
        fileprivate var texts: [Int]
        fileprivate var figures: Figures
        fileprivate var machines: [OneMachine]
    }

    fileprivate struct OneMachine {
        var disk: SimulatedDisk.Moment
        var process: Int?
        var isOn: Bool
        var isStarting: Bool
        var starts: UInt64
        var durable: PerSeat<UInt64>
    }

    /// The world as it is, to go on from.
    var moment: Moment {
        Moment(
            now: now, processes: Self.copies(processes), links: Self.copies(links),
            dialled: dialled, ledger: ledger, texts: texts, figures: figures,
            machines: machines.map {
                OneMachine(
                    disk: $0.disk.moment, process: $0.process, isOn: $0.isOn,
                    isStarting: $0.isStarting, starts: $0.starts, durable: $0.durable)
            })
    }

    /// Makes the world what it was.
    func go(to moment: Moment) {
        now = moment.now
        processes = Self.copies(moment.processes)
        links = Self.copies(moment.links)
        (dialled, ledger) = (moment.dialled, moment.ledger)
        (texts, figures) = (moment.texts, moment.figures)
        for (machine, one) in zip(machines, moment.machines) {
            machine.disk.moment = one.disk
            machine.process = one.process
            (machine.isOn, machine.isStarting) = (one.isOn, one.isStarting)
            (machine.starts, machine.durable) = (one.starts, one.durable)
        }
        violation = nil
    }

    /// Those that are gone do not change any more.
    private static func copies(_ processes: [Process]) -> [Process] {
        processes.map { $0.isAlive ? $0.copy : $0 }
    }

    private static func copies(_ links: [Link]) -> [Link] {
        links.map { $0.ends[0].isOver && $0.ends[1].isOver ? $0 : $0.copy }
    }
}
