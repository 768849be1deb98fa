// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import SessionProtocol

/// Tells when the addresses or interfaces of this machine may have changed: a connection from an
/// address that is gone is dead, long before the system gives it up.
package final class AddressWatch: Sendable {
    private let loop: EventLoop
    private let socket: NetlinkSocket

    /// Watches until it is let go; `nil` if the system does not tell.
    ///
    /// - Parameters:
    ///   - loop: The loop to run on.
    ///   - changed: Called on the loop's thread.
    package init?(on loop: EventLoop, changed: @escaping @Sendable () -> Void) {
        guard let socket = NetlinkSocket(changed) else { return nil }
        self.loop = loop
        self.socket = socket
        loop.perform { socket.start(on: loop) }
    }

    deinit {
        let (loop, socket) = (loop, socket)
        loop.perform { socket.stop(on: loop) }
    }
}

// Sendable although mutable: after init every member is touched on the loop's thread alone.
private final class NetlinkSocket: Watched, @unchecked Sendable {
    let descriptor: Int32
    var generation: UInt32 = 0
    private var changed: (@Sendable () -> Void)?

    init?(_ changed: @escaping @Sendable () -> Void) {
        let kind = SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        descriptor = socket(AF_NETLINK, Int32(kind), NETLINK_ROUTE)
        self.changed = changed
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        guard bound == 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func start(on loop: EventLoop) {
        if changed != nil { _ = loop.watch(self) }
    }

    func stop(on loop: EventLoop) {
        changed = nil
        loop.unwatch(self)
    }

    func ready(_ events: UInt32) {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        var hasNews = false
        // What was lost, as ENOBUFS says, is news all the same.
        while recv(descriptor, &buffer, buffer.count, 0) > 0 || errno == ENOBUFS { hasNews = true }
        if hasNews { changed?() }
    }

    func loopStopped() { changed = nil }
}

extension OnlineSession {
    /// Ends the session as lost if the address it has on this machine is not among `present`, which
    /// are those of ``Endpoint/ofThisMachine``. Call it on the session's loop.
    package func loseIfAddressIsGone(among present: Set<Endpoint>) {
        guard let stream = core.input as? DescriptorStream,
            let local = Endpoint(of: stream.descriptor, by: getsockname),
            local.isGone(among: present)
        else { return }
        core.command { $0.failed(reading: "this machine's address is gone") }
    }
}

extension Endpoint {
    /// The addresses that this machine has now, with port 0.
    package static var ofThisMachine: Set<Endpoint> { Set(LocalAddresses.present()) }

    /// Whether this machine has the address no more, if it has these, with port 0.
    func isGone(among present: Set<Endpoint>) -> Bool {
        // All of 127/8 is here, and only 127.0.0.1 is listed. No address at all means that the
        // system did not say.
        if address.count == 4, address[0] == 127 { return false }
        guard !present.isEmpty, let bare = Endpoint(address: address, scope: scope, port: 0) else {
            return false
        }
        return !present.contains(bare)
    }
}
