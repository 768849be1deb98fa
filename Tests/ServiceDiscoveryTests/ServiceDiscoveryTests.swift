// SPDX-License-Identifier: MIT

import ServiceDiscovery
import Testing

/// The shell with programs that are no responders; what needs a network is in `Tests/Lab`.
@Suite(.timeLimit(.minutes(1))) struct ServiceDiscoveryTests {
    static let advertisement = Advertisement(
        name: "Alice", port: 1, text: [TextEntry("id", "0123456789abcdef")])

    @Test(arguments: [nil, "/nonexistent", "/bin/false", "/bin/true", "/dev/null"])
    func `a fallback that is none harms nobody`(path: String?) async {
        let discovery = ServiceDiscovery(type: "_none-such._tcp", fallback: path)
        discovery.advertise(Self.advertisement)
        discovery.browse(true)
        let addresses = await discovery.resolve(host: "no-such-host.local", milliseconds: 400)
        #expect(addresses.isEmpty)
        discovery.mark(id: "0123456789abcdef", stale: true)
        discovery.close()
        for await event in discovery.events {
            if case .found = event { Issue.record("found \(event)") }
        }
    }

    @Test func `events end when it is closed, also when it never began`() async {
        let discovery = ServiceDiscovery(type: "_none-such._tcp", fallback: nil)
        discovery.close()
        discovery.close()
        discovery.browse(true)
        for await _ in discovery.events { Issue.record("an event") }
        #expect(await discovery.resolve(host: "h.local").isEmpty)
    }

    @Test func `a look-up ends when its task is cancelled or discovery closed`() async {
        let discovery = ServiceDiscovery(type: "_none-such._tcp", fallback: "/bin/cat")
        let cancelled = Task { await discovery.resolve(host: "a.local", milliseconds: 60_000) }
        cancelled.cancel()
        #expect(await cancelled.value.isEmpty)
        let closed = Task { await discovery.resolve(host: "b.local", milliseconds: 60_000) }
        discovery.close()
        #expect(await closed.value.isEmpty)
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "x", count: 256)])
    func `what is no host name is not looked up`(host: String) async {
        let discovery = ServiceDiscovery(type: "_none-such._tcp", fallback: nil)
        #expect(await discovery.resolve(host: host, milliseconds: 60_000).isEmpty)
    }
}
