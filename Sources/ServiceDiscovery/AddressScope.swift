// SPDX-License-Identifier: MIT

/// Which addresses of an advert are believed.
///
/// Anyone on the network can advertise any address, and what is found is dialled: so an advert
/// must not be able to point at the wide Internet, nor at this machine from outside.
package enum AddressScope {
    /// The index of the loopback interface in every Linux network namespace.
    private static let loopback: UInt32 = 1

    /// The address as it can be dialled, or `nil` if it is not one of the local network.
    ///
    /// - Parameters:
    ///   - bytes: The 4 or 16 bytes.
    ///   - interface: The index of the interface on which it was seen.
    package static func local(
        _ bytes: [UInt8], interface: UInt32, port: UInt16
    ) -> ServiceAddress? {
        let isLocal =
            isLoopback(bytes)
            ? interface == loopback : isPrivate(bytes) || isLinkLocal(bytes)
        return isLocal ? address(bytes, interface: interface, port: port) : nil
    }

    /// The address of a host that a person named: any that one peer can have.
    package static func host(_ bytes: [UInt8], interface: UInt32) -> ServiceAddress? {
        guard let first = bytes.first, bytes.contains(where: { $0 != 0 }) else { return nil }
        let isMulticast = bytes.count == 4 ? first >= 224 : first == 0xFF
        return isMulticast ? nil : address(bytes, interface: interface, port: 0)
    }

    private static func address(
        _ bytes: [UInt8], interface: UInt32, port: UInt16
    ) -> ServiceAddress? {
        guard bytes.count == 16, isLinkLocal(bytes) else {
            return ServiceAddress(bytes: bytes, scope: 0, port: port)
        }
        // A link-local IPv6 address means nothing without its link.
        guard interface > 0, interface <= UInt32(Int32.max) else { return nil }
        return ServiceAddress(bytes: bytes, scope: interface, port: port)
    }

    private static func isLoopback(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: bytes[0] == 127
        case 16: bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
        default: false
        }
    }

    private static func isLinkLocal(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: bytes[0] == 169 && bytes[1] == 254
        case 16: bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        default: false
        }
    }

    private static func isPrivate(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4:
            bytes[0] == 10 || bytes[0] == 192 && bytes[1] == 168
                || bytes[0] == 172 && bytes[1] & 0xF0 == 16
        case 16: bytes[0] & 0xFE == 0xFC
        default: false
        }
    }
}
