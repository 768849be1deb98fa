// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// A peer that cheats, with its own key and a chain that is right: 100,000 times refused.
@Suite struct RefusalTests {
    private typealias Effect = MatchEngine<Position>.Effect

    /// A match in the middle of its second game, and what a cheater can choose from.
    private struct Scene {
        var pair: MatchPair<Position>
        let cheater: Role
        let seat: Seat
        /// What the cheater wrote in the first game.
        let earlier: [[UInt8]]
        let earlierBodies: [EntryBody]
        /// What it wrote last.
        let last: [UInt8]
        /// A line of another match between the same keys.
        let foreign: [[UInt8]]

        init(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            pair = MatchPair.started(seed: seed)
            try pair.play([[1, 4, 2, 5, 3], [5, 1, 2, 8, 4, 6, 3, 7, 9]][Int(seed % 2)])
            pair.command(.offer(.rematch), from: .initiator)
            pair.settle()
            pair.command(.accept, from: .responder)
            pair.settle()
            cheater = Bool.random(using: &random) ? .initiator : .responder
            seat = pair[cheater].seat
            earlier = pair[cheater].lines(by: seat)
            earlierBodies = try earlier.map { try Entry(line: $0).body }
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                pair.wish(.playFirstLegal, from: try #require(pair.mover))
                pair.settle()
            }
            last = try #require(pair[cheater].lines(by: seat).last)
            var other = MatchPair<Position>.started(seed: seed + 1_000_000)
            other.wish(.say, from: cheater)
            other.settle()
            other.wish(.playFirstLegal, from: try #require(other.mover))
            other.settle()
            foreign = other[cheater].lines(by: other[cheater].seat)
        }

        var position: Position? { pair[cheater].engine.standing?.position }

        /// Signs whatever the cheater wants to say, in its right place.
        func signed(_ body: EntryBody) throws -> [UInt8] {
            let logs = pair[cheater].engine.logs
            let key = FastCryptography(key: cheater == .initiator ? 0xa1 : 0xb2)
            return try #require(
                Entry(
                    after: logs.own, by: seat, seen: logs.theirs, body, cryptography: key)
            ).line
        }
    }

    /// Something that must be refused.
    private enum Trick: CaseIterable {
        case illegal, early, wrongPly, repeated, replayedLine, replayedAction, foreignLine
        case foreignGame, mutated, notAnAction, falseEnd, skippedNumber
    }

    private func line(
        _ trick: Trick, in scene: Scene, using random: inout SeededGenerator
    ) throws -> [UInt8] {
        let position = try #require(scene.position)
        let isTurn = position.turn == .one(scene.seat.inGame(2))
        let ply = UInt32(10 - position.squares.empty.count)
        let empty = try #require(position.squares.empty.randomElement(using: &random))
        let any = try #require(Square.allCases.randomElement(using: &random))
        switch trick {
        case .illegal:
            let taken = Square.allCases.filter { position.squares[$0] != nil }
            guard isTurn, let square = taken.randomElement(using: &random) else { fallthrough }
            return try scene.signed(.move(game: 2, ply: ply, action: square.bytes))
        case .wrongPly:
            let wrong = ply &+ UInt32.random(in: 1...(.max), using: &random)
            return try scene.signed(.move(game: 2, ply: wrong, action: empty.bytes))
        case .early:
            if isTurn { return try line(.wrongPly, in: scene, using: &random) }
            return try scene.signed(.move(game: 2, ply: ply, action: empty.bytes))
        case .repeated:
            return scene.last
        case .replayedLine:
            return scene.earlier.randomElement(using: &random) ?? []
        case .replayedAction:
            // Every line of the first game, signed again in its new place.
            return try scene.signed(scene.earlierBodies.randomElement(using: &random) ?? .say(""))
        case .foreignLine:
            return scene.foreign.randomElement(using: &random) ?? []
        case .foreignGame:
            let game = 2 &+ UInt32.random(in: 1...(.max), using: &random)
            return try scene.signed(
                Bool.random(using: &random)
                    ? .move(game: game, ply: ply, action: any.bytes) : .resign(game: game))
        case .mutated:
            var line = try scene.signed(.say("hello, are you there?"))
            let index = Int.random(in: 0..<line.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: line[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: line.remove(at: index)
            default: line.insert(UInt8.random(in: 0...255, using: &random), at: index)
            }
            return line
        case .notAnAction:
            let length = Int.random(in: 0...4, using: &random)
            let bytes = random.bytes(length).map { $0 | 0x80 }
            return try scene.signed(.move(game: 2, ply: ply, action: bytes))
        case .falseEnd:
            let ending = Ending(.win(scene.seat), termination: "line")
            return try scene.signed(.end(game: 2, ending))
        case .skippedNumber:
            return try scene.signed(.say("one"))
        }
    }

    @Test(arguments: 0..<50)
    func `illegal, early, repeated, replayed, foreign and mutated entries change nothing`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let scene = try Scene(seed: seed)
        let receiver = scene.cheater.other
        let engine = scene.pair[receiver].engine
        let next = engine.logs.theirs.count + 1
        for index in 0..<2_000 {
            let trick = Trick.allCases[index % Trick.allCases.count]
            let line = try line(trick, in: scene, using: &random)
            var victim = engine
            let number = trick == .skippedNumber ? next + UInt64(index + 1) : next
            let effects = victim.handle(.packet(number: number, line), at: scene.pair.now)
            guard effects.areRefusal, victim.logs.own == engine.logs.own,
                victim.logs.theirs == engine.logs.theirs,
                victim.standing?.position == engine.standing?.position,
                victim.standing?.score == engine.standing?.score
            else {
                Issue.record("\(trick) \(String(decoding: line, as: UTF8.self)): \(effects)")
                return
            }
        }
        // The same receiver still takes what is right.
        var fair = scene.pair
        fair.wish(.say, from: scene.cheater)
        fair.settle()
        fair.expectAgreement()
    }

