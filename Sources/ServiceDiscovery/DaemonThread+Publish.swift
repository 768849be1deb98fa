// SPDX-License-Identifier: MIT

import CAvahi
import ResponderProtocol

extension DaemonThread {
    /// Carries out an order; one that comes while there is no connection is lost.
    func carryOut(_ order: Order) {
        guard client != nil else { return }
        switch order {
        case .publish(let name, let port, let text, let place): publish(name, port, text, place)
        case .withdraw: withdraw()
        case .browse: browse()
        case .stop: stopBrowsing()
        case .lookUp(let number, let host): lookUp(number, host)
        case .forget(let number): forget(number)
        case .ignore(let sighting): ignore(sighting)
        }
    }

    /// Takes back what is advertised.
    func withdraw() {
        published = nil
        if let group { avahi_entry_group_reset(group) }
    }

    private func publish(_ name: String, _ port: UInt16, _ text: [[UInt8]], _ place: Place?) {
        guard let group = readyGroup() else { return }
        let list = stringList(text)
        defer { avahi_string_list_free(list) }
        let flags = AvahiPublishFlags(rawValue: 0)
        // Published once, mostly on all interfaces and both protocols: several groups are not
        // always taken back (avahi issues 677 and 139).
        let interface =
            place.map { AvahiIfIndex(clamping: $0.interface) } ?? AvahiIfIndex(AVAHI_IF_UNSPEC)
        let family = place?.family.avahi ?? AvahiProtocol(AVAHI_PROTO_UNSPEC)
        if let published, published == (name, port, place),
            avahi_entry_group_update_service_txt_strlst(
                group, interface, family, flags, name, type, nil, list) == AVAHI_OK
        {
            if avahi_entry_group_get_state(group)
                == Int32(AVAHI_ENTRY_GROUP_ESTABLISHED.rawValue)
            {
                report(.established(name: name))
            }
            return
        }
        withdraw()
        published = (name, port, place)
        var result = avahi_entry_group_add_service_strlst(
            group, interface, family, flags, name, type, nil, nil, port, list)
        if result == AVAHI_OK { result = avahi_entry_group_commit(group) }
        // The name is taken by another program on this machine.
        if result == AVAHI_ERR_COLLISION { collided() }
    }

    private func readyGroup() -> OpaquePointer? {
        if group == nil {
            let changed: AvahiEntryGroupCallback = { _, state, context in
                DaemonThread.from(context)?.groupChanged(state)
            }
            group = avahi_entry_group_new(client, changed, context)
        }
        return group
    }

    private func groupChanged(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            if let published { report(.established(name: published.name)) }
        case AVAHI_ENTRY_GROUP_COLLISION: collided()
        case AVAHI_ENTRY_GROUP_FAILURE: fail()
        default: break
        }
    }

    private func collided() {
        guard let name = published?.name else { return }
        published = nil
        report(.collision(name: name))
    }

    private func stringList(_ strings: [[UInt8]]) -> UnsafeMutablePointer<AvahiStringList>? {
        // Each is put in front of those before it.
        strings.reversed().reduce(nil) { avahi_string_list_add_arbitrary($0, $1, $1.count) }
    }
}
