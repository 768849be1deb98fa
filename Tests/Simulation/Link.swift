// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TicTacToe

/// A connection between two processes: two session machines and what is under way between them.
final class Link {
    /// Bytes on their way, or the end of the stream.
    enum Segment {
        case bytes([UInt8])
        /// Everything was said.
        case end
        /// The connection is no more; the reader learns it as an error.
        case reset
    }

    /// One side of it.
    struct End {
        var machine: SessionMachine
        /// The process that has it; an index.
        let process: Int
        /// How the process calls it.
        let connection: MatchSeat<Position>.Connection
        /// Whether the process still listens to it.
        var isKnown = true
        var isReady = false
        /// What is on its way here, with the time of its arrival.
        var arriving: [(time: UInt64, segment: Segment)] = []
        var head = 0
        /// Whether nothing can be written any more.
        var isClosed = false
        /// Whether the process is through with it.
        var isOver = false
        var alarm = UInt64.max
        var writesLater = false
        /// Whether the end of what is on its way here may overtake the rest: only in a search.
        var isBroken = false
    }

    var ends: [End]
    /// Whether the match is begun over it.
    let isFirst: Bool
    /// How many bytes may still pass before it is cut, if it will be.
    var fuse: Int?

    /// The same once more.
    var copy: Link {
        Link(ends[0], ends[1], isFirst: isFirst, fuse: fuse)
    }

    init(_ initiator: End, _ responder: End, isFirst: Bool, fuse: Int?) {
        ends = [initiator, responder]
        self.isFirst = isFirst
        self.fuse = fuse
    }
}
