// SPDX-License-Identifier: MIT

import MatchProtocol
import TicTacToe

/// What one process has been told, followed as a front end does.
struct Story {
    var position: Position?
    var isInOrder = true
    private var ply: UInt32 = 0
    private var isOver = false

    mutating func add(_ event: MatchEvent<Position>) {
        switch event {
        case .started(_, _, _, _, let position, let resumed):
            if self.position != nil, !isOver { isInOrder = false }
            self.position = position
            ply = UInt32(10 - position.squares.empty.count)
            isOver = false
            if UInt32(resumed?.actions.count ?? 0) != ply - 1 { isInOrder = false }
        case .turn(_, let ply):
            if ply != self.ply { isInOrder = false }
        case .moved(let ply, _, let action, let position):
            if ply != self.ply || isOver || position.squares[action] == nil { isInOrder = false }
            self.ply += 1
            self.position = position
        case .over: isOver = true
        default: break
        }
    }
}
