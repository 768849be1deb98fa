// SPDX-License-Identifier: MIT

import ResponderProtocol

extension ServiceAddress {
    /// Takes the address in an advert seen on an interface; `nil` if it is none of the local
    /// network there.
    package init?(
        advertised bytes: [UInt8], interface: UInt32, port: UInt16, in networks: LocalNetworks
    ) {
        guard LocalAddress.contains(bytes, interface: interface),
            networks.contains(bytes, interface: interface)
        else { return nil }
        self.init(bytes, interface, port)
    }

    /// Takes an address of a host that a person named: any that one peer can have.
    package init?(named bytes: [UInt8], interface: UInt32) {
        guard let first = bytes.first, bytes.contains(where: { $0 != 0 }) else { return nil }
        let isMulticast = bytes.count == 4 ? first >= 224 : first == 0xFF
        guard !isMulticast else { return nil }
        self.init(bytes, interface, 0)
    }

    private init?(_ bytes: [UInt8], _ interface: UInt32, _ port: UInt16) {
        guard bytes.count == 16, LocalAddress.isLinkLocal(bytes) else {
            self.init(bytes: bytes, scope: 0, port: port)
            return
        }
        // A link-local IPv6 address means nothing without its link.
        guard interface > 0, interface <= UInt32(Int32.max) else { return nil }
        self.init(bytes: bytes, scope: interface, port: port)
    }
}
