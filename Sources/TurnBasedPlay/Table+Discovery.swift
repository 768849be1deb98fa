// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol

extension Table {
    /// Opens the port, starts discovery, and begins to look.
    func open() {
        if let reason = wrongWithOptions {
            return fail(.unavailable, code: "options", reason)
        }
        if let directory = configuration.directory {
            do throws(OnlineError) {
                knownPeers = try KnownPeers(directory: directory)
                knownPeers?.patience = 0
            } catch {
                tell(.failed(code: "disk", message: error.description))
                return finish(.disk, reason: .failed)
            }
        }
        if let notice = configuration.notice { tell(.warned(code: "kept", message: notice)) }
        if case .match(let match, let seat) = configuration.seeking {
            return resume(JournalName(match: match, seat: seat))
        }
        guard openPort() else { return }
        // The hello says where this side can be dialled, also by a host that was gone.
        listenForReturn()
        if needsDiscovery { startDiscovery() }
        if needsBrowsing { discovery?.browse(true) }
        perform(lobby.begin(now: loop.now()))
        setAlarm()
    }

    /// Why no match can be played with the options, if none can.
    private var wrongWithOptions: String? {
        guard configuration.options.count <= 256 else { return "The options are too long." }
        do throws(InvalidOptions) {
            _ = try G(options: configuration.options, seed: [UInt8](repeating: 0, count: 32))
            return nil
        } catch {
            return error.reason
        }
    }

    /// Listens, if the player wants it; `false` if that failed and the table is closed.
    func openPort() -> Bool {
        guard let listening = configuration.listening else { return true }
        do throws(OnlineError) {
            try listen(listening)
            return true
        } catch {
            fail(.unavailable, code: "port", error.description)
            return false
        }
    }

    private func listen(_ listening: TableConfiguration.Listening) throws(OnlineError) {
        let listener: OnlineListener
        if let port = listening.port {
            listener = try bound(to: port, listening)
        } else {
            // The other side of a match that is taken up dials the port of the last time.
            let port = lastPort == 0 ? configuration.usualPort : lastPort
            do throws(OnlineError) {
                listener = try bound(to: port, listening)
            } catch {
                guard error.code == .portTaken else { throw error }
                listener = try bound(to: 0, listening)
                if lastPort == 0 {
                    tell(
                        .warned(
                            code: "port",
                            message: "Port \(port) is taken; "
                                + "this game is at port \(listener.port)."))
                }
            }
        }
        self.listener = listener
        if configuration.code == .madeUp { code = HostCode(now: loop.now()) }
        hosting = Hosting(
            name: configuration.name, port: listener.port,
            addresses: Self.forOthers(listener.addresses).map(\.description),
            key: configuration.identity.fingerprint.description, discovery: "none",
            code: code?.passcode.digits)
        tellHosting()
        serveListener()
    }

    /// What another machine can use comes first: people read no further.
    private static func forOthers(_ endpoints: [Endpoint]) -> [Endpoint] {
        let loopback: Set = ["127.0.0.1", "::1"]
        return endpoints.filter { !loopback.contains($0.host) }
            + endpoints.filter { loopback.contains($0.host) }
    }

    /// Serves everybody who comes; run() holds the table while its jobs go on.
    func serveListener() {
        guard let listener else { return }
        start { [self] in
            await listener.run { await self.serve($0) }
        }
    }

    private func bound(
        to port: UInt16, _ listening: TableConfiguration.Listening
    ) throws(OnlineError) -> OnlineListener {
        try OnlineListener(port: port, bind: listening.bind, settings: settings, loop: loop)
    }

    func tellHosting() {
        if let hosting { tell(.hosting(hosting)) }
    }

    // MARK: Adverts

    /// Makes discovery ready, once.
    func startDiscovery() {
        guard discovery == nil else { return }
        let discovery = ServiceDiscovery(
            type: configuration.service, fallback: configuration.responder, hidden: hex(instance),
            knownAs: AdvertText.knownAs(knownPeers))
        self.discovery = discovery
        start { [weak self] in
            for await event in discovery.events { await self?.discovered(event) }
        }
    }

    /// Whether the lobby wants to know what games there are.
    var needsBrowsing: Bool {
        switch lobby.configuration.target {
        case .guests, .address: false
        case .name, .anyOpen, .chosen: true
        }
    }

    private var needsDiscovery: Bool {
        if configuration.listening != nil && configuration.isAdvertised { return true }
        switch configuration.seeking {
        case .guests, .match: return false
        case .target(.address(let host, _, _)): return host.lowercased().hasSuffix(".local")
        case .target(.name), .anyOpen, .chosen: return true
        }
    }

    /// Tells the network how the game stands; with `nil` nothing any more.
    func advertise(_ state: AdvertText.State?) {
        guard configuration.isAdvertised, let listener, let state else {
            discovery?.advertise(nil)
            return
        }
        let text = AdvertText(
            salt: salt, tag: configuration.identity.fingerprint.advertTag(salt: salt),
            state: state)
        discovery?.advertise(
            Advertisement(
                name: configuration.name, port: listener.port,
                text: text.entries(id: hex(instance)),
                place: listener.interface.map {
                    AdvertisedPlace(interface: $0, isIPv4: listener.isIPv4)
                }))
    }

    private func discovered(_ event: DiscoveryEvent) {
        guard end == nil else { return }
        switch event {
        case .means(let means):
            let word =
                switch means {
                case .daemon: "avahi"
                case .own: "own"
                case .none: "none"
                }
            guard hosting != nil, hosting?.discovery != word else { break }
            hosting?.discovery = word
            tellHosting()
        case .advertised(let name):
            guard hosting != nil, hosting?.name != name else { break }
            hosting?.name = name
            tellHosting()
        case .found(let service): found(service)
        case .gone(let id): gone(id)
        }
        setAlarm()
    }

    private func found(_ service: Service) {
        guard let text = AdvertText(service), let id = UInt64(service.id, radix: 16) else {
            return gone(service.id)
        }
        services[service.id] = service
        if isOpponent(service) { seat?.hint(now: loop.now()) }
        let ownKey = configuration.identity.fingerprint
        let known = knownPeers?.fingerprint(salt: text.salt, tag: text.tag)
        if let game = service.game(of: known, knownPeers, configuration.name, ownKey),
            needsBrowsing, seat?.hasStarted != true
        {
            shown[service.id] = game
            tell(.found(game))
        } else {
            hide(service.id)
        }
        perform(
            lobby.found(
                InstanceID(value: id), name: service.name,
                isOpen: text.state == .open && !service.addresses.isEmpty,
                isKnown: known != nil, petname: known.flatMap { knownPeers?[$0]?.petname },
                place: service.endpoints.first?.host ?? "", now: loop.now()))
    }

    private func gone(_ id: String) {
        services[id] = nil
        hide(id)
        if let value = UInt64(id, radix: 16) { lobby.gone(InstanceID(value: value)) }
    }

    private func hide(_ id: String) {
        if let game = shown.removeValue(forKey: id) { tell(.gone(game)) }
    }
}
