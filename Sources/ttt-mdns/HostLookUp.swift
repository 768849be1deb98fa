// SPDX-License-Identifier: MIT

import CAvahiCore
import ResponderProtocol

/// The look-up of one host's address of one family.
final class HostLookUp {
    private unowned let responder: Responder  // cannot trap: it owns this object and outlives it.
    private let number: UInt32
    private let family: Family
    private var resolver: OpaquePointer?

    init(_ number: UInt32, _ host: String, _ family: Family, of responder: Responder) {
        self.responder = responder
        self.number = number
        self.family = family
        let event: AvahiSHostNameResolverCallback = {
            _, interface, _, event, _, address, _, context in
            guard let context else { return }
            let lookUp = Unmanaged<HostLookUp>.fromOpaque(context).takeUnretainedValue()
            lookUp.resolved(event == AVAHI_RESOLVER_FOUND ? address?.pointee.bytes : nil, interface)
        }
        resolver = avahi_s_host_name_resolver_new(
            responder.server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
            host, family.avahi, AvahiLookupFlags(rawValue: 0), event,
            Unmanaged.passUnretained(self).toOpaque())
        if resolver == nil { resolved(nil, 0) }
    }

    deinit {
        if let resolver { avahi_s_host_name_resolver_free(resolver) }
    }

    private func resolved(_ bytes: [UInt8]?, _ interface: AvahiIfIndex) {
        if let bytes, interface > 0 {
            responder.report(
                .address(number: number, interface: UInt32(interface), bytes: bytes))
        } else {
            responder.report(.unknown(number: number, family: family))
        }
    }
}
