// SPDX-License-Identifier: MIT

import Glibc
import ServiceDiscovery

/// Drives discovery by lines, for tests with several hosts:
/// `discovery-probe TYPE FALLBACK|- [HIDDEN-ID]`.
///
/// Lines on standard input: `advertise PORT ID STATE NAME…`, `withdraw`, `browse`, `stop`,
/// `stale ID`, `fresh ID`, `resolve HOST MILLISECONDS`, `close`. Events are lines on standard
/// output, each after the milliseconds of the monotonic clock.
@main
struct Probe {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return }
        let discovery = ServiceDiscovery(
            type: arguments[1], fallback: arguments[2] == "-" ? nil : arguments[2],
            hidden: arguments.count > 3 ? arguments[3] : nil)
        start(discovery)
        for await event in discovery.events { tell(event) }
        say("closed")
    }

    /// Reads on a thread of its own: a task that blocks makes the pool's manager wake every second.
    static func start(_ discovery: ServiceDiscovery) {
        let argument = Unmanaged.passRetained(discovery).toOpaque()
        var thread = pthread_t()
        pthread_create(&thread, nil, readerThread, argument)
        pthread_detach(thread)
    }

    static func read(_ discovery: ServiceDiscovery) {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 4).map(String.init)
            switch (words.first, words.count) {
            case ("advertise", 5):
                let text = [
                    TextEntry("v", "1"), TextEntry("id", words[2]), TextEntry("state", words[3]),
                ]
                discovery.advertise(
                    Advertisement(name: words[4], port: UInt16(words[1]) ?? 1, text: text))
            case ("withdraw", 1): discovery.advertise(nil)
            case ("browse", 1): discovery.browse(true)
            case ("stop", 1): discovery.browse(false)
            case ("stale", 2): discovery.mark(id: words[1], stale: true)
            case ("fresh", 2): discovery.mark(id: words[1], stale: false)
            case ("resolve", 3):
                Task.detached {
                    let addresses = await discovery.resolve(
                        host: words[1], milliseconds: Int(words[2]) ?? 0)
                    say("resolved \(words[1]) " + list(addresses))
                }
            case ("close", 1): return discovery.close()
            default: say("what?")
            }
        }
        discovery.close()
    }

    static func tell(_ event: DiscoveryEvent) {
        switch event {
        case .means(let means): say("means \(means)")
        case .advertised(let name): say("advertised \(name)")
        case .found(let service):
            let state = service.text["state"].map { String(decoding: $0, as: UTF8.self) } ?? "-"
            say(
                "found \(service.id) \(service.port) \(state)"
                    + " \(service.isStale ? "stale" : "fresh") \(list(service.addresses))"
                    + " \(service.name)")
        case .gone(let id): say("gone \(id)")
        }
    }

    static func list(_ addresses: [ServiceAddress]) -> String {
        addresses.isEmpty ? "-" : addresses.map(describe).joined(separator: ",")
    }

    static func describe(_ address: ServiceAddress) -> String {
        let family = address.bytes.count == 4 ? AF_INET : AF_INET6
        var text = [CChar](repeating: 0, count: 64)
        inet_ntop(family, address.bytes, &text, 64)
        let string = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        return address.scope == 0 ? string : "\(string)%\(address.scope)"
    }

    static func say(_ text: String) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let line = "\(time.tv_sec * 1000 + time.tv_nsec / 1_000_000) \(text)\n"
        _ = line.withCString { write(1, $0, strlen($0)) }
    }
}

private func readerThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument {
        Probe.read(Unmanaged<ServiceDiscovery>.fromOpaque(argument).takeRetainedValue())
    }
    return nil
}
