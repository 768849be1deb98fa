// SPDX-License-Identifier: MIT

import Simulation
import Testing

@Suite struct SimulationTests {
    @Test func `matches survive whatever their seeds draw`() {
        let run = Simulation.run(200)
        #expect(run.failed == nil)
        #expect(run.figures.matches == 200)
        #expect(run.figures.moves > 1_000)
    }

    @Test(arguments: [UInt64(1), 7, 50])
    func `a seed is played again exactly`(seed: UInt64) {
        #expect(Simulation.play(seed: seed).trace == Simulation.play(seed: seed).trace)
    }

    @Test(arguments: [(1, 0), (0, 1)])
    func `a game comes to its end in whatever order things happen`(crashes: Int, cuts: Int) {
        let result = Search(plies: 1, crashes: crashes, cuts: cuts).run()
        #expect(result.violation == nil)
        #expect(result.ends > 0)
    }
}
