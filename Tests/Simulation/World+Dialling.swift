// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// How connections are made.
extension World {
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
}
