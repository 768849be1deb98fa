// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// Opens ports to listen on.
enum ListeningSocket {
    /// A listening socket for IPv4 and IPv6 at once, for IPv4 alone on a machine without IPv6, or
    /// for one address given in figures. Port 0 lets the system choose; `backlog` connections wait
    /// until they are accepted.
    static func open(
        port: UInt16, address: String?, backlog: Int32
    ) throws(OnlineError) -> Int32 {
        if let address {
            guard let endpoint = Endpoint(host: address, port: port) else {
                throw OnlineError(.unusableAddress, "\(address) is not an address to listen on.")
            }
            return try open(endpoint, backlog)
        }
        guard let every6 = Endpoint(address: [UInt8](repeating: 0, count: 16), port: port),
            let every4 = Endpoint(address: [0, 0, 0, 0], port: port)
        else { throw OnlineError(.system, "There is no address to listen on.") }
        do {
            return try open(every6, backlog)
        } catch  where error.code == .unusableAddress {
            return try open(every4, backlog)
        }
    }

    private static func open(
        _ endpoint: Endpoint, _ backlog: Int32
    ) throws(OnlineError) -> Int32 {
        let isIPv6 = !endpoint.isIPv4
        guard let descriptor = Sockets.make(family: isIPv6 ? AF_INET6 : AF_INET) else {
            throw failure(errno, endpoint)
        }
        // A port whose last listener was killed can be taken again at once; one that somebody
        // listens on cannot.
        Sockets.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if isIPv6 { Sockets.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        // Of two processes that bind at once both succeed, and then one fails to listen.
        guard endpoint.withSocketAddress({ bind(descriptor, $0, $1) }) == 0,
            listen(descriptor, max(1, backlog)) == 0
        else {
            let reason = errno
            close(descriptor)
            throw failure(reason, endpoint)
        }
        return descriptor
    }

    private static func failure(_ reason: Int32, _ endpoint: Endpoint) -> OnlineError {
        switch reason {
        case EADDRINUSE:
            OnlineError(.portTaken, "Port \(endpoint.port) is taken by another program.")
        case EADDRNOTAVAIL, EAFNOSUPPORT, ENODEV, EINVAL:
            OnlineError(
                .unusableAddress,
                "\(endpoint.host) is not an address of this machine: \(systemMessage(reason)).")
        case EACCES:
            OnlineError(.system, "Port \(endpoint.port) needs privileges; use one above 1023.")
        default:
            OnlineError(
                .system, "Port \(endpoint.port) cannot be opened: \(systemMessage(reason)).")
        }
    }
}
