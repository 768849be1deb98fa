// SPDX-License-Identifier: MIT

import MatchProtocol
import TestSupport

extension KeptMatch.Disk {
    /// Loses an entry, and with it what cannot stand without.
    mutating func lose(_ index: Int) {
        let rest = entries[index...].dropFirst()
        entries.removeSubrange(index...)
        for entry in rest {
            let (mine, others) = (log(entry.seat).count, log(entry.seat.other).count)
            guard entry.number == mine + 1, entry.seen.count <= others else { continue }
            entries.append(entry)
        }
    }

    func log(_ seat: Seat) -> [[UInt8]] {
        entries.filter { $0.seat == seat }.map(\.line)
    }
}
