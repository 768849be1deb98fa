// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing

/// Games in which both choose at once need nothing of the engine that others do not.
@Suite struct SimultaneousTests {
    private typealias Engine = MatchEngine<RockPaperScissors>

    private func started<G: Game>(seed: UInt64) -> MatchPair<G> {
        var random = SeededGenerator(seed: seed)
        var pair = MatchPair<G>(random: (random.bytes(32), random.bytes(32)))
        pair.settle()
        return pair
    }

    @Test(arguments: 0..<8)
    func `two play rock, paper, scissors to three wins, in any order of delivery`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var pair: MatchPair<RockPaperScissors> = started(seed: seed)
        var secrets: [Role: (RockPaperScissors.Shape, [UInt8])] = [:]
        var acted: [Role: UInt32] = [:]
        for _ in 0..<4_000 where pair.joiner.results.isEmpty || pair.host.results.isEmpty {
            let role: Role = Bool.random(using: &random) ? .initiator : .responder
            if Bool.random(using: &random) {
                pair.deliver(to: role)
                continue
            }
            guard case .turn(true, let ply)? = pair[role].lastTurn, acted[role, default: 0] < ply
            else { continue }
            acted[role] = ply
            if !ply.isMultiple(of: 2) {
                let shape = RockPaperScissors.Shape.allCases.randomElement(using: &random)
                secrets[role] = (try #require(shape), random.bytes(16))
            }
            let (shape, nonce) = try #require(secrets[role])
            pair.command(
                .play(
                    ply.isMultiple(of: 2)
                        ? .open(shape, nonce: nonce) : .commit(to: shape, nonce: nonce)),
                from: role)
        }
        pair.settle()
        pair.expectAgreement()
        #expect(pair.joiner.results.map(\.termination) == ["three"])
    }

    private func isMove<G: Game>(_ event: MatchEvent<G>) -> Bool {
        if case .moved = event { true } else { false }
    }

    @Test func `neither action of a ply is told before both are there`() throws {
        var pair: MatchPair<HigherDigit> = started(seed: 1)
        pair.command(.play(.init(4)), from: .initiator)
        pair.settle()
        #expect(!pair.joiner.told.contains(where: isMove) && !pair.host.told.contains(where: isMove))
        pair.command(.play(.init(7)), from: .initiator)
        guard case .rejected(.early, _)? = pair.joiner.told.last else {
            Issue.record("A second choice was taken: \(pair.joiner.told)")
            return
        }
        pair.command(.play(.init(5)), from: .responder)
        pair.settle()
        let seats = pair.host.told.compactMap { event -> Seat? in
            if case .moved(1, let seat, _, _) = event { seat } else { nil }
        }
        #expect(seats == [.first, .second])
        #expect(pair.host.engine.standing?.score == MatchScore(you: 1))
    }

    @Test func `two crossing actions are told when the other side has the own one too`() {
        var pair: MatchPair<HigherDigit> = started(seed: 1)
        pair.command(.play(.init(4)), from: .initiator)
        pair.command(.play(.init(5)), from: .responder)
        pair.deliver(to: .initiator)
        #expect(!pair.joiner.told.contains(where: isMove))
        pair.settle()
        pair.expectAgreement()
        #expect(pair.joiner.results.map(\.termination) == ["digits"])
    }

    @Test func `an opening that does not fit its commitment is refused`() throws {
        var pair: MatchPair<RockPaperScissors> = started(seed: 1)
        let nonce = [UInt8](repeating: 1, count: 16)
        for role in [Role.initiator, .responder] {
            pair.command(.play(.commit(to: .rock, nonce: nonce)), from: role)
        }
        pair.settle()
        let logs = pair.joiner.engine.logs
        let cheat = RockPaperScissors.Action.open(.paper, nonce: nonce)
        let entry = try #require(
            Entry(
                after: logs.own, by: pair.joiner.seat, seen: logs.theirs,
                .move(game: 1, ply: 2, action: cheat.bytes),
                cryptography: FastCryptography(key: 0xa1)))
        let effects = pair.host.engine.handle(
            .packet(number: entry.number, entry.line), at: pair.now)
        guard case .close(.protocolError, _)? = effects.last else {
            Issue.record("It was taken: \(effects)")
            return
        }
    }

    @Test func `two simultaneous choices cross with everything else, in every order`() {
        let pair: MatchPair<HigherDigit> = started(seed: 2)
        var explorer = Explorer<HigherDigit> { pair, wish, role in
            let command: MatchEngine<HigherDigit>.Command =
                switch wish {
                case .playFirstLegal: .play(.init(role == .initiator ? 3 : 8))
                case .resign: .resign
                case .offerDraw: .offer(.draw)
                case .offerRematch: .offer(.rematch)
                case .accept: .accept
                case .decline: .decline
                case .say: .say("hi")
                }
            pair.command(command, from: role)
        }
        let wishes: [Wish] = [.playFirstLegal, .resign, .offerDraw, .accept]
        for first in wishes {
            for second in wishes {
                for other in wishes {
                    let context = "\(first) \(second) | \(other)"
                    explorer.explore(pair, [first, second], [other], context)
                    explorer.explore(pair, [.playFirstLegal, first], [second, other], context)
                }
            }
        }
        #expect(explorer.ends > 128 * 2)
    }
}

extension MatchPair.Side {
    /// The last turn told, if no result has been told since.
    fileprivate var lastTurn: MatchEvent<G>? {
        told.last { if case .turn = $0 { true } else { false } }
    }
}
