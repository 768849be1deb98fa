// SPDX-License-Identifier: MIT

import CAvahi
import ResponderProtocol

/// The look-up of one host's address of one family; the thread's own.
final class HostLookUp {
    let number: UInt32
    let family: Family
    let thread: Unmanaged<DaemonThread>
    var resolver: OpaquePointer?

    init(_ number: UInt32, _ family: Family, _ thread: DaemonThread) {
        self.number = number
        self.family = family
        self.thread = .passUnretained(thread)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> HostLookUp? {
        context.map { Unmanaged<HostLookUp>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension DaemonThread {
    func browse() {
        stopBrowsing()
        let event: AvahiServiceBrowserCallback = {
            _, interface, family, event, name, _, _, _, context in
            DaemonThread.from(context)?.browsed(event, interface, family, name)
        }
        browser = avahi_service_browser_new(
            client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), type, nil,
            AvahiLookupFlags(rawValue: 0), event, context)
    }

    func stopBrowsing() {
        for resolver in resolvers.values { avahi_service_resolver_free(resolver) }
        resolvers = [:]
        attention = Attention()
        if let browser { avahi_service_browser_free(browser) }
        browser = nil
    }

    private func browsed(
        _ event: AvahiBrowserEvent, _ interface: AvahiIfIndex, _ family: AvahiProtocol,
        _ name: UnsafePointer<CChar>?
    ) {
        switch event {
        case AVAHI_BROWSER_NEW:
            guard let sighting = Sighting(interface, family, name) else { return }
            take(attention.seen(sighting))
        case AVAHI_BROWSER_REMOVE:
            guard let sighting = Sighting(interface, family, name) else { return }
            take(attention.lost(sighting))
            report(.lost(sighting))
        case AVAHI_BROWSER_FAILURE: fail()
        default: break
        }
    }

    /// Lets a sighting that nobody listens to go if there are others.
    func ignore(_ sighting: Sighting) { take(attention.ignore(sighting)) }

    private func take(_ steps: [Attention.Step]) {
        for step in steps {
            switch step {
            case .resolve(let sighting): resolve(sighting)
            case .letGo(let sighting):
                resolvers.removeValue(forKey: sighting).map { _ = avahi_service_resolver_free($0) }
            }
        }
    }

    /// Keeps a resolver for the sighting: it tells of changes, and of silence.
    private func resolve(_ sighting: Sighting) {
        guard client != nil else { return }
        let event: AvahiServiceResolverCallback = {
            _, interface, family, event, name, _, _, host, address, port, text, _, context in
            guard let thread = DaemonThread.from(context),
                let sighting = Sighting(interface, family, name)
            else { return }
            if event == AVAHI_RESOLVER_FOUND,
                let detail = Detail(host: host, address: address, port: port, text: text)
            {
                thread.attention.found(sighting)
                thread.report(.found(sighting, detail))
            } else {
                thread.report(.silent(sighting))
            }
        }
        // An address of the family that carried the advert: else an IPv4 one may bring fe80::.
        let family = sighting.family.avahi
        resolvers[sighting] = avahi_service_resolver_new(
            client, AvahiIfIndex(sighting.interface), family, sighting.name, type, nil,
            family, AvahiLookupFlags(rawValue: 0), event, context)
    }

    func lookUp(_ number: UInt32, _ host: String) {
        forget(number)
        lookUps[number] = Family.allCases.map { family in
            let lookUp = HostLookUp(number, family, self)
            lookUp.resolver = avahi_host_name_resolver_new(
                client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), host,
                family.avahi, AvahiLookupFlags(rawValue: 0), Self.hostResolved,
                Unmanaged.passUnretained(lookUp).toOpaque())
            if lookUp.resolver == nil { report(.unknown(number: number, family: family)) }
            return lookUp
        }
    }

    func forget(_ number: UInt32) {
        for lookUp in lookUps.removeValue(forKey: number) ?? [] {
            if let resolver = lookUp.resolver { avahi_host_name_resolver_free(resolver) }
        }
    }

    private static let hostResolved: AvahiHostNameResolverCallback = {
        _, interface, _, event, _, address, _, context in
        guard let lookUp = HostLookUp.from(context) else { return }
        let thread = lookUp.thread.takeUnretainedValue()
        if event == AVAHI_RESOLVER_FOUND, let bytes = address?.pointee.bytes, interface > 0 {
            thread.report(
                .address(number: lookUp.number, interface: UInt32(interface), bytes: bytes))
        } else {
            thread.report(.unknown(number: lookUp.number, family: lookUp.family))
        }
    }
}
