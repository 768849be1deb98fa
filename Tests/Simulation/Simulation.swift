// SPDX-License-Identifier: MIT

/// Runs simulated matches, and makes one that goes wrong as small as it can.
package enum Simulation {
    /// What became of one match.
    package struct Outcome: Sendable {
        /// What is wrong, if something is.
        package var violation: String?
        /// What it did.
        package var figures: Figures
        /// A number that depends on all that happened.
        package var trace: UInt64
    }

    /// A match that went wrong.
    package struct Failure: Sendable {
        /// Its seed.
        package var seed: UInt64
        /// What is wrong.
        package var violation: String
        /// Faults that need not be, for that to happen.
        package var without: [Fault]
        /// How many strikes it takes.
        package var strikes: Int
    }

    /// Plays the match of a seed; `tell` takes what happens, line by line.
    package static func play(
        seed: UInt64, without: [Fault] = [], strikes: Int? = nil, tell: ((String) -> Void)? = nil
    ) -> Outcome {
        let world = World(seed: seed, without: without, strikes: strikes, tell: tell)
        world.run()
        return Outcome(violation: world.violation, figures: world.figures, trace: world.trace)
    }

    /// Plays the matches of so many seeds from `first` on; stops at the first that goes wrong.
    package static func run(
        _ count: UInt64, from first: UInt64 = 1
    ) -> (figures: Figures, trace: UInt64, failed: UInt64?) {
        var figures = Figures()
        var trace: UInt64 = 0
        for seed in first..<first + count {
            let outcome = play(seed: seed)
            figures.add(outcome.figures)
            trace = (trace ^ outcome.trace) &* 0x9e37_79b9_7f4a_7c15
            trace ^= trace >> 31
            if outcome.violation != nil { return (figures, trace, seed) }
        }
        return (figures, trace, nil)
    }

    /// Leaves out of a match that goes wrong whatever is not needed for that.
    package static func shrink(seed: UInt64) -> Failure? {
        guard let violation = play(seed: seed).violation else { return nil }
        var failure = Failure(seed: seed, violation: violation, without: [], strikes: 12)
        for fault in Fault.allCases {
            let without = failure.without + [fault]
            if let violation = play(seed: seed, without: without).violation {
                failure.without = without
                failure.violation = violation
            }
        }
        while failure.strikes > 0,
            let violation = play(
                seed: seed, without: failure.without, strikes: failure.strikes - 1
            ).violation
        {
            failure.strikes -= 1
            failure.violation = violation
        }
        return failure
    }
}
