// SPDX-License-Identifier: MIT

/// Counts the connections that have not said yet who they are, in all and for each address.
struct Admission {
    /// At most so many in all, and so many from one address.
    static let inAll = 32
    static let fromOne = 4

    private var counts: [[UInt8]: Int] = [:]
    private(set) var total = 0

    /// Counts a connection from `endpoint`, unless there are enough already.
    mutating func admit(_ endpoint: Endpoint) -> Bool {
        let source = Self.source(endpoint)
        let count = counts[source, default: 0]
        guard total < Self.inAll, count < Self.fromOne else { return false }
        total += 1
        counts[source] = count + 1
        return true
    }

    /// Counts it no more: it has said who it is, or is gone.
    mutating func release(_ endpoint: Endpoint) {
        let source = Self.source(endpoint)
        guard let count = counts[source] else { return }
        total -= 1
        counts[source] = count > 1 ? count - 1 : nil
    }

    /// What counts as one address: of IPv6 the network, since one machine has all of it. A
    /// link-local network is shared by all machines on the link.
    private static func source(_ endpoint: Endpoint) -> [UInt8] {
        let address = endpoint.address
        guard address.count == 16 else { return address }
        let isLinkLocal = address[0] == 0xfe && address[1] & 0xc0 == 0x80
        return isLinkLocal ? address : Array(address[..<8])
    }
}
