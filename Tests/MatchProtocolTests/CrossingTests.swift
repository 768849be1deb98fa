// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Entries that cross: whatever the order of delivery, both sides come to the same.
@Suite struct CrossingTests {
    /// Positions before the last move, before one that ends nothing, and after the end.
    static let openings: [[Int]] = [
        [1, 4, 2, 5], [5], [1, 2, 3, 5, 4, 6, 8, 7], [1, 4, 2, 5, 3],
    ]

    @Test(arguments: openings)
    func `one wish of each side, in every order of delivery`(opening: [Int]) throws {
        var explorer = Explorer<Position> { $0.wish($1, from: $2) }
        var pair = MatchPair<Position>.started()
        try pair.play(opening)
        for joiner in Wish.allCases {
            for host in Wish.allCases {
                explorer.explore(pair, [joiner], [host], "\(opening) \(joiner) \(host)")
            }
        }
        // More outcomes than pairs of wishes: the orders really differ.
        #expect(explorer.ends > 49)
    }

    @Test(arguments: [openings[0], openings[3]])
    func `two wishes against one, in every order of delivery`(opening: [Int]) throws {
        var pair = MatchPair<Position>.started()
        try pair.play(opening)
        var explorer = Explorer<Position> { $0.wish($1, from: $2) }
        // What cannot end or begin a game is covered by the pairs above.
        let wishes: [Wish] = [.playFirstLegal, .resign, .offerDraw, .offerRematch, .accept]
        for first in wishes {
            for second in wishes {
                for other in wishes {
                    let context = "\(opening) \(first) \(second) | \(other)"
                    explorer.explore(pair, [first, second], [other], context)
                    explorer.explore(pair, [other], [first, second], context)
                }
            }
        }
        #expect(explorer.ends > 250)
    }

    @Test func `two wishes against two before the last move, in every order of delivery`() throws {
        var pair = MatchPair<Position>.started()
        try pair.play(Self.openings[0])
        var explorer = Explorer<Position> { $0.wish($1, from: $2) }
        let wishes: [Wish] = [.playFirstLegal, .resign, .offerDraw, .accept]
        for index in 0..<256 {
            let chosen = [0, 2, 4, 6].map { wishes[index >> $0 & 3] }
            explorer.explore(
                pair, Array(chosen.prefix(2)), Array(chosen.suffix(2)), "\(chosen)")
        }
        #expect(explorer.ends > 256 * 2)
    }

    @Test func `the moves come first, then an agreement, then a resignation`() throws {
        // The mover's last move, against a resignation and an acceptance that cross it.
        var pair = MatchPair<Position>.started()
        try pair.play([1, 4, 2, 5])
        let mover = try #require(pair.mover)
        var resigned = pair
        resigned.wish(.resign, from: mover.other)
        resigned.command(.play(try #require(Square(number: 3))), from: mover)
        resigned.settle()
        resigned.expectAgreement()
        #expect(resigned.host.results == [GameResult(.win(.first), termination: "line")])

        pair.wish(.offerDraw, from: mover)
        pair.settle()
        var agreed = pair
        agreed.wish(.accept, from: mover.other)
        agreed.command(.play(try #require(Square(number: 3))), from: mover)
        agreed.settle()
        agreed.expectAgreement()
        #expect(agreed.host.results == [GameResult(.win(.first), termination: "line")])

        // An acceptance against a resignation.
        pair.wish(.accept, from: mover.other)
        pair.wish(.resign, from: mover)
        pair.settle()
        pair.expectAgreement()
        #expect(pair.host.results == [GameResult(.draw, termination: "agreed")])
    }

    @Test func `two crossing resignations are a draw`() throws {
        var pair = MatchPair<Position>.started()
        pair.wish(.resign, from: .initiator)
        pair.wish(.resign, from: .responder)
        pair.settle()
        pair.expectAgreement()
        #expect(pair.host.results == [GameResult(.draw, termination: "agreed")])
    }

    @Test func `a move that ends nothing does not undo a resignation that crosses it`() throws {
        var pair = MatchPair<Position>.started()
        let mover = try #require(pair.mover)
        pair.wish(.resign, from: mover.other)
        pair.wish(.playFirstLegal, from: mover)
        pair.settle()
        pair.expectAgreement()
        #expect(pair.host.results == [GameResult(.win(.first), termination: "resign")])
        #expect(pair.host.engine.standing?.position.board == "X........")
    }

    @Test(arguments: [Wish.offerDraw, .offerRematch])
    func `two crossing offers are an acceptance, once`(wish: Wish) throws {
        var pair = MatchPair<Position>.started()
        if wish == .offerRematch { try pair.play([1, 4, 2, 5, 3]) }
        pair.wish(wish, from: .initiator)
        pair.wish(wish, from: .responder)
        pair.settle()
        pair.expectAgreement()
        for side in [pair.joiner, pair.host] {
            let answers = side.told.filter {
                if case .answered(_, true) = $0 { true } else { false }
            }
            #expect(answers.count == 1)
        }
        // Whatever was settled is over: a new offer is possible.
        if wish == .offerRematch {
            try pair.play([1, 4, 2, 5, 3])
            pair.expectAgreement()
            pair.wish(.offerRematch, from: .responder)
            pair.settle()
            #expect(pair.joiner.told.last == .offered(.rematch, byYou: false))
        }
    }

    @Test(arguments: 0..<20)
    func `long matches of random wishes in random order agree`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pair = MatchPair<Position>.started(seed: seed)
        for _ in 0..<600 {
            let role: Role = Bool.random(using: &random) ? .initiator : .responder
            if Int.random(in: 0..<3, using: &random) == 0 {
                // Moves most of the time, so that games also end by them.
                let any = Wish.allCases.randomElement(using: &random) ?? .say
                pair.wish(Bool.random(using: &random) ? .playFirstLegal : any, from: role)
            } else {
                pair.deliver(to: role)
            }
        }
        pair.settle()
        pair.expectAgreement("seed \(seed)")
        #expect(pair.joiner.results.count > 0)
    }
}
