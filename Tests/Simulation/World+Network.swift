// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// Connections as TCP makes them: in order and whole, or cut.
extension World {
    /// How long bytes take now.
    var latency: UInt64 {
        var longest = isCalm ? min(plan.latency, 40) : plan.latency
        if isCalm, plan.affliction == .slow { longest = 900 }
        return 100_000 + random.next() % (longest * Self.millisecond)
    }

    // MARK: Bytes

    /// Sends what a session wants to send; closes the stream after its end.
    func flush(_ link: Int, _ side: Int) {
        let links = links[link]
        guard !links.ends[side].isOver else { return }
        if links.ends[side].isClosed {
            _ = links.ends[side].machine.nextOutput()
        } else if plan.has(.shortWrites), links.ends[side].machine.hasOutput {
            guard !links.ends[side].writesLater else { return }
            var bytes: [UInt8] = []
            let most = 1 + Int(random.next() % 300)
            links.ends[side].machine.withPendingOutput { (all: UnsafeRawBufferPointer) -> Int in
                bytes = [UInt8](all.prefix(most))
                return bytes.count
            }
            send(bytes, link, from: side)
            if links.ends[side].machine.hasOutput {
                links.ends[side].writesLater = true
                return agenda.add(.write, at: within(3), link, side)
            }
        } else if let bytes = links.ends[side].machine.nextOutput() {
            send(bytes, link, from: side)
        }
        if links.ends[side].machine.end != nil, !links.ends[side].machine.hasEvents {
            close(link, side)
        }
    }

    /// Closes the stream of one side in good order.
    func close(_ link: Int, _ side: Int) {
        if !links[link].ends[side].isClosed { add(.end, link, to: 1 - side) }
        links[link].ends[side].isClosed = true
        links[link].ends[side].isOver = true
        processes[links[link].ends[side].process].ends.removeAll { $0 == (link, side) }
    }

    private func send(_ bytes: [UInt8], _ link: Int, from side: Int) {
        var bytes = bytes
        if let fuse = links[link].fuse {
            links[link].fuse = fuse - bytes.count
            if fuse <= bytes.count {
                bytes = Array(bytes.prefix(max(fuse, 0)))
                if !bytes.isEmpty { add(.bytes(bytes), link, to: 1 - side) }
                return cut(link)
            }
        }
        add(.bytes(bytes), link, to: 1 - side)
    }

    /// Puts something on its way.
    func add(_ segment: Link.Segment, _ link: Int, to side: Int) {
        let last = links[link].ends[side].arriving.last?.time ?? 0
        let time = max(last, now + latency)
        links[link].ends[side].arriving.append((time, segment))
        if time < .max { agenda.add(.arrival, at: time, link, side) }
    }

    /// Something arrives.
    func arrive(_ entry: Agenda.Entry) {
        let (link, side) = (entry.a, entry.b)
        let links = links[link]
        let head = links.ends[side].head
        guard head < links.ends[side].arriving.count else { return }
        let (time, segment) = links.ends[side].arriving[head]
        guard time <= now else { return }
        let reader = processes[links.ends[side].process]
        if walls[1 - reader.player] { return stall(link, side) }
        if links.ends[side].isOver { return arriveAtNobody(link, side, reader, segment) }
        switch segment {
        case .bytes(let bytes):
            var piece = bytes
            if plan.has(.drip), bytes.count > 1 {
                let part = 1 + Int(random.next() % UInt64(min(bytes.count, 200)))
                if part < bytes.count {
                    piece = Array(bytes.prefix(part))
                    let rest = Array(bytes.dropFirst(part))
                    links.ends[side].arriving[head] = (now, .bytes(rest))
                    agenda.add(.arrival, at: within(2), link, side)
                } else {
                    links.ends[side].head += 1
                }
            } else {
                links.ends[side].head += 1
            }
            mix(UInt64(piece.count) << 8 | UInt64(link & 0xff))
            note("link \(link): \(piece.count) bytes to \(reader.index)")
            links.ends[side].machine.receive(piece.span, at: reader.clock(now))
        case .end:
            links.ends[side].head += 1
            links.ends[side].machine.endOfStream(at: reader.clock(now))
        case .reset:
            links.ends[side].head += 1
            links.ends[side].isClosed = true
            links.ends[side].machine.failed(reading: "reset")
        }
        settle(reader)
    }

    /// Nobody reads there any more: who writes is told so, if there is power.
    private func arriveAtNobody(
        _ link: Int, _ side: Int, _ reader: Process, _ segment: Link.Segment
    ) {
        links[link].ends[side].head += 1
        guard case .bytes = segment, machines[reader.machine].isOn else { return }
        guard !links[link].ends[1 - side].isOver else { return }
        add(.reset, link, to: 1 - side)
    }

    // MARK: Time

    /// A session's deadline has come.
    func tickSession(_ link: Int, _ side: Int) {
        let process = processes[links[link].ends[side].process]
        links[link].ends[side].alarm = .max
        guard process.isAlive, !links[link].ends[side].isOver else { return }
        links[link].ends[side].machine.tick(at: process.clock(now))
        settle(process)
    }

    /// Plans the deadlines of a process.
    func plan(_ process: Process) {
        guard process.isAlive else { return }
        if let due = process.seat?.deadline, due.nanoseconds < .max {
            let time = max(due.nanoseconds &- process.ahead, now)
            // A deadline long past looks like one far ahead.
            let moment = due <= process.clock(now) ? now : time
            if moment < process.alarm || process.alarm < now {
                process.alarm = moment
                agenda.add(.seat, at: moment, process.index)
            }
        }
        for (link, side) in process.ends {
            guard let due = links[link].ends[side].machine.deadline else { continue }
            let moment = due <= process.clock(now) ? now : due.nanoseconds &- process.ahead
            let alarm = links[link].ends[side].alarm
            if moment < alarm || alarm < now {
                links[link].ends[side].alarm = moment
                agenda.add(.session, at: moment, link, side)
            }
        }
    }
}
