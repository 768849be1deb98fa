// SPDX-License-Identifier: MIT

/// What discovery asks of a responder, be it the Avahi daemon or a process of our own.
///
/// Each order replaces what an earlier one of its kind asked for, so all of them can be given
/// again to a responder that has been started anew.
package enum Order: Sendable, Hashable {
    /// Advertise this service, with the strings of its TXT record; at one place only, or everywhere.
    case publish(name: String, port: UInt16, text: [[UInt8]], at: Place?)
    /// Advertise nothing, and say goodbye.
    case withdraw
    /// Look for services, and report all that are known from the start.
    case browse
    /// Look no longer.
    case stop
    /// Nobody listens to what is found of this sighting: it may be let go for others.
    case ignore(Sighting)
    /// Report the addresses of a host, under this number.
    case lookUp(number: UInt32, host: String)
    /// Stop looking for the addresses of that host.
    case forget(number: UInt32)
}

/// What a responder reports.
package enum Report: Sendable, Hashable {
    /// It takes orders. Nothing it was ordered before holds any longer.
    case ready
    /// The service is advertised under this name.
    case established(name: String)
    /// The name is taken; nothing is advertised now.
    case collision(name: String)
    /// A service was found, or something about it changed.
    case found(Sighting, Detail)
    /// A service that was seen does not say where it is.
    case silent(Sighting)
    /// A service is gone.
    case lost(Sighting)
    /// An address (4 or 16 bytes) of a host, seen on an interface.
    case address(number: UInt32, interface: UInt32, bytes: [UInt8])
    /// A host has no address of this family.
    case unknown(number: UInt32, family: Family)
}

/// Which of the two Internet protocols.
package enum Family: UInt8, Sendable, Hashable, CaseIterable {
    case ipv4 = 4
    case ipv6 = 6
}

/// An interface, and one of the protocols on it.
package struct Place: Sendable, Hashable {
    /// The index of the interface.
    package var interface: UInt32
    /// The protocol.
    package var family: Family

    /// Makes a place.
    package init(interface: UInt32, family: Family) {
        self.interface = interface
        self.family = family
    }
}

/// Where a service was seen: one service is seen several times, by interface and protocol.
package struct Sighting: Sendable, Hashable {
    /// The index of the interface.
    package var interface: UInt32
    /// The protocol that carried the advert.
    package var family: Family
    /// The instance name, any UTF-8.
    package var name: String

    /// Makes a sighting.
    package init(interface: UInt32, family: Family, name: String) {
        self.interface = interface
        self.family = family
        self.name = name
    }
}

/// What an advert says.
package struct Detail: Sendable, Hashable {
    /// The host's name.
    package var host: String
    /// The host's address on that interface: 4 or 16 bytes.
    package var address: [UInt8]
    /// The port.
    package var port: UInt16
    /// The strings of the TXT record, not yet looked at.
    package var text: [[UInt8]]

    /// Makes a detail.
    package init(host: String, address: [UInt8], port: UInt16, text: [[UInt8]]) {
        self.host = host
        self.address = address
        self.port = port
        self.text = text
    }
}
