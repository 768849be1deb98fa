// SPDX-License-Identifier: MIT

import MatchProtocol
import TestSupport

/// A computer: a disk, and at most one process on it.
final class Machine {
    /// Whose it is: 0 begins the match as joiner, 1 as host.
    let player: Int
    let disk: SimulatedDisk
    /// The process that runs; an index.
    var process: Int?
    /// Whether there is power.
    var isOn = true
    /// How many entries by each seat are known to have been durable; lost ones are taken off.
    var durable = PerSeat<UInt64>(both: 0)
    /// An older state of the disk, and what it had.
    var backup: SimulatedDisk.Snapshot?
    /// Whether the backup is put back at the next start.
    var restores = false
    /// Whether something that was durable may be gone.
    var hasLost = false
    /// Whether the next start is already planned.
    var isStarting = false
    /// How often it has started.
    var starts: UInt64 = 0
    /// Names its process in a search: whoever started more often is the larger.
    var number: UInt64 { starts << 1 | UInt64(player) }
    /// Whether it never starts again.
    var isRetired = false

    init(player: Int, seed: UInt64) {
        self.player = player
        disk = SimulatedDisk(seed: seed)
    }
}

/// Why a process has ended by itself.
enum Leaving: Equatable {
    /// The match is done.
    case done
    /// The player left for now.
    case quit
    /// The other player left after the end of a game.
    case left
    /// The two logs differ.
    case forked
    /// Another process of the player goes on.
    case elsewhere
    /// There never was a match.
    case lost
    /// The disk refused.
    case disk
    /// The journal is damaged beyond use.
    case unusable
    /// The other side broke the protocol: never right.
    case broken(String)
}

extension PerSeat where Value == UInt64 {
    /// Raises the count of a seat.
    mutating func raise(_ seat: Seat, to count: UInt64) { self[seat] = max(self[seat], count) }
}
