// SPDX-License-Identifier: MIT

/// Advertises a service on the local network, finds others, and resolves host names.
///
/// The Avahi daemon does the work; where there is none, a responder process of our own; where
/// there is none either, nothing is found and nothing fails. The means may change at any time.
/// Nothing here blocks a caller.
///
/// ```swift
/// import ServiceDiscovery
///
/// let discovery = ServiceDiscovery(type: "_nim._tcp", fallback: "/usr/libexec/ttt/ttt-mdns")
/// discovery.browse(true)
/// for await event in discovery.events { print(event) }
/// ```
public final class ServiceDiscovery: Sendable {
    /// What happens, in order; for one consumer. It ends after ``close()``.
    ///
    /// To a consumer that does not keep up, of each service only the newest is told.
    public let events: AsyncStream<DiscoveryEvent>
    private let loop: DiscoveryLoop
    private let lookUps = Lock<UInt32>(0)

    /// Prepares discovery. The means are looked for once something is asked for.
    ///
    /// - Parameters:
    ///   - type: The service type, as `_tictactoe._tcp`.
    ///   - fallback: The path of `ttt-mdns`, or `nil` to have no fallback. It is run as a child,
    ///     which the program must not wait for itself.
    ///   - hidden: An id never told as found: the own one.
    ///   - knownAs: Says which known peer a service with this TXT record, its keys in lower case,
    ///     seems to be. Where there are too many services to list, those are listed first. Called
    ///     on a thread of its own.
    public init(
        type: String, fallback: String?, hidden: String? = nil,
        knownAs: @escaping @Sendable ([String: [UInt8]]) -> String? = { _ in nil }
    ) {
        let (events, continuation) = HeldEvents.makeStream()
        self.events = events
        loop = DiscoveryLoop(
            type: type, fallback: fallback, hidden: hidden, knownAs: knownAs,
            events: continuation)
    }

    deinit { loop.close() }

    /// Advertises this instead of what was advertised before, or nothing.
    public func advertise(_ advertisement: Advertisement?) {
        loop.post { $0.advertise(advertisement) }
    }

    /// Starts or stops looking for services. Stopping forgets what was found.
    public func browse(_ wanted: Bool) {
        loop.post { $0.browse(wanted) }
    }

    /// Says that a service did not answer, or that it did: marks it stale or takes the mark away.
    ///
    /// The mark also goes when the service is reported anew.
    public func mark(id: String, stale: Bool) {
        loop.post { $0.mark(id, stale: stale) }
    }

    /// Looks up the addresses of a host, as `name.local`, IPv4 and IPv6.
    ///
    /// - Returns: The addresses, with port 0; empty if there are none within `milliseconds`,
    ///   without means, or once cancelled.
    public func resolve(host: String, milliseconds: Int = 4000) async -> [ServiceAddress] {
        let isName = (1...255).contains(host.utf8.count) && !host.utf8.contains(0)
        guard isName, !Task.isCancelled else { return [] }
        let number = lookUps.withLock { count in
            count &+= 1
            return count
        }
        let limit = Milliseconds(max(0, min(milliseconds, 60_000)))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                if !loop.post({ $0.lookUp(number, host, limit, answer) }) {
                    answer.resume(returning: [])
                }
                // The handler may have run before the look-up was posted.
                if Task.isCancelled { loop.post { $0.forget(number) } }
            }
        } onCancel: {
            loop.post { $0.forget(number) }
        }
    }

    /// Ends everything and says goodbye to the network. The second call does nothing.
    public func close() { loop.close() }
}
