// SPDX-License-Identifier: MIT

import CAvahiCore
import ResponderProtocol

/// The service that is advertised.
final class Advert {
    private unowned let responder: Responder  // cannot trap: it owns this object and outlives it.
    private var group: OpaquePointer?
    private var published: Published?

    private struct Published {
        var name: String
        var port: UInt16
        var text: [[UInt8]]
        var place: Place?

        var interface: AvahiIfIndex {
            place.map { AvahiIfIndex(clamping: $0.interface) } ?? AvahiIfIndex(AVAHI_IF_UNSPEC)
        }
        var family: AvahiProtocol { place?.family.avahi ?? AvahiProtocol(AVAHI_PROTO_UNSPEC) }
    }

    init(of responder: Responder) { self.responder = responder }

    /// Advertises a service; where only the text changed it is not taken back before.
    func publish(name: String, port: UInt16, text: [[UInt8]], at place: Place?) {
        let isSame =
            published.map { ($0.name, $0.port, $0.place) == (name, port, place) } ?? false
        published = Published(name: name, port: port, text: text, place: place)
        guard isSame, update() else { return publishAgain() }
    }

    /// Takes back what is advertised.
    func withdraw() {
        published = nil
        if let group { avahi_s_entry_group_reset(group) }
    }

    /// Advertises the same once more, from the start.
    func publishAgain() {
        guard let published, let group = readyGroup() else { return }
        avahi_s_entry_group_reset(group)
        let list = stringList(published.text)
        defer { avahi_string_list_free(list) }
        var result = avahi_server_add_service_strlst(
            responder.server, group, published.interface, published.family,
            AvahiPublishFlags(rawValue: 0), published.name, responder.type, nil, responder.hostName,
            published.port, list)
        if result == AVAHI_OK { result = avahi_s_entry_group_commit(group) }
        if result == AVAHI_ERR_COLLISION { collided() }
    }

    private func update() -> Bool {
        guard let group, let published else { return false }
        let list = stringList(published.text)
        defer { avahi_string_list_free(list) }
        let result = avahi_server_update_service_txt_strlst(
            responder.server, group, published.interface, published.family,
            AvahiPublishFlags(rawValue: 0), published.name, responder.type, nil, list)
        guard result == AVAHI_OK else { return false }
        if avahi_s_entry_group_get_state(group) == AVAHI_ENTRY_GROUP_ESTABLISHED {
            responder.report(.established(name: published.name))
        }
        return true
    }

    private func readyGroup() -> OpaquePointer? {
        if group == nil {
            let changed: AvahiSEntryGroupCallback = { _, _, state, context in
                guard let context else { return }
                Unmanaged<Advert>.fromOpaque(context).takeUnretainedValue().changed(state)
            }
            group = avahi_s_entry_group_new(
                responder.server, changed, Unmanaged.passUnretained(self).toOpaque())
        }
        return group
    }

    private func changed(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            if let published { responder.report(.established(name: published.name)) }
        case AVAHI_ENTRY_GROUP_COLLISION: collided()
        case AVAHI_ENTRY_GROUP_FAILURE: responder.end()
        default: break
        }
    }

    private func collided() {
        guard let name = published?.name else { return }
        published = nil
        responder.report(.collision(name: name))
    }
}
