// SPDX-License-Identifier: MIT

import CAvahiCore
import ResponderProtocol

/// The search for services; what is found is kept resolved, so that changes are told.
final class Search {
    private unowned let responder: Responder  // cannot trap: it owns this object and outlives it.
    private var browser: OpaquePointer?
    private var attention = Attention()
    private var resolvers: [Sighting: OpaquePointer] = [:]

    init(of responder: Responder) {
        self.responder = responder
        let event: AvahiSServiceBrowserCallback = {
            _, interface, family, event, name, _, _, _, context in
            Search.from(context)?.browsed(event, interface, family, name)
        }
        browser = avahi_s_service_browser_new(
            responder.server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
            responder.type, nil, AvahiLookupFlags(rawValue: 0), event, context)
    }

    deinit {
        for resolver in resolvers.values { avahi_s_service_resolver_free(resolver) }
        if let browser { avahi_s_service_browser_free(browser) }
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Search? {
        context.map { Unmanaged<Search>.fromOpaque($0).takeUnretainedValue() }
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
            responder.report(.lost(sighting))
        // The process that comes next begins anew.
        case AVAHI_BROWSER_FAILURE: responder.end()
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
                if let resolver = resolvers.removeValue(forKey: sighting) {
                    avahi_s_service_resolver_free(resolver)
                }
            }
        }
    }

    private func resolve(_ sighting: Sighting) {
        let event: AvahiSServiceResolverCallback = {
            _, interface, family, event, name, _, _, host, address, port, text, _, context in
            guard let search = Search.from(context),
                let sighting = Sighting(interface, family, name)
            else { return }
            if event == AVAHI_RESOLVER_FOUND,
                let detail = Detail(host: host, address: address, port: port, text: text)
            {
                search.attention.found(sighting)
                search.responder.report(.found(sighting, detail))
            } else {
                search.responder.report(.silent(sighting))
            }
        }
        // An address of the family that carried the advert: else an IPv4 one may bring fe80::.
        let family = sighting.family.avahi
        resolvers[sighting] = avahi_s_service_resolver_new(
            responder.server, AvahiIfIndex(sighting.interface), family, sighting.name,
            responder.type, nil, family, AvahiLookupFlags(rawValue: 0), event, context)
    }
}