    @Test func `a wrong signature of a right entry is refused`() throws {
        let scene = try Scene(seed: 1)
        let logs = scene.pair[scene.cheater].engine.logs
        let stranger = FastCryptography(key: 0x55)
        let entry = try #require(
            Entry(
                after: logs.own, by: scene.seat, seen: logs.theirs, .say("hi"),
                cryptography: stranger))
        var victim = scene.pair[scene.cheater.other].engine
        let effects = victim.handle(
            .packet(number: entry.number, entry.line), at: scene.pair.now)
        #expect(effects.areRefusal)
    }

    @Test func `what was seen must be what was sent, and never less than before`() throws {
        let scene = try Scene(seed: 2)
        let logs = scene.pair[scene.cheater].engine.logs
        let key = FastCryptography(key: scene.cheater == .initiator ? 0xa1 : 0xb2)
        let heads = try scene.pair[scene.cheater].lines(by: scene.seat.other).map { line in
            let entry = try Entry(line: line)
            return LogHead(count: entry.number, hash: entry.hash(key))
        }
        #expect(heads.last == logs.theirs)
        let next = LogHead(count: logs.theirs.count + 1, hash: logs.theirs.hash)
        let forged = LogHead(count: logs.theirs.count, hash: logs.own.hash)
        for seen in heads + [.start, next, forged] {
            let entry = try #require(
                Entry(after: logs.own, by: scene.seat, seen: seen, .say("hi"), cryptography: key))
            var victim = scene.pair[scene.cheater.other].engine
            let effects = victim.handle(
                .packet(number: entry.number, entry.line), at: scene.pair.now)
            // The cheater's last entry had seen the last or the last but one.
            let last = try #require(scene.pair[scene.cheater].lines(by: scene.seat).last)
            let before = try Entry(line: last).seen.count
            let isRight = seen.count >= before && heads.contains(seen)
            #expect(effects.areRefusal == !isRight, "\(seen.count)")
        }
    }

    @Test func `a have beyond what was sent, or of another log, is refused`() throws {
        let pair = MatchPair<Position>.started()
        let own = pair.joiner.engine.logs.own
        for (count, hash) in [(own.count + 1, nil), (own.count, [UInt8](repeating: 9, count: 32))] {
            var engine = pair.joiner.engine
            #expect(engine.handle(.had(count: count, hash: hash), at: pair.now).areRefusal)
        }
        var engine = pair.joiner.engine
        #expect(!engine.handle(.had(count: own.count, hash: own.hash), at: pair.now).areRefusal)
    }

    @Test func `a mistake of the player here is told and changes nothing`() throws {
        var pair = MatchPair<Position>.started()
        try pair.play([5])
        let mover = try #require(pair.mover)
        let before = pair
        let mistakes: [(Role, MatchEngine<Position>.Command, Rejection)] = [
            (mover, .play(try #require(Square(number: 5))), .illegal),
            (mover.other, .play(try #require(Square(number: 1))), .early),
            (mover, .accept, .nothing), (mover, .decline, .nothing),
            (mover, .offer(.rematch), .early), (mover, .say(""), .illegal),
            (mover, .say(String(repeating: "ä", count: 251)), .illegal),
        ]
        for (role, command, code) in mistakes {
            var engine = before[role].engine
            let effects = engine.handle(.command(command), at: pair.now)
            guard case .tell(.rejected(code, _))? = effects.first, effects.count == 1 else {
                Issue.record("\(command): \(effects)")
                continue
            }
            #expect(engine.logs.own == before[role].engine.logs.own)
        }
        try pair.play([1, 2, 3, 8])
        var engine = pair[mover].engine
        for command: MatchEngine<Position>.Command in [
            .resign, .offer(.draw), .play(try #require(Square(number: 9))),
        ] {
            let effects = engine.handle(.command(command), at: pair.now)
            guard case .tell(.rejected(.over, _))? = effects.first else {
                Issue.record("\(command): \(effects)")
                continue
            }
        }
    }
}

extension [MatchEngine<Position>.Effect] {
    /// A protocol error, or a fork, and nothing else: nothing stored, acknowledged, sent or told as done.
    var areRefusal: Bool {
        // A chain that does not fit may also come from another copy of the log.
        guard case .close(let code, _)? = last, [.protocolError, .forked].contains(code) else {
            return false
        }
        return dropLast().allSatisfy { effect in
            switch effect {
            case .tell(.over(let result, _, _)): result.termination == "abort"
            case .tell(.ended(.protocolError)), .tell(.ended(.forked)): true
            default: false
            }
        }
    }
}

extension MatchPair.Side {
    /// The seat of the player here, by the first game's start.
    var seat: Seat {
        for case .started(_, let game, let seat, _, _, _) in told { return seat.inGame(game) }
        return .first
    }

    /// The lines of one log as they are stored here.
    func lines(by seat: Seat) -> [[UInt8]] {
        stored.filter { $0.by == seat }.map(\.line)
    }
}
