// SPDX-License-Identifier: MIT

/// Goes through everything that can happen in a short game, in every order: what arrives, who
/// moves, dials, is cut, dies between which effects and comes back.
///
/// It walks from state to state, and goes on from each state once, however it came there
/// (`World.fingerprint` tells them apart by 64 bits; that two of ten million have the same is one
/// chance in 300,000). In the end it looks whether from every state some way leads to a finished
/// game: no state is stuck, also none in which something goes round for ever.
///
/// Everything that can go wrong is one of these:
///
/// - A process is killed before or after any effect. Whatever was sent may get lost from any frame
///   on, also all of it, so that it makes no difference whether an effect that sends was carried out
///   by then, nor whether its other side learns of the end at once or much later. A loss of power is
///   the same: nothing that has been done is unsynced, and inside a store or the opening of a journal
///   a line is there or it is not, as before or after that effect. The journal's own tests and the
///   drawn matches go through the halves of lines.
/// - A connection is cut: the same for both directions at once. A part of a frame is as good as none.
///
/// Bytes that were sent at one go arrive at one go, unless that is cut; nobody dials twice at the
/// same time; and nothing takes too long but what is dialled.
package struct Search {
    /// What was found.
    package struct Result: Sendable {
        /// States seen, and steps between them.
        package var states = 0
        package var steps = 0
        /// States in which nothing was left to do: every one of them a finished game.
        package var ends = 0
        /// What is wrong, and how it comes to that, line by line.
        package var violation: String?
        package var story: [String] = []
    }

    let plies: UInt32
    let crashes: Int
    let cuts: Int

    /// Searches games of so many plies with so many crashes and cuts.
    package init(plies: UInt32, crashes: Int, cuts: Int) {
        self.plies = plies
        self.crashes = crashes
        self.cuts = cuts
    }

    /// A state whose choices are being taken.
    private struct Open {
        let number: UInt32
        let moment: World.Moment
        var choices: [World.Choice]
    }

    /// Searches, depth first; `progress` is told how many states there are, now and then.
    package func run(progress: (Int) -> Void = { _ in }) -> Result {
        let world = World(searching: nil)
        var graph = Graph()
        _ = graph.add(world.fingerprint)
        var open = [Open(number: 0, moment: world.moment, choices: world.choices(within: self))]
        while let state = open.last {
            guard let choice = open[open.count - 1].choices.popLast() else {
                open.removeLast()
                continue
            }
            world.go(to: state.moment)
            guard world.take(choice) else { continue }
            if choice.effects > 0 {
                var next = choice
                next.effects += 1
                open[open.count - 1].choices.append(next)
            }
            if let violation = wrong(world) {
                return result(graph, violation, graph.path(to: state.number) + [choice])
            }
            let (number, isNew) = graph.add(
                world.fingerprint, from: state.number, by: choice)
            guard isNew else { continue }
            let choices = world.choices(within: self)
            if choices.isEmpty {
                graph.ends.append(number)
                if let violation = world.unfinished(plies: plies) {
                    return result(graph, violation, graph.path(to: number))
                }
            }
            open.append(Open(number: number, moment: world.moment, choices: choices))
            if graph.count.isMultiple(of: 1 << 17) { progress(graph.count) }
        }
        guard let stuck = graph.stuck else { return result(graph, nil, []) }
        return result(graph, "no way leads to the end of the game", graph.path(to: stuck))
    }

    private func wrong(_ world: World) -> String? {
        if let violation = world.violation { return violation }
        let ending = world.processes.lazy.compactMap(\.ending).first
        return ending.map { "a process has ended: \($0)" }
    }

    private func result(
        _ graph: Graph, _ violation: String?, _ path: [World.Choice]
    ) -> Result {
        var result = Result(
            states: graph.count, steps: graph.steps, ends: graph.ends.count, violation: violation)
        guard violation != nil else { return result }
        let world = World(searching: { result.story.append($0) })
        for choice in path {
            result.story.append("- \(choice.kind) \(choice.a) \(choice.b) \(choice.effects)")
            _ = world.take(choice)
        }
        return result
    }
}

/// The states that were seen, and the steps between them.
private struct Graph {
    /// States in which nothing was left to do.
    var ends: [UInt32] = []
    private var numbers: [UInt64: UInt32] = [:]
    /// By which step each state was first come to.
    private var origins: [(from: UInt32, by: World.Choice)] = []
    /// Every step.
    private var from: [UInt32] = []
    private var to: [UInt32] = []

    var count: Int { origins.count }
    var steps: Int { from.count }

    mutating func add(_ print: UInt64) -> UInt32 {
        numbers[print] = 0
        origins.append((0, World.Choice(.tick, 0)))
        return 0
    }

    mutating func add(
        _ print: UInt64, from state: UInt32, by choice: World.Choice
    ) -> (number: UInt32, isNew: Bool) {
        let next = UInt32(count)
        let number = numbers[print, default: next]
        from.append(state)
        to.append(number)
        guard number == next else { return (number, false) }
        numbers[print] = next
        origins.append((state, choice))
        return (number, true)
    }

    func path(to state: UInt32) -> [World.Choice] {
        var path: [World.Choice] = []
        var state = state
        while state != 0 {
            path.append(origins[Int(state)].by)
            state = origins[Int(state)].from
        }
        return path.reversed()
    }

    /// A state from which no way leads to an end.
    var stuck: UInt32? {
        // The steps that lead to a state, from `starts[state]` on.
        var starts = [Int](repeating: 0, count: count + 1)
        for state in to { starts[Int(state) + 1] += 1 }
        for state in 0..<count { starts[state + 1] += starts[state] }
        var sources = [UInt32](repeating: 0, count: from.count)
        var filled = starts
        for step in from.indices {
            sources[filled[Int(to[step])]] = from[step]
            filled[Int(to[step])] += 1
        }
        var isSafe = [Bool](repeating: false, count: count)
        var waiting = ends
        for end in ends { isSafe[Int(end)] = true }
        while let state = waiting.popLast() {
            for source in sources[starts[Int(state)]..<starts[Int(state) + 1]]
            where !isSafe[Int(source)] {
                isSafe[Int(source)] = true
                waiting.append(source)
            }
        }
        return isSafe.firstIndex(of: false).map { UInt32($0) }
    }
}
