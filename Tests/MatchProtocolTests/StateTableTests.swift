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
        ended.input(.linkLost, to: mover)
        return [
            ("joiner waits", pair(asks: true).joiner.engine),
            ("host waits", pair(asks: true).host.engine),
            ("host is asked", asked.host.engine),
            ("host accepted", opening.host.engine),
            ("joiner opened", opening.joiner.engine),
            ("to move", playing[mover].engine),
            ("not to move", playing[mover.other].engine),
            ("resigned", resigned[mover].engine),
            ("over", over[mover].engine),
            ("offered", offered[mover].engine),
            ("was offered", offered[mover.other].engine),
            ("ended", ended[mover].engine),
        ]
    }

    private static func inputs() -> [(String, Engine.Input, UInt64)] {
        let notes: [(String, MatchNote)] = [
            ("challenge", .challenge(challenge)), ("accept", .accept(random: randoms.host)),
            ("decline", .decline(.declined)), ("reveal", .reveal(random: randoms.joiner)),
            ("cancel", .cancel),
        ]
        let commands: [(String, Engine.Command)] = [
            ("play", .play(Square.allCases[8])), ("resign", .resign), ("draw", .offer(.draw)),
            ("rematch", .offer(.rematch)), ("accept", .accept), ("decline", .decline),
            ("say", .say("hi")),
        ]
        return notes.map { ("note \($0)", .note($1.bytes), 0) }
            + [
                ("note junk", .note([0xff]), 0), ("packet junk", .packet(number: 1, [0xff]), 0),
                ("had too much", .had(count: 99, hash: nil), 0),
            ]
            + commands.map { ($0, .command($1), 0) }
            + [
                ("left", .peerLeft(.left), 0), ("lost", .linkLost, 0),
                ("not stored", .storeFailed, 0), ("early tick", .tick, 0),
                ("late tick", .tick, 65_000),
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
            case .tell: "tell"
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
                if answer.contains("close") {
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
        case .accept: "accept"
        case .decline: "decline"
        case .say: "say"
        case .end: "end"
        }
    }
}

extension StateTableTests {
    fileprivate static let table = """
        joiner waits | note challenge, note reveal, note cancel, note junk, packet junk, had \
        too much → broken, close 2
        joiner waits | note accept → note reveal, write open, send
        joiner waits | note decline → declined declined, close 0
        joiner waits | play, resign, draw, rematch, say → rejected early
        joiner waits | accept → rejected nothing
        joiner waits | decline → note cancel, declined cancelled, close 0
        joiner waits | left → left
        joiner waits | lost → lost
        joiner waits | not stored → failed, close 5
        joiner waits | early tick → nothing
        joiner waits | late tick → note cancel, declined late, close 0
        host waits | note challenge → challenged
        host waits | note accept, note decline, note reveal, note cancel, note junk, packet \
        junk, had too much → broken, close 2
        host waits | play, resign, draw, rematch, say → rejected early
        host waits | accept, decline → rejected nothing
        host waits | left → left
        host waits | lost → lost
        host waits | not stored → failed, close 5
        host waits | early tick → nothing
        host waits | late tick → too long, close 4
        host is asked | note challenge, note accept, note decline, note reveal, note junk, \
        packet junk, had too much → broken, close 2
        host is asked | note cancel → declined cancelled, close 0
        host is asked | play, resign, draw, rematch, say → rejected early
        host is asked | accept → note accept
        host is asked | decline → note decline, declined declined, close 0
        host is asked | left → left
        host is asked | lost → lost
        host is asked | not stored → failed, close 5
        host is asked | early tick → nothing
        host is asked | late tick → note decline, declined late, close 0
        host accepted | note challenge, note accept, note decline, note junk, packet junk, had \
        too much → broken, close 2
        host accepted | note reveal → write open, send
        host accepted | note cancel → declined cancelled, close 0
        host accepted | play, resign, draw, rematch, say → rejected early
        host accepted | accept, decline → rejected nothing
        host accepted | left → left
        host accepted | lost → lost
        host accepted | not stored → failed, close 5
        host accepted | early tick → nothing
        host accepted | late tick → too long, close 4
        joiner opened | note challenge, note accept, note decline, note reveal, note cancel, \
        note junk, packet junk, had too much → broken, close 2
        joiner opened | play, resign, draw, rematch, accept, decline, say → rejected early
        joiner opened | left → left
        joiner opened | lost → lost
        joiner opened | not stored → failed, close 5
        joiner opened | early tick → nothing
        joiner opened | late tick → too long, close 4
        to move | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → over abort, broken, close 2
        to move | play → write move, send
        to move | resign → write resign, send
        to move | draw → write offer draw, send
        to move | rematch → rejected early
        to move | accept, decline → rejected nothing
        to move | say → write say, send
        to move | left → over abort, left
        to move | lost → over abort, lost
        to move | not stored → over abort, failed, close 5
        to move | early tick, late tick → nothing
        not to move | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → over abort, broken, close 2
        not to move | play, rematch → rejected early
        not to move | resign → write resign, send
        not to move | draw → write offer draw, send
        not to move | accept, decline → rejected nothing
        not to move | say → write say, send
        not to move | left → over abort, left
        not to move | lost → over abort, lost
        not to move | not stored → over abort, failed, close 5
        not to move | early tick, late tick → nothing
        resigned | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → over abort, broken, close 2
        resigned | play, resign, draw → rejected over
        resigned | rematch → rejected early
        resigned | accept, decline → rejected nothing
        resigned | say → write say, send
        resigned | left → over abort, left
        resigned | lost → over abort, lost
        resigned | not stored → over abort, failed, close 5
        resigned | early tick, late tick → nothing
        over | note challenge, note accept, note decline, note reveal, note cancel, note junk, \
        packet junk, had too much → broken, close 2
        over | play, resign, draw → rejected over
        over | rematch → write offer rematch, send
        over | accept, decline → rejected nothing
        over | say → write say, send
        over | left → left
        over | lost → lost
        over | not stored → failed, close 5
        over | early tick, late tick → nothing
        offered | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → broken, close 2
        offered | play, resign, draw → rejected over
        offered | rematch → rejected early
        offered | accept, decline → rejected nothing
        offered | say → write say, send
        offered | left → left
        offered | lost → lost
        offered | not stored → failed, close 5
        offered | early tick, late tick → nothing
        was offered | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → broken, close 2
        was offered | play, resign, draw → rejected over
        was offered | rematch, accept → write accept, send
        was offered | decline → write decline, send
        was offered | say → write say, send
        was offered | left → left
        was offered | lost → lost
        was offered | not stored → failed, close 5
        was offered | early tick, late tick → nothing
        ended | note challenge, note accept, note decline, note reveal, note cancel, note junk, \
        packet junk, had too much, play, resign, draw, rematch, accept, decline, say, left, \
        lost, not stored, early tick, late tick → nothing
        """
}
