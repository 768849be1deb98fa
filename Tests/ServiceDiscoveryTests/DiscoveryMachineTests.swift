// SPDX-License-Identifier: MIT

import ResponderProtocol
import ServiceDiscovery
import Testing

@Suite struct DiscoveryMachineTests {
    private var machine = DiscoveryMachine(hasFallback: true, hidden: nil)

    init() {
        machine.take(Sample.networks, at: 0)
    }

    private static let alice = Advertisement(
        name: "Alice", port: 1, text: [TextEntry("id", "0123456789abcdef")])
    private let publish = Order.publish(
        name: "Alice", port: 1, text: [Array("id=0123456789abcdef".utf8)], at: nil)

    /// Wishes for everything with a daemon that runs.
    private mutating func beginWithDaemon() -> [DiscoveryMachine.Effect] {
        let first = machine.advertise(Self.alice, at: 0)
        return first + machine.browse(true, at: 0)
            + machine.lookUp(number: 7, host: "h.local", until: 60_000, at: 0)
            + machine.heard(.running, at: 0)
    }

    private func orders(
        _ effects: [DiscoveryMachine.Effect], to means: DiscoveryMeans
    ) -> [Order] {
        effects.compactMap {
            if case .order(let order, to: means) = $0 { order } else { nil }
        }
    }

    private func events(_ effects: [DiscoveryMachine.Effect]) -> [DiscoveryEvent] {
        effects.compactMap { if case .tell(let event) = $0 { event } else { nil } }
    }

    /// Answers all that the daemon was ordered until now.
    private mutating func answer(at now: Milliseconds) {
        for _ in 0..<10 { _ = machine.answered(at: now) }
    }

