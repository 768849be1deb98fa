// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@Suite struct SessionResumeTests {
    /// Joins what two ended machines have kept, over a new connection.
    private static func resumed(_ old: Pair, swappingRoles: Bool = false) -> Pair {
        let dialler: Role = swappingRoles ? .responder : .initiator
        let kept = (dialler: old[dialler], other: old[swappingRoles ? .initiator : .responder])
        var hello = Hello.test(.initiator)
        hello.token = kept.dialler.token
        hello.have = kept.dialler.have
        let initiator = SessionMachine(
            role: .initiator, hello: hello, log: kept.dialler.log, random: [], now: old.now)
        let responder = SessionMachine(
            role: .responder, hello: .test(.responder), random: [], now: old.now)
        var pair = Pair(initiator, responder, at: old.now)
        pair.accepts = false
        pair.takes = old.takes
        pair.settle()
        pair.responder.accept(have: kept.other.have, log: kept.other.log)
        pair.settle()
        return pair
    }

    @Test(arguments: [false, true])
    func `a cut connection is taken up with every packet once`(swappingRoles: Bool) {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<60 {
            var pair = Pair()
            pair.settle()
            // By player, whichever side of the connection that is at the time.
            var sent: [[[UInt8]]] = [[], []]
            var got: [[[UInt8]]] = [[], []]
            for round in 0..<5 {
                let isSwapped = swappingRoles && !round.isMultiple(of: 2)
                let roles: [Role] =
                    isSwapped ? [.responder, .initiator] : [.initiator, .responder]
                for player in 0...1 {
                    for _ in 0..<Int.random(in: 0...9, using: &random) {
                        let packet = random.bytes(3)
                        guard case .accepted = pair[roles[player]].send(packet) else { continue }
                        sent[player].append(packet)
                    }
                }
                pair.advance(milliseconds: UInt64.random(in: 0...12, using: &random))
                if round == 4 { pair.settle() } else { pair.cut() }
                for player in 0...1 { got[player] += pair.packets(at: roles[player]) }
                if round < 4 { pair = Self.resumed(pair, swappingRoles: swappingRoles) }
            }
            #expect(got[0] == sent[1] && got[1] == sent[0])
            #expect(pair.initiator.token == SessionToken([UInt8](1...16)))
        }
    }

    @Test func `a log larger than the window is sent on as the peer takes it`() {
        let packets = (0..<3_000).map { [UInt8($0 & 0xff)] }
        var hello = Hello.test(.initiator)
        hello.token = SessionToken([UInt8](1...16))
        let initiator = SessionMachine(
            role: .initiator, hello: hello, log: OutgoingLog(packets: packets), random: [],
            now: at(0))
        let responder = SessionMachine.make(.responder)
        var pair = Pair(initiator, responder)
        pair.takes = false
        pair.settle()
        #expect(pair.packets(at: .responder).count == 1_024)
        #expect(pair.initiator.send([]) == .windowFull)
        for _ in 0..<47 {
            pair.responder.took(packets: 64)
            pair.settle()
        }
        #expect(pair.packets(at: .responder) == packets)
        #expect(pair.responder.isOpen)
        #expect(pair.initiator.send([7]) == .accepted(3_001))
    }

    @Test func `only what the peer lacks is sent again`() {
        var hello = Hello.test(.initiator)
        hello.token = SessionToken([UInt8](1...16))
        hello.have = 3
        hello.hash = [UInt8](repeating: 8, count: 32)
        let initiator = SessionMachine(
            role: .initiator, hello: hello, log: OutgoingLog(first: 5, packets: [[5], [6], [7]]),
            random: [], now: at(0))
        var pair = Pair(initiator, .make(.responder))
        pair.accepts = false
        pair.settle()
        guard case .hello(let told) = pair.events[.responder]?.first else {
            Issue.record("no hello")
            return
        }
        #expect(told.token == hello.token && told.have == 3 && told.hash == hello.hash)
        pair.responder.accept(
            have: 5, hash: [UInt8](repeating: 9, count: 32),
            log: OutgoingLog(first: 3, packets: [[13], [14]]))
        pair.settle()
        guard case .ready(let welcome) = pair.events[.initiator]?.first else {
            Issue.record("not ready")
            return
        }
        #expect(welcome.have == 5 && welcome.hash == [UInt8](repeating: 9, count: 32))
        #expect(
            pair.events[.responder]?.suffix(2) == [
                .packet(number: 6, [6]), .packet(number: 7, [7]),
            ])
        #expect(pair.events[.initiator]?.last == .packet(number: 4, [14]))
        #expect(pair.initiator.log.first == 6 && pair.responder.log.first == 5)
    }

    @Test func `a packet that comes again is dropped`() {
        var machine = SessionMachine.open(.responder)
        let packet = SessionMessage.packet(number: 1, [1]).frame
        #expect(machine.hears(packet).count == 1)
        #expect(machine.hears(packet + packet).isEmpty)
        #expect(machine.isOpen)
    }

    @Test(arguments: [(3, 0), (4, 1), (1, 2)] as [(UInt64, UInt64)])
    func `a have that the log cannot serve is refused with what is stored here`(
        first: UInt64, have: UInt64
    ) {
        var hello = Hello.test(.initiator)
        hello.token = SessionToken([UInt8](1...16))
        hello.have = have
        var responder = SessionMachine.make(.responder)
        _ = responder.hears(SessionMessage.hello(hello).frame)
        responder.accept(have: 9, log: OutgoingLog(first: first, packets: [[1]]))
        guard case .refused(let refusal) = responder.end else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .noSuchSession && refusal.have == 9)
    }
}
