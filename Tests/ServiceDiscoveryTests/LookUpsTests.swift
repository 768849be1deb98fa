// SPDX-License-Identifier: MIT

import ResponderProtocol
import ServiceDiscovery
import Testing

@Suite struct LookUpsTests {
    private var lookUps = LookUps()

    private mutating func finished(at now: Milliseconds) -> [[ServiceAddress]] {
        lookUps.finished(at: now, hopeless: false).map(\.addresses)
    }

    @Test mutating func `both protocols answer and it is done`() {
        lookUps.begin(number: 1, host: "h.local", until: 4000)
        lookUps.address(number: 1, interface: 2, bytes: [10, 0, 0, 1], at: 10)
        lookUps.address(number: 1, interface: 2, bytes: [10, 0, 0, 1], at: 10)
        #expect(finished(at: 10).isEmpty)
        lookUps.address(number: 1, interface: 2, bytes: Sample.linkLocal, at: 20)
        #expect(
            finished(at: 20) == [
                [
                    ServiceAddress(bytes: [10, 0, 0, 1], scope: 0, port: 0),
                    ServiceAddress(bytes: Sample.linkLocal, scope: 2, port: 0),
                ]
            ])
        #expect(lookUps.deadline == nil)
    }

    @Test mutating func `the second protocol is waited for, but not long`() {
        lookUps.begin(number: 1, host: "h.local", until: 4000)
        lookUps.address(number: 1, interface: 2, bytes: [10, 0, 0, 1], at: 1000)
        #expect(lookUps.deadline == 1000 + LookUps.patience)
        #expect(finished(at: 1000 + LookUps.patience).first?.count == 1)
    }

    @Test mutating func `it never waits beyond its end`() {
        lookUps.begin(number: 1, host: "h.local", until: 4000)
        lookUps.address(number: 1, interface: 2, bytes: [10, 0, 0, 1], at: 3999)
        #expect(lookUps.deadline == 4000)
        lookUps.begin(number: 2, host: "i.local", until: 3000)
        #expect(finished(at: 3000) == [[]])
        #expect(finished(at: 4000).first?.count == 1)
    }

    @Test mutating func `an unknown host is known to be unknown`() {
        lookUps.begin(number: 1, host: "h.local", until: 4000)
        lookUps.unknown(number: 1, family: .ipv4)
        #expect(finished(at: 0).isEmpty)
        lookUps.unknown(number: 1, family: .ipv6)
        #expect(finished(at: 0) == [[]])
    }

    @Test mutating func `answers to nothing are nothing`() {
        lookUps.address(number: 7, interface: 2, bytes: [10, 0, 0, 1], at: 0)
        lookUps.unknown(number: 7, family: .ipv4)
        #expect(finished(at: .max).isEmpty)
        #expect(lookUps.cancel(number: 7) == false)
        lookUps.begin(number: 7, host: "h.local", until: 1)
        #expect(lookUps.orders == [.lookUp(number: 7, host: "h.local")])
        #expect(lookUps.cancel(number: 7) == true)
        #expect(finished(at: .max).isEmpty)
    }
}
