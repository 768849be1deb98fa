// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Every state of the engine against every input.
@Suite struct StateTableTests {
    private typealias Engine = MatchEngine<Position>

    private static let exporter = [UInt8](repeating: 7, count: 32)
    private static let randoms = (
        joiner: [UInt8](repeating: 1, count: 32), host: [UInt8](repeating: 2, count: 32)
    )
    private static let challenge = Challenge(
        rules: Position.rules, options: [],
        commitment: FairStart.commitment(
            exporter: exporter, joinerRandom: randoms.joiner,
            cryptography: FastCryptography(key: 0)))

    /// A way to each state.
    private static func states() throws -> [(String, Engine)] {
        func pair(asks: Bool) -> MatchPair<Position> {
            MatchPair(random: randoms, exporter: exporter, asks: asks)
        }
        var asked = pair(asks: true)
        asked.deliver(to: .responder)
        var opening = pair(asks: false)
        for role: Role in [.responder, .initiator] { opening.deliver(to: role) }
        var revealed = opening
        revealed.deliver(to: .responder)
        var playing = pair(asks: false)
        playing.settle()
        let mover = try #require(playing.mover)
        var resigned = playing
        resigned.command(.resign, from: mover)
        var over = playing
        try over.play([1, 4, 2, 5, 3])
        var offered = over
        offered.command(.offer(.rematch), from: mover)
        offered.settle()
        var ended = playing
        ended.input(.peerLeft(.protocolError), to: mover)
        var apart = playing
        apart.input(.parted, to: mover)
        var drafted = apart
        drafted.wish(.playFirstLegal, from: mover)
        var refilling = apart
        var replaced = playing
        replaced.input(.replaced, to: mover)
        let hash = [UInt8](repeating: 9, count: 32)
        refilling.input(.met(have: 9, hash: hash, sent: 9), to: mover)
        return [
            ("joiner waits", pair(asks: true).joiner.engine),
            ("host waits", pair(asks: true).host.engine),
            ("host is asked", asked.host.engine),
            ("host accepted", opening.host.engine),
            ("host has the reveal", revealed.host.engine),
            ("joiner opened", opening.joiner.engine),
            ("to move", playing[mover].engine),
            ("not to move", playing[mover.other].engine),
            ("resigned", resigned[mover].engine),
            ("over", over[mover].engine),
            ("offered", offered[mover].engine),
            ("was offered", offered[mover.other].engine),
            ("apart", apart[mover].engine),
            ("apart with a draft", drafted[mover].engine),
            ("replaced", replaced[mover].engine),
            ("refilling", refilling[mover].engine),
            ("ended", ended[mover].engine),
        ]
    }

    private static func meetings() -> [(String, Engine.Input, UInt64)] {
        let more = Engine.Input.met(have: 9, hash: [UInt8](repeating: 9, count: 32), sent: 99)
        return [("met with more", more, 0)]
    }

    private static func inputs() -> [(String, Engine.Input, UInt64)] {
        let notes: [(String, MatchNote)] = [
            ("challenge", .challenge(challenge)), ("accept", .accept(random: randoms.host)),
            ("decline", .decline(.declined)), ("reveal", .reveal(random: randoms.joiner)),
            ("cancel", .cancel), ("lost 0", .lost(count: 0)), ("lost 9", .lost(count: 9)),
            ("kept", .kept(line: [0xff])),
        ]
        let commands: [(String, Engine.Command)] = [
            ("play", .play(Square.allCases[8])), ("resign", .resign), ("draw", .offer(.draw)),
            ("rematch", .offer(.rematch)), ("accept", .accept), ("decline", .decline),
            ("say", .say("hi")), ("claim", .claim),
        ]
        return notes.map { ("note \($0)", .note($1.bytes), 0) }
            + [
                ("note junk", .note([0xff]), 0), ("packet junk", .packet(number: 1, [0xff]), 0),
                ("had too much", .had(count: 99, hash: nil), 0),
            ]
            + commands.map { ($0, .command($1), 0) }
            + [
                ("left", .peerLeft(.left), 0), ("kept for later", .peerLeft(.keptForLater), 0),
                ("told of an error", .peerLeft(.protocolError), 0),
                ("told of a fork", .peerLeft(.forked), 0), ("parted", .parted, 0),
                ("replaced", .replaced, 0),
            ]
            + meetings() + [
                ("met", .met(have: 0, hash: nil, sent: 99), 0),
                ("met another", .met(have: 1, hash: [UInt8](repeating: 9, count: 32), sent: 99), 0),
                ("met without a hash", .met(have: 1, hash: nil, sent: 99), 0),
                ("not known", .refused(.noSuchSession), 0), ("forked", .refused(.forked), 0),
                ("busy", .refused(.busy), 0), ("not stored", .storeFailed, 0),
                ("early tick", .tick, 0), ("late tick", .tick, 65_000),
            ]
    }

    /// What an engine does, in few words.
    private func summary(_ effects: [Engine.Effect]) -> String {
        if effects.isEmpty { return "nothing" }
        return effects.map { effect in
            switch effect {
            case .sendNote(let bytes):
                "note " + String(decoding: bytes.prefix { $0 != 0x20 }, as: UTF8.self)
            case .store(let entry, _, _):
                (try? Entry(line: entry)).map { "write \($0.body.kind)" } ?? "?"
            case .sendPacket: "send"
            case .acknowledge: "acknowledge"
            case .tell(.challenged): "challenged"
            case .tell(.declined(let reason)): "declined \(reason)"
            case .tell(.rejected(let code, _)): "rejected \(code)"
            case .tell(.over(let result, _, _)): "over \(result.termination)"
            case .tell(.ended(.left)): "left"
            case .tell(.ended(.lost)): "lost"
            case .tell(.ended(.protocolError)): "broken"
            case .tell(.ended(.tookTooLong)): "too long"
            case .tell(.ended(.failed)): "failed"
            case .tell(.ended(.forked)): "forked"
            case .tell(.dropped(let code, _)): "dropped \(code)"
            case .tell(.apart): "apart"
            case .tell(.together): "together"
            case .tell(.sending): "sending"
            case .tell: "tell"
            case .storeDraft: "store draft"
            case .dropDraft: "drop draft"
            case .hangUp(let code, _): "hang up \(code.value)"
            case .close(let code, _): "close \(code.value)"
            }
        }.joined(separator: ", ")
    }

    @Test func `every state answers every input as the table says`() throws {
        let expected = Self.table.split(separator: "\n").map(String.init)
        var found: [String] = []
        for (state, engine) in try Self.states() {
            var answers: [(answer: String, inputs: [String])] = []
            for (name, input, time) in Self.inputs() {
                var copy = engine
                let now = Instant(nanoseconds: 0).advanced(milliseconds: time)
                let answer = summary(copy.handle(input, at: now))
                if answer.contains("close") || answer.contains("ended") {
                    #expect(copy.handle(input, at: now).isEmpty)
                    #expect(copy.deadline == nil)
                }
                if let index = answers.firstIndex(where: { $0.answer == answer }) {
                    answers[index].inputs.append(name)
                } else {
                    answers.append((answer, [name]))
                }
            }
            found += answers.map {
                "\(state) | \($0.inputs.joined(separator: ", ")) → \($0.answer)"
            }
        }
        #expect(found == expected)
    }
}

extension EntryBody {
    fileprivate var kind: String {
        switch self {
        case .open: "open"
        case .move: "move"
        case .resign: "resign"
        case .offer(_, let kind): "offer \(kind)"
        case .claim: "claim"
        case .accept: "accept"
        case .decline: "decline"
        case .say: "say"
        case .end: "end"
        }
    }
}
