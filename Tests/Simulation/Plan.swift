// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport

/// What a seed draws before anything happens.
struct Plan {
    /// What may go wrong.
    var faults: [Fault]
    /// How often something does.
    var strikes: Int
    /// The mean pause between two strikes, in milliseconds.
    var pause: UInt64
    /// How many games are to be played.
    var games: Int
    /// The longest way of bytes, in milliseconds.
    var latency: UInt64
    /// How long players think at most, in milliseconds.
    var thinking: UInt64
    /// How much they do besides moving, in percent.
    var liveliness: UInt64
    /// What stays wrong.
    var affliction: Affliction?
    var limits = SessionLimits()
    var frame: UInt32 = 65_536
    /// Whether one side takes its leave at the end.
    var leaves: Bool
    /// Whether both journals are opened at the end.
    var reads: Bool

    /// Draws the plan of a seed, without what a replay leaves out.
    init(_ random: inout SeededGenerator, without: [Fault], strikes most: Int?) {
        faults = []
        let density = 6 + random.next() % 24
        for fault in Fault.allCases where random.next() % 100 < density { faults.append(fault) }
        // Of those that lose what was durable only one, or nothing could be said of what is left.
        let losing = [Fault.restore, .twin, .rot][Int(random.next() % 3)]
        faults.removeAll { [.restore, .twin, .rot].contains($0) && $0 != losing }
        faults.removeAll { without.contains($0) }
        strikes = Int(random.next() % 6) + (random.next() % 8 == 0 ? 6 : 0)
        strikes = min(strikes, most ?? .max)
        pause = [60, 200, 600, 2_500][Int(random.next() % 4)]
        games = random.next() % 4 == 0 ? 2 : 1
        latency = [1, 10, 60][Int(random.next() % 3)]
        thinking = [1, 50, 400][Int(random.next() % 3)]
        liveliness = [2, 8, 20][Int(random.next() % 3)]
        let afflictions = Affliction.allCases
        let drawn = Int(random.next() % 40)
        affliction = drawn < afflictions.count ? afflictions[drawn] : nil
        leaves = random.next() % 8 == 0
        reads = random.next() % 8 == 0
        if has(.slow) { latency = 900 }
        if has(.smallWindow) { limits.windowPackets = 1 + Int(random.next() % 2) }
        if has(.smallFrames) { frame = 4_096 }
        if has(.earlyTimers), affliction != .slow {
            limits.handshake = 300 + random.next() % 700
            limits.frame = 50 + random.next() % 500
            limits.silence = 200 + random.next() % 2_000
            limits.answer = 200 + random.next() % 1_000
        }
    }

    /// Nothing goes wrong by itself.
    static var quiet: Plan {
        var random = SeededGenerator(seed: 1)
        var plan = Plan(&random, without: Fault.allCases, strikes: 0)
        plan.affliction = nil
        plan.liveliness = 0
        plan.leaves = false
        plan.limits = SessionLimits()
        return plan
    }

    func has(_ fault: Fault) -> Bool { faults.contains(fault) }

    /// Whether something may be lost that was durable.
    var losesData: Bool {
        has(.restore) || has(.twin) || has(.rot)
    }
}
