// SPDX-License-Identifier: MIT

/// What a program tells the network about the service it offers.
public struct Advertisement: Sendable, Hashable {
    /// The longest TXT record sent or believed, in bytes, counting one length byte an entry.
    public static let longestText = 399

    /// The instance name wished for; another may be advertised when this one is taken.
    ///
    /// At most 63 bytes of UTF-8 are used. A name proves nothing and need not be unique.
    public var name: String
    /// The TCP port.
    public var port: UInt16
    /// The entries of the TXT record, in order; one of them must be `id`, 16 hex digits.
    ///
    /// An entry longer than 255 bytes, or one with which the record would become longer than
    /// ``longestText``, is left out.
    public var text: [TextEntry]
    /// Where the service can be reached, if that is not everywhere; it is not advertised elsewhere.
    public var place: AdvertisedPlace?

    /// Makes an advertisement.
    public init(
        name: String, port: UInt16, text: [TextEntry], place: AdvertisedPlace? = nil
    ) {
        self.name = name
        self.port = port
        self.text = text
        self.place = place
    }
}

/// The one interface, and the protocol, of a service that listens on one address only.
public struct AdvertisedPlace: Sendable, Hashable {
    /// The index of the interface.
    public var interface: UInt32
    /// Whether the address is IPv4; if not, it is IPv6.
    public var isIPv4: Bool

    /// Makes a place.
    public init(interface: UInt32, isIPv4: Bool) {
        self.interface = interface
        self.isIPv4 = isIPv4
    }
}

/// One `key=value` of a TXT record.
public struct TextEntry: Sendable, Hashable {
    /// The key: printable ASCII without `=`.
    public var key: String
    /// The value: any bytes.
    public var value: [UInt8]

    /// Makes an entry of bytes.
    public init(_ key: String, _ value: [UInt8]) {
        self.key = key
        self.value = value
    }

    /// Makes an entry of the UTF-8 of a string.
    public init(_ key: String, _ value: String) {
        self.init(key, Array(value.utf8))
    }
}

/// A service that was found, however many interfaces, protocols and addresses report it.
public struct Service: Sendable, Hashable, Identifiable {
    /// The value of the TXT key `id`: 16 hex digits that say which process this is.
    public var id: String
    /// The instance name, as it came from the network: it may hold control characters.
    public var name: String
    /// The host name in the advert; for display only.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// The TXT record, keys in lower case; of a repeated key the first value.
    public var text: [String: [UInt8]]
    /// Where to try: only private, link-local and loopback addresses, in a fixed order.
    public var addresses: [ServiceAddress]
    /// Whether the service did not answer when it was last asked for.
    ///
    /// It is back, or cached somewhere, or gone without a goodbye: not to be trusted.
    public var isStale: Bool
}

/// An address of a service or host.
public struct ServiceAddress: Sendable, Hashable {
    /// The 4 bytes of an IPv4 address or the 16 of an IPv6 address.
    public var bytes: [UInt8]
    /// The scope id of a link-local IPv6 address (its interface's index), else 0.
    public var scope: UInt32
    /// The TCP port; 0 for the addresses of a host.
    public var port: UInt16

    /// Makes an address.
    public init(bytes: [UInt8], scope: UInt32, port: UInt16) {
        self.bytes = bytes
        self.scope = scope
        self.port = port
    }
}

/// By what means services are advertised and found.
public enum DiscoveryMeans: Sendable, Hashable {
    /// The Avahi daemon of this machine.
    case daemon
    /// This program's own responder, a child process.
    case own
    /// None at this time: only addresses that a person types are of use.
    case none
}

/// What discovery tells, in order.
public enum DiscoveryEvent: Sendable, Hashable {
    /// The means changed.
    case means(DiscoveryMeans)
    /// The own service is advertised now, under this name; again when the name changes.
    case advertised(name: String)
    /// A service was found, or something about it changed.
    case found(Service)
    /// A service with this id is gone.
    case gone(id: String)
}
