// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

extension KeptMatch where G == Position {
    /// Two players whose first game has begun.
    static func begun(clock: MoveClock? = nil) -> Self {
        var match = Self(
            random: ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)),
            clock: clock)
        match.settle()
        return match
    }

    /// Whose turn it is.
    var mover: Role? {
        for role in Role.allCases {
            guard let position = self[role].engine.standing?.position,
                let seat = self[role].engine.identity?.seat,
                case .one(let next) = position.turn
            else { continue }
            for case .started(_, let game, _, _, _, _) in self[role].told.reversed() {
                return seat.inGame(game) == next ? role : role.other
            }
        }
        return nil
    }
}
