// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@Suite struct StoredMatchTests {
    @Test func `only the match, the game and the player that were stored are taken up`() throws {
        var match = KeptMatch<Position>.begun()
        let mover = try #require(match.mover)
        match.input(.command(.play(try #require(Square(number: 5)))), to: mover)
        match.settle()
        let engine = match[mover].engine
        let seat = try #require(engine.identity?.seat)
        let opening = try #require(engine.opening)
        let key = FastCryptography(key: mover == .initiator ? 0xa1 : 0xb2)
        func stored(_ entries: [Entry], _ opening: Opening) -> StoredMatch {
            StoredMatch(seat: seat, opening: opening, entries: entries)
        }
        func takesUp(_ stored: StoredMatch, as local: Player) -> Bool {
            MatchEngine<Position>(resuming: stored, local: local, cryptography: key) != nil
        }
        let entries = match[mover].disk.entries
        let local = key.player(named: "Me")
        #expect(takesUp(stored(entries, opening), as: local))
        #expect(takesUp(stored([], opening), as: local))
        #expect(!takesUp(stored(entries, opening), as: FastCryptography(key: 1).player(named: "")))
        #expect(!takesUp(stored(Array(entries.dropFirst()), opening), as: local))
        var other = opening
        other.rules.version += 1
        #expect(!takesUp(stored([], other), as: local))
        other = opening
        other.match[0] ^= 1
        #expect(!takesUp(stored([], other), as: local))
    }
}
