// SPDX-License-Identifier: MIT

/// What counts as one address where connections are counted: an IPv4 address, or the network of
/// an IPv6 address, since one machine has all of it. A link-local network is shared by all machines
/// on the link, so there it is the address.
struct AddressGroup: Sendable, Hashable {
    private let isIPv4: Bool
    private let high: UInt64
    private let low: UInt64
    /// Whether every program of this machine has it, so that what one does says nothing of others.
    let isEverybodys: Bool

    init(_ endpoint: Endpoint) {
        let address = endpoint.address
        let isLinkLocal = address[0] == 0xfe && address[1] & 0xc0 == 0x80
        isIPv4 = endpoint.isIPv4
        high = address.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = isIPv4 || !isLinkLocal ? 0 : address.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
        isEverybodys =
            address == [127, 0, 0, 1] || address == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Bytes that no other group has.
    fileprivate var bytes: [UInt8] {
        [isIPv4 ? 4 : 6]
            + [high, low].flatMap { word in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
            }
    }
}

extension Endpoint {
    /// What is the same for all addresses that count as one (`AddressGroup`), and for no others;
    /// empty if every program of this machine has the address.
    package var neighbourhood: [UInt8] {
        let group = AddressGroup(self)
        return group.isEverybodys ? [] : group.bytes
    }
}
