// SPDX-License-Identifier: MIT

import MatchProtocol
import TicTacToe

/// What somebody knows who sees both players and both disks.
struct Ledger {
    /// A move by game and ply.
    struct Move: Equatable {
        var author: Seat
        var number: UInt64
        var action: [UInt8]
    }

    /// A wish of a player that was stored.
    struct Wish {
        var words: [UInt8]
        var isMade = false
    }

    /// Entries that the other player has stored, by author.
    private(set) var accepted = PerSeat<[[UInt8]]>(both: [])
    /// What was written as a move, by game and ply, each from 1: one, as long as nobody signs on two
    /// machines.
    private(set) var moves: [[[Move]]] = []
    /// How each game ended as each player was told.
    var results: [[GameResult?]] = [[], []]
    /// Wishes that were stored, by player.
    var wishes: [[Wish]] = [[], []]
    /// How many drafts each player gave up.
    var dropped = [0, 0]

    /// Whether something was lost on both sides, so that it may be different the second time.
    private(set) var hasForgotten = false

    /// Takes an entry that the other player has stored; says what is wrong with that.
    mutating func accept(_ line: [UInt8], by author: Seat, number: UInt64) -> String? {
        let count = UInt64(accepted[author].count)
        if number > count + 1 { return "entry \(number) was accepted after \(count)" }
        if number <= count {
            return accepted[author][Int(number) - 1] == line
                ? nil : "two entries \(number) were accepted"
        }
        accepted[author].append(line)
        return nil
    }

    /// Entries beyond this number are nowhere any more.
    mutating func forget(by author: Seat, after count: UInt64) {
        guard count < UInt64(accepted[author].count) else { return }
        hasForgotten = true
        accepted[author].removeSubrange(Int(count)...)
    }

    /// Notes which entry makes a move.
    mutating func note(_ words: some Collection<UInt8>, by author: Seat, number: UInt64) {
        guard words.starts(with: "move ".utf8) else { return }
        let parts = words.split(separator: 0x20)
        guard parts.count == 4,
            let game = Int(String(decoding: parts[1], as: UTF8.self)),
            let ply = Int(String(decoding: parts[2], as: UTF8.self))
        else { return }
        while moves.count <= game { moves.append([]) }
        while moves[game].count <= ply { moves[game].append([]) }
        let move = Move(author: author, number: number, action: Array(parts[3]))
        if !moves[game][ply].contains(move) { moves[game][ply].append(move) }
    }

    /// What was written as this move.
    func moves(_ game: UInt32, _ ply: UInt32) -> [Move] {
        guard Int(game) < moves.count, Int(ply) < moves[Int(game)].count else { return [] }
        return moves[Int(game)][Int(ply)]
    }

    /// Kind and arguments of an entry's line.
    static func words(of line: [UInt8]) -> ArraySlice<UInt8> {
        var rest = line[...]
        for _ in 0..<5 {
            guard let space = rest.firstIndex(of: 0x20) else { return [] }
            rest = rest[(space + 1)...]
        }
        return rest.dropLast(129)
    }

    /// Marks a stored wish as made by an entry; says whether one was.
    mutating func made(_ words: ArraySlice<UInt8>, by player: Int) -> Bool {
        for index in wishes[player].indices
        where !wishes[player][index].isMade && wishes[player][index].words.elementsEqual(words) {
            wishes[player][index].isMade = true
            return true
        }
        return false
    }
}
