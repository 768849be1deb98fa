// SPDX-License-Identifier: MIT

import Glibc
import Simulation

/// `simulate N [FIRST]` plays the matches of N seeds and prints what happened; `simulate seed SEED
/// [WITHOUT [STRIKES]]` plays one again and prints it step by step.
@main
struct Program {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "seed", let seed = words.dropFirst().first.flatMap({ UInt64($0) }) {
            exit(replay(seed, Array(words.dropFirst(2))))
        }
        if words.first == "survey", let count = words.dropFirst().first.flatMap({ UInt64($0) }) {
            exit(survey(count))
        }
        if words.first == "search" {
            let numbers = words.dropFirst().compactMap { Int($0) }
            exit(search(numbers.count == 3 ? numbers : [2, 2, 2]))
        }
        if words.first == "find", let count = words.dropFirst().first.flatMap({ UInt64($0) }) {
            exit(find(count))
        }
        let count = words.first.flatMap { UInt64($0) } ?? 20_000
        let first = words.dropFirst().first.flatMap { UInt64($0) } ?? 1
        exit(run(count, from: first))
    }

    private static func run(_ count: UInt64, from first: UInt64) -> Int32 {
        let start = processorTime()
        let (figures, trace, failed) = Simulation.run(count, from: first)
        let seconds = processorTime() - start
        show(figures, seconds: seconds)
        print("trace      \(String(trace, radix: 16))")
        if let failed {
            report(failed)
            return 1
        }
        let missing = figures.missing
        guard missing.isEmpty || count < 10_000 else {
            print("never happened: \(missing)")
            return 1
        }
        return 0
    }

    private static func show(_ figures: Figures, seconds: Double) {
        let rate = seconds > 0 ? Int(Double(figures.matches) / seconds) : 0
        print(
            """
            matches    \(figures.matches), \(rate) a second of processor time
            moves      \(figures.moves), games \(figures.games), entries \(figures.entries)
            network    \(figures.connections) connections, \(figures.cuts) cuts
            processes  \(figures.crashes) crashes, \(figures.restarts) journals taken up again
            forks      \(figures.forks) matches refused, \(figures.afflicted) with a lasting fault
            time       \(figures.milliseconds / 1_000) virtual seconds
            """)
        for event in RareEvent.allCases { print("  \(figures.rare[event.rawValue])  \(event)") }
    }

    private static func report(_ seed: UInt64) {
        guard let failure = Simulation.shrink(seed: seed) else { return }
        print("seed \(seed): \(failure.violation)")
        let without = failure.without.map(\.rawValue).joined(separator: ",")
        print("replay: make simulate SEED=\(seed) WITHOUT=\(without) STRIKES=\(failure.strikes)")
    }

    /// Goes through all that can happen in a short game.
    private static func search(_ numbers: [Int]) -> Int32 {
        let start = processorTime()
        let search = Search(plies: UInt32(numbers[0]), crashes: numbers[1], cuts: numbers[2])
        let result = search.run { print("\($0) states") }
        print(
            "\(numbers[0]) plies, \(numbers[1]) crashes, \(numbers[2]) cuts: "
                + "\(result.states) states, \(result.steps) steps, \(result.ends) ends, "
                + "\(Int(processorTime() - start)) s")
        guard let violation = result.violation else { return 0 }
        for line in result.story { print(line) }
        print("wrong: \(violation)")
        return 1
    }

    /// Says which seed is the first that goes wrong.
    private static func find(_ count: UInt64) -> Int32 {
        guard let seed = Simulation.run(count).failed else { return 0 }
        print("seed \(seed): \(Simulation.play(seed: seed).violation ?? "")")
        return 1
    }

    /// Says of every seed what is wrong with it.
    private static func survey(_ count: UInt64) -> Int32 {
        var figures = Figures()
        let start = processorTime()
        for seed in 1...count {
            let outcome = Simulation.play(seed: seed)
            figures.add(outcome.figures)
            if let violation = outcome.violation { print("seed \(seed): \(violation)") }
        }
        show(figures, seconds: processorTime() - start)
        return 0
    }

    private static func replay(_ seed: UInt64, _ words: [String]) -> Int32 {
        let without = (words.first ?? "").split(separator: ",")
            .compactMap { Fault(rawValue: String($0)) }
        let strikes = words.dropFirst().first.flatMap { Int($0) }
        let outcome = Simulation.play(seed: seed, without: without, strikes: strikes) {
            print($0)
        }
        print(outcome.violation.map { "wrong: \($0)" } ?? "all is well")
        print("trace      \(String(outcome.trace, radix: 16))")
        return outcome.violation == nil ? 0 : 1
    }
}

/// Seconds of processor time that this process has used.
private func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
