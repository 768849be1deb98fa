// SPDX-License-Identifier: MIT

import CAvahiCore
import Glibc
import ResponderProtocol

/// The responder: reads orders, drives libavahi-core, writes reports; all on one thread.
final class Responder {
    let type: String
    private let poll: OpaquePointer
    private(set) var server: OpaquePointer?
    private var decoder = LineDecoder()
    private var host: HostRecords?
    private var advert: Advert?
    private var search: Search?
    private var lookUps: [UInt32: [HostLookUp]] = [:]

    /// Starts the responder; `nil` if the network cannot be used.
    init?(type: String) {
        guard let poll = avahi_simple_poll_new() else { return nil }
        self.type = type
        self.poll = poll
        avahi_set_log_function { _, _ in }
        server = makeServer()
        guard server != nil else { return nil }
    }

    /// Serves until the input ends, then says goodbye.
    func run() {
        let api = avahi_simple_poll_get(poll)
        let readable: AvahiWatchCallback = { _, _, _, context in
            Responder.from(context)?.read()
        }
        _ = api?.pointee.watch_new(api, 0, AVAHI_WATCH_IN, readable, context)
        host = HostRecords(of: self, api)
        report(.ready)
        avahi_simple_poll_loop(poll)
        search = nil
        lookUps = [:]
        // All records are taken back, and with them goes the goodbye.
        avahi_server_free(server)
    }

    /// Tells the program at the other end; when it is gone, so is the reason to be.
    func report(_ report: Report) {
        guard let line = report.line else { return }
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return end() }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the loop.
    func end() { avahi_simple_poll_quit(poll) }

    /// The host name was taken: the records that name it are no longer right.
    func hostRenamed() { advert?.publishAgain() }

    var hostName: String { host?.name ?? "" }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ context: UnsafeMutableRawPointer?) -> Responder? {
        context.map { Unmanaged<Responder>.fromOpaque($0).takeUnretainedValue() }
    }

    private func makeServer() -> OpaquePointer? {
        var config = AvahiServerConfig()
        avahi_server_config_init(&config)
        defer { avahi_server_config_free(&config) }
        config.host_name = avahi_strdup(HostRecords.newLabel())
        // Address records of the machine's own name, or reverse ones, would make the daemon of
        // this machine believe in a conflict and rename it.
        config.publish_addresses = 0
        config.publish_hinfo = 0
        config.publish_workstation = 0
        config.publish_domain = 0
        config.enable_wide_area = 0
        var failure: Int32 = 0
        let changed: AvahiServerCallback = { _, state, context in
            if state == AVAHI_SERVER_FAILURE { Responder.from(context)?.end() }
        }
        return avahi_server_new(avahi_simple_poll_get(poll), &config, changed, context, &failure)
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(0, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else { return end() }
        for line in decoder.append(buffer[..<count]) {
            if let order = Order(line: line) { carryOut(order) }
        }
    }

    private func carryOut(_ order: Order) {
        switch order {
        case .publish(let name, let port, let text, let place):
            advert = advert ?? Advert(of: self)
            advert?.publish(name: name, port: port, text: text, at: place)
        case .withdraw: advert?.withdraw()
        case .browse: search = Search(of: self)
        case .stop: search = nil
        case .ignore(let sighting): search?.ignore(sighting)
        case .lookUp(let number, let host):
            lookUps[number] = Family.allCases.map { HostLookUp(number, host, $0, of: self) }
        case .forget(let number): lookUps[number] = nil
        }
    }
}
