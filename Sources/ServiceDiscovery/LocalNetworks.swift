// SPDX-License-Identifier: MIT

import ResponderProtocol

/// The networks that this machine's interfaces are in.
package struct LocalNetworks: Sendable, Hashable {
    /// One address of an interface with the length of its network's prefix.
    package struct Network: Sendable, Hashable {
        /// The index of the interface.
        package var interface: UInt32
        /// The interface's own address: 4 or 16 bytes.
        package var address: [UInt8]
        /// How many bits at the beginning are the network's.
        package var prefix: Int

        /// Makes the value.
        package init(interface: UInt32, address: [UInt8], prefix: Int) {
            self.interface = interface
            self.address = address
            self.prefix = prefix
        }

        fileprivate func contains(_ bytes: [UInt8]) -> Bool {
            guard bytes.count == address.count else { return false }
            return zip(bytes, address).enumerated().allSatisfy { index, pair in
                let bits = max(0, min(8, prefix - index * 8))
                return (pair.0 ^ pair.1) & UInt8(truncatingIfNeeded: 0xFF00 >> bits) == 0
            }
        }
    }

    private let networks: Set<Network>

    /// Makes the value.
    package init(_ networks: some Sequence<Network>) {
        self.networks = Set(networks)
    }

    /// Whether an address (4 or 16 bytes) can be reached over an interface without a router: it is
    /// of a network that the interface is in, or is of every link.
    package func contains(_ bytes: [UInt8], interface: UInt32) -> Bool {
        if LocalAddress.isLinkLocal(bytes) { return true }
        return networks.contains { $0.interface == interface && $0.contains(bytes) }
    }
}
