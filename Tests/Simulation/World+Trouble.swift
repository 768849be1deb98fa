// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What goes wrong with connections.
extension World {
    /// Something waits until the wall is gone; the system gives up after a while.
    func stall(_ link: Int, _ side: Int) {
        let head = links[link].ends[side].head
        links[link].ends[side].arriving[head].time = .max
        stalled.append((link, side))
        guard !plan.has(.patientSystem) else { return }
        agenda.add(.giveUp, at: now + 6_000 * Self.millisecond, link, 1 - side)
    }

    /// What waits goes on, in any order.
    func release() {
        for (link, side) in stalled { retime(link, side, within: 800) }
        stalled = []
    }

    /// What is under way to one side arrives at other times.
    func retime(_ link: Int, _ side: Int, within span: UInt64) {
        var time = within(span)
        for index in links[link].ends[side].arriving.indices.dropFirst(links[link].ends[side].head)
        {
            links[link].ends[side].arriving[index].time = time
            agenda.add(.arrival, at: time, link, side)
            time += random.next() % Self.millisecond
        }
    }

    /// The system of one side finds the connection dead, if it is.
    func giveUp(_ link: Int, _ side: Int) {
        let ends = links[link].ends
        let process = processes[ends[side].process]
        guard process.isAlive, !ends[side].isOver else { return }
        let other = ends[1 - side].process
        let isDead =
            walls[0] || walls[1] || !machines[processes[other].machine].isOn
            || ends[1 - side].isOver
        guard isDead else { return }
        links[link].ends[side].isClosed = true
        links[link].ends[side].machine.failed(writing: "timed out")
        settle(process)
    }

    /// The systems on both sides look whether the other is there.
    func watch(_ link: Int, _ sides: [Int] = [0, 1]) {
        guard !plan.has(.patientSystem) else { return }
        for side in sides {
            agenda.add(.giveUp, at: now + 11_000 * Self.millisecond, link, side)
        }
    }

    /// Cuts a connection: something of what is under way may yet arrive.
    func cut(_ link: Int, sides: [Int] = [0, 1]) {
        figures.cuts += 1
        note("link \(link) is cut")
        for side in sides {
            truncate(link, side)
            add(chance(1, in: 2) ? .reset : .end, link, to: side)
        }
        for side in [0, 1] where sides.count == 2 { links[link].ends[side].isClosed = true }
    }

    /// Takes off an end of what is under way, at any byte.
    func truncate(_ link: Int, _ side: Int) {
        let end = links[link].ends[side]
        let waiting = end.arriving.count - end.head
        guard waiting > 0 else { return }
        let kept = end.head + Int(random.next() % UInt64(waiting + 1))
        guard kept < end.arriving.count else { return }
        let cut = links[link].ends[side].arriving[kept]
        links[link].ends[side].arriving.removeSubrange(kept...)
        guard case .bytes(let bytes) = cut.segment, !bytes.isEmpty else { return }
        let part = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))
        if !part.isEmpty { links[link].ends[side].arriving.append((cut.time, .bytes(part))) }
    }
}
