// SPDX-License-Identifier: MIT

/// Which addresses belong to the local network: only these are advertised, and only these are
/// believed.
///
/// Anyone on the network can advertise any address, and what is found is dialled: so an advert
/// must not be able to point at the wide Internet, nor at this machine from outside.
package enum LocalAddress {
    /// The index of the loopback interface in every Linux network namespace.
    private static let loopback: UInt32 = 1

    /// Whether an address (4 or 16 bytes) is private, link-local, or loopback on the loopback
    /// interface.
    package static func contains(_ bytes: [UInt8], interface: UInt32) -> Bool {
        isLoopback(bytes) ? interface == loopback : isPrivate(bytes) || isLinkLocal(bytes)
    }

    /// Whether an address is link-local.
    package static func isLinkLocal(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: bytes[0] == 169 && bytes[1] == 254
        case 16: bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        default: false
        }
    }

    private static func isLoopback(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: bytes[0] == 127
        case 16: bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
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
