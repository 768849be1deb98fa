// SPDX-License-Identifier: MIT

/// What a run did.
package struct Figures: Sendable {
    /// Matches played.
    package var matches = 0
    /// Moves that both players were told.
    package var moves = 0
    /// Entries that were stored by who did not write them.
    package var entries = 0
    /// Games that both were told as over.
    package var games = 0
    /// Connections that were made, and that were cut.
    package var connections = 0
    package var cuts = 0
    /// Processes that were killed or lost their power, and journals that were opened again.
    package var crashes = 0
    package var restarts = 0
    /// Matches that ended because the logs differ.
    package var forks = 0
    /// Matches in which something stayed wrong.
    package var afflicted = 0
    /// Virtual time.
    package var milliseconds: UInt64 = 0
    /// How often each rare event happened.
    package var rare = [Int](repeating: 0, count: RareEvent.allCases.count)

    /// Nothing yet.
    package init() {}

    /// Adds what another run did.
    package mutating func add(_ other: Figures) {
        matches += other.matches
        moves += other.moves
        entries += other.entries
        games += other.games
        connections += other.connections
        cuts += other.cuts
        crashes += other.crashes
        restarts += other.restarts
        forks += other.forks
        afflicted += other.afflicted
        milliseconds += other.milliseconds
        for index in rare.indices { rare[index] += other.rare[index] }
    }

    /// The rare events that did not happen.
    package var missing: [RareEvent] { RareEvent.allCases.filter { rare[$0.rawValue] == 0 } }
}
