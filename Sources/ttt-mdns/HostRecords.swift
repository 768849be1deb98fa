// SPDX-License-Identifier: MIT

import CAvahiCore
import Glibc
import ResponderProtocol

/// The address records of a host name of our own, kept in line with the machine's addresses.
///
/// They are separate from the machine's own name, which belongs to the Avahi daemon.
final class HostRecords {
    private struct Address: Hashable {
        let interface: UInt32
        let bytes: [UInt8]
    }

    /// The most addresses published.
    private static let most = 64

    /// After so many conflicts each new name waits so long, in milliseconds (RFC 6762 §8.1): somebody
    /// may be denying every name.
    private static let conflictsInARow = 15
    private static let pause: UInt32 = 5_000

    private unowned let responder: Responder  // cannot trap: it owns this object and outlives it.
    private let api: UnsafePointer<AvahiPoll>?
    private var conflicts = 0
    private var renaming: OpaquePointer?
    private var groups: [Address: OpaquePointer] = [:]
    private var label = HostRecords.newLabel()
    private let socket: Int32

    /// The host name in full.
    var name: String { label + ".local" }

    init(of responder: Responder, _ api: UnsafePointer<AvahiPoll>?) {
        self.responder = responder
        self.api = api
        // It becomes readable when a link or an address changes.
        socket = Glibc.socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            NETLINK_ROUTE)
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
        let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        if bound == 0 {
            _ = api?.pointee.watch_new(
                api, socket, AVAHI_WATCH_IN,
                { _, _, _, context in HostRecords.from(context)?.changed() }, context)
        }
        update()
    }

    /// A name that no machine has.
    static func newLabel() -> String {
        let number = String(UInt32.random(in: 0 ... .max), radix: 16)
        // cannot trap: 32 bits are at most 8 digits.
        return "ttt-" + String(repeating: "0", count: 8 - number.utf8.count) + number
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HostRecords? {
        context.map { Unmanaged<HostRecords>.fromOpaque($0).takeUnretainedValue() }
    }

    private func changed() {
        // What changed is read from the whole, so news may be lost.
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while recv(socket, &buffer, buffer.count, 0) > 0 || errno == ENOBUFS {}
        update()
    }

    private func update() {
        let present = Set(Self.present().prefix(Self.most))
        for (address, group) in groups where !present.contains(address) {
            avahi_s_entry_group_free(group)
            groups[address] = nil
        }
        for address in present where groups[address] == nil { publish(address) }
    }

    private func publish(_ address: Address) {
        // A group for each, so that one can come or go without the others being taken back.
        let changed: AvahiSEntryGroupCallback = { _, _, state, context in
            if state == AVAHI_ENTRY_GROUP_COLLISION { HostRecords.from(context)?.collided() }
        }
        guard let group = avahi_s_entry_group_new(responder.server, changed, context) else {
            return
        }
        groups[address] = group
        var record = AvahiAddress(address.bytes)
        let result = avahi_server_add_address(
            responder.server, group, AvahiIfIndex(address.interface),
            AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_REVERSE, name, &record)
        if result == AVAHI_OK { avahi_s_entry_group_commit(group) }
    }

    /// The name is taken; this is called from inside of one of the groups, maybe once for each.
    private func collided() {
        guard renaming == nil else { return }
        conflicts = min(conflicts + 1, Self.conflictsInARow)
        var time = timeval()
        avahi_elapse_time(&time, conflicts < Self.conflictsInARow ? 0 : Self.pause, 0)
        let isTime: AvahiTimeoutCallback = { _, context in HostRecords.from(context)?.rename() }
        renaming = api?.pointee.timeout_new(api, &time, isTime, context)
    }

    private func rename() {
        if let renaming { api?.pointee.timeout_free(renaming) }
        renaming = nil
        label = Self.newLabel()
        for group in groups.values { avahi_s_entry_group_free(group) }
        groups = [:]
        update()
        responder.hostRenamed()
    }

    /// The addresses that peers can use, in the kernel's order.
    private static func present() -> [Address] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [Address] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0,
                let bytes = bytes(address)
            else { continue }
            let interface = if_nametoindex(entry.ifa_name)
            guard interface > 0, LocalAddress.contains(bytes, interface: interface) else {
                continue
            }
            addresses.append(Address(interface: interface, bytes: bytes))
        }
        return addresses
    }

    private static func bytes(_ address: UnsafePointer<sockaddr>) -> [UInt8]? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
            }
        default: nil
        }
    }
}
