// SPDX-License-Identifier: MIT

package import ResponderProtocol

/// Keeps the own service advertised, under another name where the name is taken.
package struct AdvertMachine: Sendable {
    private enum State: Sendable {
        /// To be ordered as soon as there is a responder.
        case due
        /// The responder makes sure that the name is free.
        case ordered(Advertisement?)
        case established
        /// The names tried were all taken: not due before this moment.
        case resting(until: Milliseconds)
    }

    private var wanted: Advertisement?
    private var name = InstanceName("")
    private var told: String?
    private var collisions = 0
    private var isPublished = false
    private var state = State.due

    /// Makes a machine that advertises nothing.
    package init() {}

    /// The moment at which `order(at:)` has something new to say, or `nil`.
    package var deadline: Milliseconds? {
        if wanted != nil, case .resting(let until) = state { until } else { nil }
    }

    /// Takes what to advertise from now on.
    package mutating func want(_ advertisement: Advertisement?) {
        // The name in use stays when the same name is wished for: only the text changed.
        if advertisement?.name != wanted?.name {
            name = InstanceName(advertisement?.name ?? "")
            collisions = 0
            told = nil
        }
        wanted = advertisement
        // Another text while the name is still being asked for makes the daemon take its own
        // question, as it hears it come back, for that of somebody else who wants the name.
        if case .ordered(let ordered?) = state, let advertisement, advertisement.isAt(ordered) {
            return
        }
        state = .due
    }

    /// Takes that no responder advertises anything any longer.
    package mutating func forgotten() {
        state = .due
        isPublished = false
    }

    /// The order to give now to the responder, or `nil`.
    package mutating func order(at now: Milliseconds) -> Order? {
        switch state {
        case .ordered, .established: return nil
        case .resting(let until) where now < until: return nil
        case .due, .resting: break
        }
        state = .ordered(wanted)
        guard let wanted else {
            defer { isPublished = false }
            return isPublished ? .withdraw : nil
        }
        isPublished = true
        return .publish(
            name: name.string, port: wanted.port, text: TextRecord.strings(wanted.text),
            at: wanted.place.map(Place.init))
    }

    /// Takes that the service is advertised; says whether that is news.
    package mutating func established(name: String) -> DiscoveryEvent? {
        guard wanted != nil, case .ordered(let ordered) = state, name == self.name.string else {
            return nil
        }
        state = ordered == wanted ? .established : .due
        guard told != name else { return nil }
        told = name
        return .advertised(name: name)
    }

    /// Takes that the name is taken, at once or long after it was established.
    package mutating func collision(name: String, at now: Milliseconds) {
        guard wanted != nil, name == self.name.string else { return }
        switch state {
        case .due, .resting: return
        case .ordered, .established: break
        }
        self.name = self.name.next
        collisions += 1
        // RFC 6762 §8.1: after many conflicts in a row, wait. Somebody may be denying every name.
        switch collisions {
        case ...1: state = .due
        case ...10: state = .resting(until: now + 1_200 * draw)
        case ...20: state = .resting(until: now + 5000)
        default: state = .resting(until: now + 60_000)
        }
    }
}

extension AdvertMachine {
    /// 0 to 3, by chance: two who ask for a name at the same time may both lose it, since Avahi
    /// judges each of their records by itself, and would go on in step from name to name. Asking
    /// takes a daemon less than 1.2 s.
    private var draw: Milliseconds {
        let id = wanted?.text.first { $0.key == "id" }?.value ?? []
        // cannot trap: it is below 4.
        return id.isEmpty ? 0 : Milliseconds(id[collisions % id.count] & 3)
    }
}

extension Advertisement {
    /// Whether only the text is another one.
    fileprivate func isAt(_ other: Advertisement) -> Bool {
        name == other.name && port == other.port && place == other.place
    }
}

extension Place {
    fileprivate init(_ place: AdvertisedPlace) {
        self.init(interface: place.interface, family: place.isIPv4 ? .ipv4 : .ipv6)
    }
}
