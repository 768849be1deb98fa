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

    /// Brings two players together who have no match yet.
    func meet() {
        guard match == nil || isBeginningAnew, links.allSatisfy({ !$0.isFirst || isOver($0) }),
            let joiner = process(of: 0), let host = process(of: 1),
            joiner.seat == nil, host.seat == nil
        else { return }
        seats = [nil, nil]
        match = nil
        let guest = host.nextGuest
        host.nextGuest += 1
        connect(joiner, .dial(0), hello(joiner, nil), OutgoingLog(), to: host, guest, true)
    }

    /// Whether the match that was agreed has left nothing behind.
    var isBeginningAnew: Bool {
        guard let match else { return true }
        return Seat.allCases.allSatisfy { seat in
            let file = JournalName(match: match, seat: seat).file
            return machines.allSatisfy { $0.disk.content(file) == nil }
        }
    }

    private func isOver(_ link: Link) -> Bool { link.ends.allSatisfy(\.isOver) }

    private func hello(_ process: Process, _ greeting: MatchSeat<Position>.Greeting?) -> Hello {
        var hello = Hello(
            application: "tictactoe", applicationVersions: VersionRange(1, 1),
            name: names[process.player], instance: process.instance, largestFrame: plan.frame)
        hello.token = greeting?.token
        hello.have = greeting?.have ?? 0
        hello.hash = greeting?.hash
        hello.detail = (greeting?.detail ?? MatchDetail(port: 1)).bytes
        return hello
    }

    /// Begins to dial.
    func dial(
        _ process: Process, _ dial: MatchSeat<Position>.Dial,
        _ greeting: MatchSeat<Position>.Greeting
    ) {
        process.dialling.append(dial)
        dialled.append(
            Dialled(process: process.index, dial: dial, greeting: greeting, since: now))
        agenda.add(.connect, at: now + 3 * latency, dialled.count - 1)
    }

    /// A dial gets through, or does not.
    func connect(_ index: Int) {
        let dialled = dialled[index]
        let process = processes[dialled.process]
        guard process.isAlive, process.dialling.contains(dialled.dial) else { return }
        let others = machines.filter { $0.player != process.player }
        guard !walls[0], !walls[1], others.contains(where: \.isOn) else {
            if walls[0] || walls[1] { count(.dialIntoPartition) }
            if now > dialled.since + 4_000 * Self.millisecond {
                return failed(process, dialled.dial, nil)
            }
            return agenda.add(.connect, at: now + 500 * Self.millisecond, index)
        }
        let there = others.compactMap { machine in
            machine.process.map { processes[$0] }.flatMap { $0.isAlive ? $0 : nil }
        }
        guard let other = pick(there) else { return failed(process, dialled.dial, nil) }
        let guest = other.nextGuest
        other.nextGuest += 1
        connect(
            process, .dial(dialled.dial), hello(process, dialled.greeting), dialled.greeting.log,
            to: other, guest, false)
    }

    private func connect(
        _ process: Process, _ connection: MatchSeat<Position>.Connection, _ hello: Hello,
        _ log: OutgoingLog, to other: Process, _ guest: Int, _ isFirst: Bool
    ) {
        figures.connections += 1
        let bytes = random.bytes(24)
        let link = Link(
            Link.End(
                machine: SessionMachine(
                    role: .initiator, hello: hello, limits: plan.limits, acknowledgement: .explicit,
                    log: log, random: bytes, now: process.clock(now)),
                process: process.index, connection: connection),
            Link.End(
                machine: SessionMachine(
                    role: .responder, hello: self.hello(other, nil), limits: plan.limits,
                    acknowledgement: .explicit, random: bytes, now: other.clock(now)),
                process: other.index, connection: .guest(guest)),
            isFirst: isFirst,
            fuse: isCalm && plan.affliction == .cuts ? 3_000 + Int(random.next() % 20_000) : nil)
        links.append(link)
        process.ends.append((links.count - 1, 0))
        other.ends.append((links.count - 1, 1))
        note("link \(links.count - 1): \(process.index) to \(other.index)")
        settle(process)
        settle(other)
    }

    private func failed(
        _ process: Process, _ dial: MatchSeat<Position>.Dial, _ refusal: Refusal?
    ) {
        process.dialling.removeAll { $0 == dial }
        let effects = process.seat?.failed(
            dial, refusal: refusal, publicKey: cryptography[1 - process.player].publicKey,
            now: process.clock(now))
        perform(effects ?? [], process)
        settle(process)
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
        let end = links[link].ends[side]
        if !end.isClosed { add(.end, link, to: 1 - side) }
        links[link].ends[side].isClosed = true
        links[link].ends[side].isOver = true
        processes[end.process].ends.removeAll { $0 == (link, side) }
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

    // MARK: Trouble

    /// Something waits until the wall is gone; the system gives up after a while.
    private func stall(_ link: Int, _ side: Int) {
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
        let end = links[link].ends[side]
        let process = processes[end.process]
        guard process.isAlive, !end.isOver else { return }
        let other = links[link].ends[1 - side]
        let isDead =
            walls[0] || walls[1] || !machines[processes[other.process].machine].isOn
            || other.isOver
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
