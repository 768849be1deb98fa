// SPDX-License-Identifier: MIT

import ServiceDiscovery
import Testing

@Suite struct MeansMachineTests {
    private var means = MeansMachine(hasFallback: true)

    /// Starts with a daemon of which this news comes at once.
    private mutating func begin(_ news: MeansMachine.DaemonNews) -> [MeansMachine.Action] {
        means.need()
        var actions = means.settle(at: 0)
        means.ordered(at: 0)
        means.heard(news, at: 0)
        means.answered(at: 0)
        actions += means.settle(at: 0)
        return actions
    }

    @Test mutating func `nothing is done before it is needed`() {
        #expect(means.settle(at: 0).isEmpty)
        #expect(means.deadline(at: 0) == nil)
    }

    @Test(arguments: MeansMachine.DaemonNews.allCases)
    func `at the start`(news: MeansMachine.DaemonNews) {
        var test = self
        let actions = test.begin(news)
        switch news {
        case .running:
            #expect(actions == [.openDaemon])
            #expect(test.means.current == .daemon)
        case .registering, .lost: #expect(actions == [.openDaemon])
        case .absent, .connecting: #expect(actions == [.openDaemon, .startFallback])
        }
    }

    @Test(arguments: MeansMachine.DaemonNews.allCases)
    func `while the process serves`(news: MeansMachine.DaemonNews) {
        var test = self
        _ = test.begin(.absent)
        test.means.fallbackReady(at: 10)
        #expect(test.means.settle(at: 10).isEmpty)
        #expect(test.means.current == .own)
        test.means.heard(news, at: 20)
        let actions = test.means.settle(at: 20)
        #expect(actions == (news == .running ? [.stopFallback] : []))
        #expect(test.means.current == (news == .running ? .daemon : .own))
    }

    @Test(arguments: MeansMachine.DaemonNews.allCases)
    func `while the daemon serves`(news: MeansMachine.DaemonNews) {
        var test = self
        _ = test.begin(.running)
        test.means.heard(news, at: 9000)
        let actions = test.means.settle(at: 9000)
        switch news {
        case .running, .registering:
            #expect(actions.isEmpty)
            #expect(test.means.current == .daemon)
        case .lost, .absent:
            #expect(actions == [.openDaemon])
            #expect(test.means.current == .none)
        case .connecting:
            #expect(actions == [.startFallback])
            #expect(test.means.current == .none)
        }
    }

    @Test mutating func `a daemon that is only restarted does not start the process`() {
        _ = begin(.running)
        means.heard(.lost, at: 9000)
        #expect(means.settle(at: 9000) == [.openDaemon])
        means.heard(.connecting, at: 9000)
        #expect(means.settle(at: 9001).isEmpty)
        means.heard(.registering, at: 9900)
        #expect(means.settle(at: 9000 + MeansMachine.restartPatience).isEmpty)
        means.heard(.running, at: 11_900)
        #expect(means.settle(at: 11_900).isEmpty)
        #expect(means.current == .daemon)
    }

    @Test mutating func `a daemon that stays away is replaced`() {
        _ = begin(.running)
        means.heard(.lost, at: 9000)
        _ = means.settle(at: 9000)
        means.heard(.connecting, at: 9000)
        let end = 9000 + MeansMachine.restartPatience
        #expect(means.settle(at: end - 1).isEmpty)
        #expect(means.deadline(at: end - 1) == end)
        #expect(means.settle(at: end) == [.startFallback])
    }

    @Test mutating func `a daemon that does not get beyond its name is replaced`() {
        _ = begin(.registering)
        #expect(means.settle(at: MeansMachine.startPatience - 1).isEmpty)
        #expect(means.settle(at: MeansMachine.startPatience) == [.startFallback])
    }

    @Test mutating func `a daemon that hangs is replaced until it answers`() {
        _ = begin(.running)
        means.ordered(at: 100)
        means.ordered(at: 200)
        #expect(means.deadline(at: 200) == 100 + MeansMachine.daemonPatience)
        means.answered(at: 300)
        #expect(means.settle(at: 100 + MeansMachine.daemonPatience).isEmpty)
        #expect(means.settle(at: 300 + MeansMachine.daemonPatience) == [.startFallback])
        means.fallbackReady(at: 3000)
        _ = means.settle(at: 3000)
        #expect(means.current == .own)
        means.answered(at: 30_000)
        #expect(means.settle(at: 30_000) == [.stopFallback])
        #expect(means.current == .daemon)
    }

