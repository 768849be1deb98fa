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
}

extension Endpoint {
    /// The address as far as it is one peer's and not its neighbours': an IPv4 address, the network
    /// of an IPv6 address, or a link-local address; empty if every program of this machine has it.
    package var neighbourhood: [UInt8] {
        guard !AddressGroup(self).isEverybodys else { return [] }
        let isLinkLocal = address[0] == 0xfe && address[1] & 0xc0 == 0x80
        return isIPv4 || isLinkLocal ? address : Array(address.prefix(8))
    }
}
