// SPDX-License-Identifier: MIT

import Simulation
import Testing

struct SimulationTests {
    @Test func `matches survive whatever their seeds draw`() {
        let run = Simulation.run(300)
        #expect(run.failed == nil)
        #expect(run.figures.matches == 300)
    }

    @Test(arguments: [UInt64(1), 7, 50]) func `a seed is played again exactly`(seed: UInt64) {
        #expect(Simulation.play(seed: seed).trace == Simulation.play(seed: seed).trace)
    }
}
