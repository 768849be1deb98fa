// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// What the players are told, and what of it must never be.
extension World {
    /// Takes what a player is told.
    func hear(_ event: MatchEvent<Position>, _ process: Process) {
        let before = process.bot
        if process.bot.hear(event) { wake(process) }
        switch event {
        case .moved(let ply, let seat, let action, let position):
            judge(moved: ply, by: seat, action, position, before, process)
        case .over(let result, _, _): judge(result, process)
        case .answered(.draw, accepted: true): count(.drawAgreed)
        case .offered(.rematch, let byYou) where !byYou && before.hasOffered: count(.offersCrossed)
        case .started(_, let game, _, _, _, let resumed):
            if game > 1, resumed == nil { count(.rematchPlayed) }
            if resumed != nil, process.seat?.current == nil { restarted(process) }
        case .together: process.isRefilling = false
        case .dropped(_, let message):
            note("dropped: \(message)")
            process.hasDropped = true
        case .declined: beginningLost(process)
        case .ended(let reason): ended(reason, process)
        default: break
        }
    }

    private func restarted(_ process: Process) {
        if process.index > 2, let other = self.process(of: 1 - process.player), other.index > 1,
            other.seat?.current == nil
        {
            count(.bothRestarted)
        }
        if process.machine == 2 { count(.twinPlayed) }
    }

    private func judge(
        moved ply: UInt32, by seat: Seat, _ action: Square, _ position: Position, _ before: Bot,
        _ process: Process
    ) {
        let author = seat.inGame(before.game)
        let made = ledger.moves(before.game, ply).filter {
            $0.author == author && $0.action == action.bytes
        }
        guard !made.isEmpty else { return fail("a move was told that was not made") }
        var board = before.position
        do throws(IllegalAction) {
            try board.apply(action, by: seat)
        } catch {
            return fail("a move was told that the rules forbid")
        }
        if board != position { fail("a move was told with another board") }
        for player in [0, 1] where !made.contains(where: { isDurable($0, for: player) }) {
            fail("a move was told that is not on both disks")
        }
        if process.player == 0 { figures.moves += 1 }
    }

    private func isDurable(_ move: Ledger.Move, for player: Int) -> Bool {
        machines.contains { machine in
            machine.player == player
                && (machine.hasLost || machine.durable[move.author] >= move.number)
        }
    }

    private func judge(_ result: GameResult, _ process: Process) {
        // A match that cannot go on, which is said besides, decides nothing.
        guard result.outcome != nil else { return }
        let game = Int(process.bot.game)
        let (own, other) = (process.player, 1 - process.player)
        while ledger.results[own].count < game { ledger.results[own].append(nil) }
        if let told = ledger.results[own][game - 1], told != result, !ledger.hasForgotten {
            fail("one player was told two results of a game")
        }
        ledger.results[own][game - 1] = result
        if ledger.hasForgotten { ledger.results[own][game - 1] = nil }
        if result.termination == "resign" { count(.resigned) }
        guard ledger.results[other].count >= game, let told = ledger.results[other][game - 1] else {
            return
        }
        figures.games += 1
        if told != result, !ledger.hasForgotten { fail("the players were told different results") }
    }

    private func ended(_ reason: MatchEnd, _ process: Process) {
        let isKept = process.name != nil
        switch reason {
        case .left(let code) where code == .protocolError:
            end(process, .broken("the other side says so"))
        case .left, .lost, .tookTooLong:
            guard isKept else { return beginningLost(process) }
            if case .left = reason { return end(process, .left) }
            if reason == .tookTooLong { return end(process, .disk) }
            end(process, .lost)
        case .forked: end(process, .forked)
        case .protocolError(let text): end(process, .broken(text))
        case .failed: break
        }
    }

    private func beginningLost(_ process: Process) {
        count(.beginningLost)
        process.seat = nil
        process.bot = Bot()
        for (link, side) in process.ends {
            links[link].ends[side].machine.close(.left)
            links[link].ends[side].isKnown = false
        }
        agenda.add(.meet, at: within(100))
        agenda.add(.meet, at: within(30_000))
    }
}