    @Test mutating func `the daemon is told all wishes when it is there`() {
        let effects = beginWithDaemon()
        #expect(effects.first == .act(.openDaemon))
        #expect(
            orders(effects, to: .daemon) == [
                .browse, .lookUp(number: 7, host: "h.local"), publish,
            ])
        #expect(events(effects) == [.means(.daemon)])
    }

    @Test mutating func `a daemon that comes back is told all wishes again, without a word`() {
        _ = beginWithDaemon()
        answer(at: 0)
        _ = machine.report(.established(name: "Alice"), from: .daemon, at: 10)
        _ = machine.report(.found(Sample.sighting(), Sample.detail()), from: .daemon, at: 10)
        _ = machine.tick(at: 1000)
        let lost = machine.heard(.lost, at: 9000)
        #expect(lost == [.act(.openDaemon)])
        let back = machine.heard(.running, at: 9500)
        #expect(orders(back, to: .daemon).count == 3)
        let found = Report.found(Sample.sighting(), Sample.detail())
        let later =
            machine.report(.established(name: "Alice"), from: .daemon, at: 9600)
            + machine.report(found, from: .daemon, at: 9600) + machine.tick(at: 30_000)
        #expect(events(back + later).isEmpty)
    }

    @Test mutating func `the process is told all wishes each time it is started`() {
        _ = beginWithDaemon()
        answer(at: 0)
        _ = machine.heard(.lost, at: 9000)
        _ = machine.heard(.absent, at: 9000)
        answer(at: 9000)
        _ = machine.tick(at: 9500)
        answer(at: 9500)
        _ = machine.heard(.connecting, at: 9500)
        let start = machine.tick(at: 9000 + MeansMachine.restartPatience)
        #expect(start.contains(.act(.startFallback)))
        for round in 0..<3 {
            let now: Milliseconds = 12_000 + Milliseconds(round) * 10_000
            let ready = machine.report(.ready, from: .own, at: now)
            #expect(
                orders(ready, to: .own) == [
                    .browse, .lookUp(number: 7, host: "h.local"), publish,
                ])
            #expect(events(ready) == (round == 0 ? [.means(.own)] : []))
            _ = machine.fallbackEnded(at: now + 5000)
            let again = machine.tick(at: now + 5050)
            #expect(again.contains(.act(.startFallback)))
        }
    }

    @Test mutating func `the daemon advertises only when the process has taken leave`() {
        _ = machine.advertise(Self.alice, at: 0)
        _ = machine.heard(.absent, at: 0)
        answer(at: 0)
        #expect(orders(machine.report(.ready, from: .own, at: 100), to: .own) == [publish])
        let running = machine.heard(.running, at: 200)
        #expect(running.contains(.act(.stopFallback)))
        #expect(orders(running, to: .daemon).isEmpty)
        #expect(orders(machine.fallbackEnded(at: 300), to: .daemon) == [publish])
    }

    @Test mutating func `a daemon that gets another host name is ordered again afterwards`() {
        _ = beginWithDaemon()
        answer(at: 0)
        #expect(machine.heard(.registering, at: 100).isEmpty)
        #expect(machine.advertise(Self.alice, at: 150).isEmpty)
        #expect(orders(machine.heard(.running, at: 200), to: .daemon) == [publish])
    }

    @Test mutating func `who does not serve is not listened to`() {
        _ = beginWithDaemon()
        let found = Report.found(Sample.sighting(), Sample.detail())
        #expect(machine.report(found, from: .own, at: 0).isEmpty)
        #expect(machine.report(.collision(name: "Alice"), from: .own, at: 0).isEmpty)
        #expect(events(machine.tick(at: 1000)).isEmpty)
    }

    @Test mutating func `a collision is answered with another name`() {
        _ = beginWithDaemon()
        let effects = machine.report(.collision(name: "Alice"), from: .daemon, at: 10)
        guard case .publish("Alice #2", _, _, _)? = orders(effects, to: .daemon).first else {
            Issue.record("\(effects)")
            return
        }
        let told = machine.report(.established(name: "Alice #2"), from: .daemon, at: 20)
        #expect(events(told) == [.advertised(name: "Alice #2")])
    }

    @Test mutating func `to stop browsing forgets what was found, and nothing comes after`() {
        _ = beginWithDaemon()
        let found = Report.found(Sample.sighting(), Sample.detail())
        _ = machine.report(found, from: .daemon, at: 0)
        #expect(events(machine.tick(at: 100)).count == 1)
        let stop = machine.browse(false, at: 200)
        #expect(events(stop) == [.gone(id: Sample.one)])
        #expect(orders(stop, to: .daemon) == [.stop])
        _ = machine.report(found, from: .daemon, at: 300)
        #expect(events(machine.tick(at: 400)).isEmpty)
        #expect(machine.browse(false, at: 500).isEmpty)
    }

    @Test mutating func `a look-up ends with its answer, its time or its caller`() {
        _ = beginWithDaemon()
        answer(at: 0)
        let one = Report.address(number: 7, interface: 2, bytes: [10, 0, 0, 1])
        _ = machine.report(one, from: .daemon, at: 10)
        let six = Report.address(number: 7, interface: 2, bytes: Sample.linkLocal)
        let done = machine.report(six, from: .daemon, at: 20)
        #expect(orders(done, to: .daemon) == [.forget(number: 7)])
        guard case .answer(number: 7, let addresses)? = done.last else {
            Issue.record("\(done)")
            return
        }
        #expect(addresses.map(\.scope) == [0, 2])
        _ = machine.lookUp(number: 8, host: "i.local", until: 500, at: 100)
        #expect(machine.tick(at: 500).contains(.answer(number: 8, [])))
        _ = machine.lookUp(number: 9, host: "i.local", until: 900, at: 500)
        #expect(machine.forget(number: 9, at: 600) == [.order(.forget(number: 9), to: .daemon)])
        #expect(machine.forget(number: 9, at: 600).isEmpty)
        #expect(!machine.tick(at: 900).contains(.answer(number: 9, [])))
    }

    @Test func `without any means a look-up is answered at once, and none is told`() {
        var machine = DiscoveryMachine(hasFallback: false, hidden: nil)
        machine.take(Sample.networks, at: 0)
        _ = machine.lookUp(number: 1, host: "h.local", until: 4000, at: 0)
        let effects = machine.heard(.absent, at: 10)
        #expect(effects.contains(.answer(number: 1, [])))
        #expect(effects.contains(.tell(.means(.none))))
    }

    @Test mutating func `nothing to do is no timer`() {
        #expect(machine.deadline(at: 0) == nil)
        _ = beginWithDaemon()
        answer(at: 0)
        _ = machine.report(.unknown(number: 7, family: .ipv4), from: .daemon, at: 0)
        _ = machine.report(.unknown(number: 7, family: .ipv6), from: .daemon, at: 0)
        answer(at: 0)
        _ = machine.report(.found(Sample.sighting(), Sample.detail()), from: .daemon, at: 0)
        _ = machine.tick(at: 100)
        #expect(machine.deadline(at: 100) == nil)
    }
}
