// SPDX-License-Identifier: MIT

package import ResponderProtocol

/// The host names that are being looked up.
package struct LookUps: Sendable {
    /// How long the second protocol's answer is waited for after the first's.
    package static let patience: Milliseconds = 300

    private struct LookUp {
        var host: String
        var until: Milliseconds
        var addresses: [ServiceAddress] = []
        var answered: Set<Family> = []
    }

    private var open: [UInt32: LookUp] = [:]

    /// Makes an empty collection.
    package init() {}

    /// The moment at which the next one has waited long enough, or `nil`.
    package var deadline: Milliseconds? { open.values.map(\.until).min() }

    /// The orders for all that are open, for a responder that knows of none.
    package var orders: [Order] {
        open.sorted { $0.key < $1.key }.map { .lookUp(number: $0.key, host: $0.value.host) }
    }

    /// Begins one.
    package mutating func begin(number: UInt32, host: String, until: Milliseconds) {
        open[number] = LookUp(host: host, until: until)
    }

    /// Takes an address.
    package mutating func address(
        number: UInt32, interface: UInt32, bytes: [UInt8], at now: Milliseconds
    ) {
        guard let address = ServiceAddress(named: bytes, interface: interface) else { return }
        open[number]?.answered.insert(bytes.count == 4 ? .ipv4 : .ipv6)
        guard open[number]?.addresses.contains(address) == false else { return }
        open[number]?.addresses.append(address)
        if let until = open[number]?.until {
            open[number]?.until = min(until, now + Self.patience)
        }
    }

    /// Takes that the host has no address of a family.
    package mutating func unknown(number: UInt32, family: Family) {
        open[number]?.answered.insert(family)
    }

    /// Removes and returns those that are done, or, with `hopeless`, all.
    package mutating func finished(
        at now: Milliseconds, hopeless: Bool
    ) -> [(number: UInt32, addresses: [ServiceAddress])] {
        let done = open.filter {
            hopeless || $0.value.until <= now || $0.value.answered.count == Family.allCases.count
        }
        for number in done.keys { open[number] = nil }
        return done.map { ($0.key, $0.value.addresses) }
    }

    /// Ends one that nobody waits for any longer.
    package mutating func cancel(number: UInt32) -> Bool {
        open.removeValue(forKey: number) != nil
    }
}
