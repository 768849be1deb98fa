// SPDX-License-Identifier: MIT

package import SessionProtocol

/// Two session machines joined by a simulated link, with a virtual clock.
///
/// Bytes arrive ``latency`` after they were sent, in pieces of at most ``piece`` bytes, in order.
/// Everything a machine tells is kept in ``events``; by itself the pair accepts hellos and takes
/// packets, unless ``accepts`` and ``takes`` say otherwise.
package struct Pair: Sendable {
    /// What time it is.
    package var now: Instant
    /// The machine of each side.
    package var machines: [Role: SessionMachine]
    /// What each machine has told so far.
    package var events: [Role: [SessionEvent]] = [.initiator: [], .responder: []]
    /// How long bytes are under way, in milliseconds.
    package var latency: UInt64 = 5
    /// The most bytes that arrive at once.
    package var piece = Int.max
    /// Whether the responder accepts a hello by itself.
    package var accepts = true
    /// Whether packets are taken as soon as they are told.
    package var takes = true
    /// Whether bytes arrive; when not, they vanish as on a dead link.
    package var isUp = true

    private struct Flight {
        var arrival: Instant
        var to: Role
        var bytes: [UInt8]
    }
    private var flights: [Flight] = []

    /// Joins two machines at a time.
    package init(
        _ initiator: SessionMachine, _ responder: SessionMachine,
        at now: Instant = Instant(nanoseconds: 0)
    ) {
        machines = [.initiator: initiator, .responder: responder]
        self.now = now
    }

    /// Joins two new machines that speak for "test", and changes them before anything is sent.
    package init(
        limits: SessionLimits = SessionLimits(), acknowledgement: Acknowledgement = .whenTaken,
        at now: Instant = Instant(nanoseconds: 0)
    ) {
        func machine(_ role: Role) -> SessionMachine {
            SessionMachine(
                role: role, hello: .test(role), limits: limits, acknowledgement: acknowledgement,
                random: [UInt8](1...24), now: now)
        }
        self.init(machine(.initiator), machine(.responder), at: now)
    }

    /// The machine that opened the connection.
    package var initiator: SessionMachine {
        get { self[.initiator] }
        set { machines[.initiator] = newValue }
    }

    /// The machine that accepted it.
    package var responder: SessionMachine {
        get { self[.responder] }
        set { machines[.responder] = newValue }
    }

    /// The machine of a side.
    package subscript(role: Role) -> SessionMachine {
        get {
            machines[role]
                ?? SessionMachine(role: role, hello: .test(role), random: [], now: now)
        }
        set { machines[role] = newValue }
    }

    /// The packets that a side was told, in order.
    package func packets(at role: Role) -> [[UInt8]] {
        (events[role] ?? []).compactMap { event in
            if case .packet(_, let packet) = event { packet } else { nil }
        }
    }

    /// Runs until nothing is under way; deadlines are not waited for.
    package mutating func settle() {
        collect()
        while let arrival = flights.first?.arrival {
            deliver(at: max(arrival, now))
        }
    }

    /// Lets time pass, with every arrival and deadline in it at its own moment.
    package mutating func advance(milliseconds: UInt64) {
        let end = now.advanced(milliseconds: milliseconds)
        collect()
        while let next = nextMoment, next <= end {
            deliver(at: max(next, now))
        }
        now = end
    }

    /// Cuts the connection: what is under way is lost, and both sides see the stream end.
    package mutating func cut() {
        collect()
        flights = []
        for role in Role.allCases { self[role].endOfStream(at: now) }
        collect()
    }

    private var nextMoment: Instant? {
        let deadlines = machines.values.compactMap(\.deadline)
        return (deadlines + (flights.first.map { [$0.arrival] } ?? [])).min()
    }

    /// Goes to a moment and does what is due there.
    private mutating func deliver(at moment: Instant) {
        now = moment
        while let flight = flights.first, flight.arrival <= now {
            flights.removeFirst()
            if isUp { self[flight.to].receive(flight.bytes.span, at: now) }
            collect()
        }
        for role in Role.allCases {
            if let deadline = self[role].deadline, deadline <= now { self[role].tick(at: now) }
        }
        collect()
    }

    /// Takes events and output of both machines until there are none.
    private mutating func collect() {
        for role in Role.allCases {
            while let event = self[role].nextEvent() {
                events[role, default: []].append(event)
                switch event {
                case .hello where accepts: self[role].accept()
                case .packet where takes: self[role].took(packets: 1)
                default: break
                }
            }
            let other: Role = role == .initiator ? .responder : .initiator
            while let bytes = self[role].nextOutput() { launch(bytes, to: other) }
        }
    }

    private mutating func launch(_ bytes: [UInt8], to role: Role) {
        let arrival = max(now.advanced(milliseconds: latency), flights.last?.arrival ?? now)
        var rest = bytes[...]
        while !rest.isEmpty {
            flights.append(Flight(arrival: arrival, to: role, bytes: [UInt8](rest.prefix(piece))))
            rest = rest.dropFirst(piece)
        }
    }
}

extension Hello {
    /// A hello of either side for an application called "test".
    package static func test(_ role: Role) -> Hello {
        let instance: UInt64 = role == .initiator ? 0x0102_0304_0506_0708 : 0x1112_1314_1516_1718
        return Hello(
            application: "test", applicationVersions: VersionRange(1, 3),
            name: role == .initiator ? "Ann" : "Bob", instance: InstanceID(value: instance))
    }
}
