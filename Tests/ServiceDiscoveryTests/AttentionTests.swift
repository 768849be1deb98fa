// SPDX-License-Identifier: MIT

import ResponderProtocol
import Testing

@Suite struct AttentionTests {
    private var attention = Attention()

    private func one(_ number: Int) -> Sighting { Sample.sighting("S\(number)") }

    /// Resolves as many as there is room for.
    private mutating func fill() {
        for number in 0..<Attention.most {
            #expect(attention.seen(one(number)) == [.resolve(one(number))])
        }
    }

    @Test mutating func `what is seen is resolved once, and let go when it is lost`() {
        #expect(attention.seen(one(1)) == [.resolve(one(1))])
        #expect(attention.seen(one(1)) == [])
        #expect(attention.lost(one(1)) == [.letGo(one(1))])
        #expect(attention.lost(one(1)) == [])
    }

    @Test mutating func `what nobody listens to is kept as long as there is room`() {
        _ = attention.seen(one(1))
        #expect(attention.ignore(one(1)) == [])
        #expect(attention.ignore(one(2)) == [])
        #expect(attention.lost(one(1)) == [.letGo(one(1))])
    }

    @Test mutating func `where there is no room what was ignored first goes first`() {
        fill()
        #expect(attention.ignore(one(5)) == [])
        #expect(attention.ignore(one(3)) == [])
        #expect(attention.seen(one(1_000)) == [.letGo(one(5)), .resolve(one(1_000))])
        #expect(attention.seen(one(1_001)) == [.letGo(one(3)), .resolve(one(1_001))])
        #expect(attention.seen(one(1_002)) == [])
        #expect(attention.ignore(one(7)) == [.letGo(one(7)), .resolve(one(1_002))])
    }

    @Test mutating func `what there is news of is not let go`() {
        fill()
        _ = attention.ignore(one(5))
        attention.found(one(5))
        #expect(attention.seen(one(1_000)) == [])
        #expect(attention.lost(one(6)) == [.letGo(one(6)), .resolve(one(1_000))])
    }

    @Test mutating func `what waits and is lost has no turn`() {
        fill()
        _ = attention.seen(one(1_000))
        _ = attention.seen(one(1_001))
        #expect(attention.lost(one(1_000)) == [])
        #expect(attention.ignore(one(0)) == [.letGo(one(0)), .resolve(one(1_001))])
    }

    @Test mutating func `a flood that nobody listens to passes, and every game has its turn`() {
        var open: Set<Sighting> = []
        var most = 0
        var resolved: Set<Sighting> = []
        func take(_ steps: [Attention.Step]) {
            for step in steps {
                switch step {
                case .resolve(let sighting):
                    open.insert(sighting)
                    resolved.insert(sighting)
                case .letGo(let sighting): #expect(open.remove(sighting) != nil)
                }
            }
            most = max(most, open.count)
        }
        for number in 0..<5_000 {
            take(attention.seen(one(number)))
            if number > 900 { take(attention.ignore(one(number - 900))) }
        }
        for number in 4_100..<5_000 { take(attention.ignore(one(number))) }
        #expect(most == Attention.most)
        #expect(resolved.contains(one(4_999)))
    }

    @Test mutating func `no more wait than a bound says, each for one turn`() {
        fill()
        for _ in 0..<2 {
            for number in 0..<Attention.mostWaiting + 500 {
                #expect(attention.seen(one(10_000 + number)) == [])
            }
        }
        #expect(attention.lost(one(10_007)) == [])
        #expect(attention.seen(one(9_999)) == [])
        var turns: [Sighting] = []
        for number in 0..<Attention.most { turns += resolved(attention.lost(one(number))) }
        var next = 0
        while next < turns.count {
            turns += resolved(attention.lost(turns[next]))
            next += 1
        }
        let waited = (0..<Attention.mostWaiting).filter { $0 != 7 }.map { one(10_000 + $0) }
        #expect(turns == waited + [one(9_999)])
    }

    private func resolved(_ steps: [Attention.Step]) -> [Sighting] {
        steps.compactMap { if case .resolve(let sighting) = $0 { sighting } else { nil } }
    }
}
