// SPDX-License-Identifier: MIT

import CLinux
import Glibc

extension LocalNetworks {
    /// The networks as the system knows them now; `nil` if it does not say.
    static func current() -> LocalNetworks? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var found: [Network] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let name = entry.ifa_name, let address = bytes(of: entry.ifa_addr),
                let mask = bytes(of: entry.ifa_netmask), mask.count == address.count
            else { continue }
            found.append(
                Network(
                    interface: if_nametoindex(name), address: address,
                    prefix: mask.reduce(0) { $0 + $1.nonzeroBitCount }))
        }
        return LocalNetworks(found)
    }

    /// The 4 or 16 bytes of an IP address.
    private static func bytes(of address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
        guard let address else { return nil }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let system = raw.loadUnaligned(as: sockaddr_in.self)
            return withUnsafeBytes(of: system.sin_addr) { Array($0) }
        case AF_INET6:
            let system = raw.loadUnaligned(as: sockaddr_in6.self)
            return withUnsafeBytes(of: system.sin6_addr) { Array($0) }
        default:
            return nil
        }
    }
}
