// SPDX-License-Identifier: MIT

import CAvahi
import ResponderProtocol

extension Family {
    var avahi: AvahiProtocol {
        switch self {
        case .ipv4: AvahiProtocol(AVAHI_PROTO_INET)
        case .ipv6: AvahiProtocol(AVAHI_PROTO_INET6)
        }
    }

    init?(_ avahi: AvahiProtocol) {
        switch avahi {
        case AvahiProtocol(AVAHI_PROTO_INET): self = .ipv4
        case AvahiProtocol(AVAHI_PROTO_INET6): self = .ipv6
        default: return nil
        }
    }
}

extension Sighting {
    init?(_ interface: AvahiIfIndex, _ family: AvahiProtocol, _ name: UnsafePointer<CChar>?) {
        // Events about no service have neither; a name that is no UTF-8 would abort libdbus.
        guard interface > 0, let family = Family(family), let name,
            let name = String(validatingCString: name)
        else { return nil }
        self.init(interface: UInt32(interface), family: family, name: name)
    }
}

extension Detail {
    init?(
        host: UnsafePointer<CChar>?, address: UnsafePointer<AvahiAddress>?, port: UInt16,
        text: UnsafeMutablePointer<AvahiStringList>?
    ) {
        guard let host, let host = String(validatingCString: host),
            let bytes = address?.pointee.bytes
        else { return nil }
        self.init(host: host, address: bytes, port: port, text: strings(text))
    }
}

extension AvahiAddress {
    /// The 4 or 16 bytes.
    var bytes: [UInt8]? {
        switch Family(proto) {
        case .ipv4: withUnsafeBytes(of: data.ipv4.address) { Array($0) }
        case .ipv6: withUnsafeBytes(of: data.ipv6.address) { Array($0) }
        case nil: nil
        }
    }
}

private func strings(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
    var strings: [[UInt8]] = []
    var rest = list
    while let item = rest {
        let text = UnsafeBufferPointer(
            start: avahi_string_list_get_text(item), count: avahi_string_list_get_size(item))
        strings.append(Array(text))
        rest = avahi_string_list_get_next(item)
    }
    return strings
}
