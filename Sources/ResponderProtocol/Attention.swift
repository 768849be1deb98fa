// SPDX-License-Identifier: MIT

/// Which of the sightings a responder keeps resolved, where there are more than it can: each one
/// that is resolved costs it memory, and it must not be deaf to games for a flood of others.
///
/// Those that nobody listens to make room for new ones; those for which there is no room yet wait.
package struct Attention: Sendable {
    /// What the responder must do, in order.
    package enum Step: Sendable, Hashable {
        case resolve(Sighting)
        case letGo(Sighting)
    }

    /// The most that are resolved at a time: the Avahi daemon allows a client 1024 objects.
    package static let most = 768
    /// The most that wait: as many records as an Avahi daemon's cache has by itself.
    package static let mostWaiting = 4096

    private var resolved: Set<Sighting> = []
    /// Those resolved that nobody listens to, with their place in the order in which that was said.
    private var ignored: [Sighting: UInt64] = [:]
    /// Those that wait, in their order; and the same, to be found among thousands.
    private var queue: [Sighting] = []
    private var waiting: Set<Sighting> = []
    private var count: UInt64 = 0

    /// Makes the value.
    package init() {}

    /// Takes a new sighting.
    package mutating func seen(_ sighting: Sighting) -> [Step] {
        guard !resolved.contains(sighting), !waiting.contains(sighting) else { return [] }
        if resolved.count < Self.most {
            resolved.insert(sighting)
            return [.resolve(sighting)]
        }
        guard waiting.count < Self.mostWaiting else { return [] }
        waiting.insert(sighting)
        queue.append(sighting)
        return next()
    }

    /// Takes that a sighting is no more.
    package mutating func lost(_ sighting: Sighting) -> [Step] {
        if waiting.remove(sighting) != nil { queue.removeAll { $0 == sighting } }
        guard resolved.remove(sighting) != nil else { return [] }
        ignored[sighting] = nil
        return [.letGo(sighting)] + next()
    }

    /// Takes that there is something new of a sighting, which may be of interest again.
    package mutating func found(_ sighting: Sighting) {
        ignored[sighting] = nil
    }

    /// Takes that nobody listens to what is found of a sighting.
    package mutating func ignore(_ sighting: Sighting) -> [Step] {
        guard resolved.contains(sighting) else { return [] }
        count += 1
        ignored[sighting] = count
        return next()
    }

    /// Lets one that waits have its turn, if there is or can be room.
    private mutating func next() -> [Step] {
        guard !waiting.isEmpty else { return [] }
        var steps: [Step] = []
        if resolved.count >= Self.most {
            guard let oldest = ignored.min(by: { $0.value < $1.value })?.key else { return [] }
            ignored[oldest] = nil
            resolved.remove(oldest)
            steps = [.letGo(oldest)]
        }
        let sighting = queue.removeFirst()
        waiting.remove(sighting)
        resolved.insert(sighting)
        return steps + [.resolve(sighting)]
    }
}