    @Test mutating func `a missing bus is asked for every ten seconds, and not more often`() {
        _ = begin(.absent)
        means.fallbackReady(at: 0)
        var now: Milliseconds = 0
        for _ in 0..<10 {
            let next = means.deadline(at: now)
            #expect(next == now + 10_000)
            now = next ?? now
            #expect(means.settle(at: now) == [.openDaemon])
            means.heard(.absent, at: now)
        }
    }

    @Test mutating func `a bus that was there is looked for at once, then less and less`() {
        _ = begin(.running)
        means.heard(.lost, at: 9000)
        var now: Milliseconds = 9000
        var waits: [Milliseconds] = []
        for _ in 0..<6 {
            let next = means.settle(at: now).contains(.openDaemon) ? now : nil
            #expect(next != nil)
            means.heard(.absent, at: now)
            means.fallbackReady(at: now)
            while let due = means.deadline(at: now), due > now {
                let start = now
                now = due
                var copy = means
                if copy.settle(at: now).contains(.openDaemon) {
                    waits.append(now - start)
                    break
                }
                _ = means.settle(at: now)
            }
        }
        #expect(waits.reduce(0, +) < 30_000)
        #expect(waits.last == 5000)
    }

    @Test mutating func `a process that dies is started again at once, then with back-off`() {
        _ = begin(.connecting)
        means.fallbackReady(at: 1000)
        _ = means.settle(at: 1000)
        means.fallbackEnded(at: 10_000)
        #expect(means.settle(at: 10_000).isEmpty)
        #expect(means.deadline(at: 10_000) == 10_050)
        var now: Milliseconds = 10_050
        var waits: [Milliseconds] = []
        for _ in 0..<8 {
            #expect(means.settle(at: now) == [.startFallback])
            means.fallbackEnded(at: now)
            _ = means.settle(at: now)
            let next = means.deadline(at: now) ?? 0
            waits.append(next - now)
            now = next
        }
        #expect(waits == [250, 500, 1000, 2000, 5000, 30_000, 30_000, 30_000])
        #expect(means.isHopeless(at: now - 1))
    }

    @Test mutating func `a process that does not get ready is killed`() {
        #expect(begin(.connecting).last == .startFallback)
        #expect(means.settle(at: MeansMachine.startPatience) == [.killFallback])
        #expect(means.settle(at: 9000).isEmpty)
        means.fallbackEnded(at: 9000)
        #expect(means.settle(at: 9050) == [.startFallback])
    }

    @Test mutating func `a process that does not take leave is killed`() {
        _ = begin(.connecting)
        means.fallbackReady(at: 0)
        means.heard(.running, at: 0)
        #expect(means.settle(at: 0) == [.stopFallback])
        #expect(means.isFallbackAlive)
        #expect(means.settle(at: MeansMachine.goodbyePatience) == [.killFallback])
        means.fallbackEnded(at: 1001)
        #expect(!means.isFallbackAlive)
        #expect(means.settle(at: 1001).isEmpty)
        #expect(means.deadline(at: 1001) == nil)
    }

    @Test func `without a fallback there are no means, and that is settled`() {
        var means = MeansMachine(hasFallback: false)
        means.need()
        _ = means.settle(at: 0)
        #expect(!means.isNoneSettled(at: 0))
        means.heard(.absent, at: 0)
        #expect(means.settle(at: 0).isEmpty)
        #expect(means.isNoneSettled(at: 0))
        #expect(means.isHopeless(at: 0))
    }

    /// Random worlds: whatever comes in whatever order, these hold.
    @Test(arguments: 0..<200) func `it never spins and never starts twice`(seed: UInt64) {
        var random = Random(seed: seed)
        var means = MeansMachine(hasFallback: Bool.random(using: &random))
        means.need()
        var now: Milliseconds = 0
        var isAlive = false
        for _ in 0..<300 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                means.heard(
                    MeansMachine.DaemonNews.allCases.randomElement(using: &random) ?? .lost, at: now
                )
            case 1: means.ordered(at: now)
            case 2: means.answered(at: now)
            case 3: if isAlive { means.fallbackReady(at: now) }
            case 4:
                if isAlive { means.fallbackEnded(at: now) }
                isAlive = false
            case 5: now += Milliseconds.random(in: 0...4000, using: &random)
            default: now = max(now, means.deadline(at: now) ?? now)
            }
            for action in means.settle(at: now) where action == .startFallback {
                #expect(!isAlive)
                isAlive = true
            }
            #expect(means.deadline(at: now).map { $0 > now } ?? true)
            #expect(means.current != .own || isAlive)
        }
    }
}
