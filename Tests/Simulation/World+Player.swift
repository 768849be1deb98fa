// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What the players do.
extension World {
    /// A match's deadline has come.
    func tickSeat(_ process: Process) {
        process.alarm = .max
        guard process.isAlive else { return }
        perform(process.seat?.tick(now: process.clock(now)) ?? [], process)
        settle(process)
    }

    /// The player does something, or leaves for a while.
    func act(_ process: Process) {
        process.isBotPlanned = false
        guard process.isAlive, process.name != nil, process.seat?.engine.isOver == false else {
            return
        }
        let command = process.bot.act(
            &random, liveliness: plan.liveliness, games: plan.games, serious: isCalm
        ) {
            texts.append(process.player)
            return "w\(texts.count)"
        }
        guard let command else { return }
        process.wished = .waiting
        note("process \(process.index) wishes \(command)")
        perform(process.seat?.command(command, now: process.clock(now)) ?? [], process)
        if process.wished == .waiting, !process.isAlive { count(.wishLostInCrash) }
        process.wished = .nothing
        settle(process)
        if process.bot.owed != nil || isCalm && process.bot.isOver { wake(process) }
    }

    func wake(_ process: Process) {
        guard process.isAlive, !process.isBotPlanned else { return }
        process.isBotPlanned = true
        agenda.add(.bot, at: within(plan.thinking) + 100_000, process.index)
    }
}
