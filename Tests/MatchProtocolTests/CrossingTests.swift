// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Entries that cross: whatever the order of delivery, both sides come to the same.
@Suite struct CrossingTests {
    /// Tries every order in which two players' wishes and the deliveries can happen.
    private struct Explorer {
        var ends = 0

        mutating func explore(
            _ pair: MatchPair<Position>, _ joiner: ArraySlice<Wish>, _ host: ArraySlice<Wish>,
            _ context: String
        ) {
            var moved = false
            for role in [Role.initiator, .responder] where !pair[role].arriving.isEmpty {
                moved = true
                var next = pair
                next.deliverPacket(to: role)
                explore(next, joiner, host, context)
            }
            if let wish = joiner.first {
                moved = true
                var next = pair
                next.wish(wish, from: .initiator)
                explore(next, joiner.dropFirst(), host, context)
            }
            if let wish = host.first {
                moved = true
                var next = pair
                next.wish(wish, from: .responder)
                explore(next, joiner, host.dropFirst(), context)
            }
            if !moved { finish(pair, context) }
        }

        private mutating func finish(_ pair: MatchPair<Position>, _ context: String) {
            ends += 1
            pair.expectAgreement(context)
        }
    }

    /// Positions before the last move, before one that ends nothing, and after the end.
    static let openings: [[Int]] = [
        [1, 4, 2, 5], [5], [1, 2, 3, 5, 4, 6, 8, 7], [1, 4, 2, 5, 3],
    ]

    @Test(arguments: openings)
    func `one wish of each side, in every order of delivery`(opening: [Int]) throws {
        var explorer = Explorer()
        var pair = MatchPair<Position>.started()
        try pair.play(opening)
        for joiner in Wish.allCases {
            for host in Wish.allCases {
                explorer.explore(pair, [joiner], [host], "\(opening) \(joiner) \(host)")
            }
        }
        // Far more endings than pairs of wishes: the orders really differ.
        #expect(explorer.ends > 49 * 3)
    }

    @Test(arguments: [openings[0], openings[3]])
    func `two wishes against one, in every order of delivery`(opening: [Int]) throws {
        var pair = MatchPair<Position>.started()
        try pair.play(opening)
        var explorer = Explorer()
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
        #expect(explorer.ends > 250 * 3)
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

    @Test(arguments: 0..<40)
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

extension MatchPair {
    /// Delivers what waits up to and with the next packet.
    mutating func deliverPacket(to role: Role) {
        while let next = self[role].arriving.first {
            deliver(to: role)
            if case .packet = next { return }
        }
    }
}
