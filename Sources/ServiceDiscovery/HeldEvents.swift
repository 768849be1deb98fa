// SPDX-License-Identifier: MIT

/// What is to be told once the consumer has taken some of what it was told before.
///
/// Of each matter only the newest is kept, and nothing of a service that came and went meanwhile: so
/// there is never more than one event for each service that is listed or was told as found, and one
/// for its end.
package struct HeldEvents: Sendable {
    private enum Matter: Hashable {
        case means, name
        case service(String)
    }

    private struct Held {
        let matter: Matter
        /// Whether the end of the service that was told has to be told first.
        var isGone = false
        var news: DiscoveryEvent?
    }

    private var held: [Held] = []
    /// The services told as found and not as gone.
    private var told: Set<String> = []

    /// Holds nothing.
    package init() {}

    /// How many events wait for a consumer before any is held.
    package static let room = 64

    /// A stream that says when it has no room.
    package static func makeStream() -> (
        stream: AsyncStream<DiscoveryEvent>, continuation: AsyncStream<DiscoveryEvent>.Continuation
    ) {
        AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(room))
    }

    /// Tells as much as there is room for.
    package mutating func tell(to events: AsyncStream<DiscoveryEvent>.Continuation) {
        while let event = first {
            if case .dropped = events.yield(event) { return }
            removeFirst()
        }
    }

    /// How many are held.
    package var count: Int {
        held.reduce(0) { $0 + ($1.isGone ? 1 : 0) + ($1.news == nil ? 0 : 1) }
    }

    /// The next to be told.
    package var first: DiscoveryEvent? {
        guard let next = held.first else { return nil }
        if next.isGone, case .service(let id) = next.matter { return .gone(id: id) }
        return next.news
    }

    /// Takes what has happened.
    package mutating func add(_ event: DiscoveryEvent) {
        switch event {
        case .means: put(event, .means)
        case .advertised: put(event, .name)
        case .found(let service): put(event, .service(service.id))
        case .gone(let id):
            held.removeAll { $0.matter == .service(id) }
            if told.contains(id) { held.append(Held(matter: .service(id), isGone: true)) }
        }
    }

    private mutating func put(_ event: DiscoveryEvent, _ matter: Matter) {
        let place = held.firstIndex { $0.matter == matter } ?? held.endIndex
        if place == held.endIndex { held.append(Held(matter: matter)) }
        held[place].news = event
    }

    /// Notes that the first has been told.
    package mutating func removeFirst() {
        guard let event = first else { return }
        switch event {
        case .found(let service): told.insert(service.id)
        case .gone(let id): told.remove(id)
        case .means, .advertised: break
        }
        if held[0].isGone, held[0].news != nil {
            held[0].isGone = false
        } else {
            held.removeFirst()
        }
    }
}
