// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// The addresses of this machine.
enum LocalAddresses {
    /// Those of the interfaces that are up, with this port, in the system's order.
    static func present(port: UInt16 = 0) -> [Endpoint] {
        var found: [Endpoint] = []
        forEach { endpoint, _ in
            let endpoint = Endpoint(
                address: endpoint.address, scope: endpoint.scope, port: port)
            if let endpoint, !found.contains(endpoint) { found.append(endpoint) }
        }
        return found
    }

    /// The number of the interface with this address; `nil` if there is none that is up.
    static func interface(of address: [UInt8]) -> UInt32? {
        var number: UInt32?
        forEach { endpoint, name in
            if number == nil, endpoint.address == address { number = if_nametoindex(name) }
        }
        return number == 0 ? nil : number
    }

    private static func forEach(_ body: (Endpoint, UnsafePointer<CChar>) -> Void) {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0,
                let endpoint = endpoint(address)
            else { continue }
            body(endpoint, entry.ifa_name)
        }
    }

    private static func endpoint(_ address: UnsafeMutablePointer<sockaddr>) -> Endpoint? {
        let size: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
        }
        return Endpoint(storage)
    }
}
