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
        ended.input(.storeFailed, to: mover)
        var apart = playing
        apart.input(.parted, to: mover)
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
            ("apart", apart[mover].engine),
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
        let ends: [(String, Engine.Input, UInt64)] = [
            ("left", .peerLeft(.left), 0), ("kept", .peerLeft(.keptForLater), 0),
            ("parted", .parted, 0), ("met", .met(have: 0, hash: nil, sent: 0), 0),
            ("forked", .refused(.forked), 0), ("not stored", .storeFailed, 0),
            ("early tick", .tick, 0), ("late tick", .tick, 65_000),
        ]
        let junk: [(String, Engine.Input, UInt64)] = [
            ("note junk", .note([0xff]), 0), ("packet junk", .packet(number: 1, [0xff]), 0),
            ("had too much", .had(count: 99, hash: nil), 0),
        ]
        return notes.map { ("note \($0)", .note($1.bytes), 0) }
            + junk
            + commands.map { ($0, .command($1), 0) }
            + ends
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
            case .tell(.apart): "apart"
            case .tell(.together): "together"
            case .tell(.sending): "sending"
            case .tell: "tell"
            case .storeDraft(let words):
                "draft " + String(decoding: words.prefix { $0 != 0x20 }, as: UTF8.self)
            case .dropDraft: "drop"
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
                if answer.contains("close") || answer.contains("forked") {
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
        case .claim: "claim"
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
        joiner waits | left, kept → left
        joiner waits | parted → lost
        joiner waits | met, forked, early tick → nothing
        joiner waits | not stored → failed, close 5
        joiner waits | late tick → note cancel, declined late, close 0
        host waits | note challenge → challenged
        host waits | note accept, note decline, note reveal, note cancel, note junk, packet \
        junk, had too much → broken, close 2
        host waits | play, resign, draw, rematch, say → rejected early
        host waits | accept, decline → rejected nothing
        host waits | left, kept → left
        host waits | parted → lost
        host waits | met, forked, early tick → nothing
        host waits | not stored → failed, close 5
        host waits | late tick → too long, close 4
        host is asked | note challenge, note accept, note decline, note reveal, note junk, \
        packet junk, had too much → broken, close 2
        host is asked | note cancel → declined cancelled, close 0
        host is asked | play, resign, draw, rematch, say → rejected early
        host is asked | accept → note accept
        host is asked | decline → note decline, declined declined, close 0
        host is asked | left, kept → left
        host is asked | parted → lost
        host is asked | met, forked, early tick → nothing
        host is asked | not stored → failed, close 5
        host is asked | late tick → note decline, declined late, close 0
        host accepted | note challenge, note accept, note decline, note junk, packet junk, \
        had too much → broken, close 2
        host accepted | note reveal → write open, send
        host accepted | note cancel → declined cancelled, close 0
        host accepted | play, resign, draw, rematch, say → rejected early
        host accepted | accept, decline → rejected nothing
        host accepted | left, kept → left
        host accepted | parted → lost
        host accepted | met, forked, early tick → nothing
        host accepted | not stored → failed, close 5
        host accepted | late tick → too long, close 4
        joiner opened | note challenge, note accept, note decline, note reveal, note cancel, \
        note junk, packet junk, had too much → broken, close 2
        joiner opened | play, resign, draw, rematch, accept, decline, say → rejected early
        joiner opened | left, kept, parted → apart
        joiner opened | met → send, together
        joiner opened | forked, early tick → nothing
        joiner opened | not stored → failed, close 5
        joiner opened | late tick → too long, close 4
        to move | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → over abort, broken, close 2
        to move | play → write move, send, sending
        to move | resign → write resign, send
        to move | draw → write offer draw, send
        to move | rematch → rejected early
        to move | accept, decline → rejected nothing
        to move | say → write say, send
        to move | left, kept, parted → apart
        to move | met → send, together
        to move | forked, early tick, late tick → nothing
        to move | not stored → failed, close 5
        not to move | note challenge, note accept, note decline, note reveal, note cancel, \
        note junk, packet junk, had too much → over abort, broken, close 2
        not to move | play, rematch → rejected early
        not to move | resign → write resign, send
        not to move | draw → write offer draw, send
        not to move | accept, decline → rejected nothing
        not to move | say → write say, send
        not to move | left, kept, parted → apart
        not to move | met → send, together
        not to move | forked, early tick, late tick → nothing
        not to move | not stored → failed, close 5
        resigned | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → over abort, broken, close 2
        resigned | play, resign, draw → rejected over
        resigned | rematch → rejected early
        resigned | accept, decline → rejected nothing
        resigned | say → write say, send
        resigned | left, kept, parted → apart
        resigned | met → send, send, together
        resigned | forked, early tick, late tick → nothing
        resigned | not stored → failed, close 5
        over | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → broken, close 2
        over | play, resign, draw → rejected over
        over | rematch → write offer rematch, send
        over | accept, decline → rejected nothing
        over | say → write say, send
        over | left → left
        over | kept, parted → apart
        over | met → send, send, send, send, send, together
        over | forked, early tick, late tick → nothing
        over | not stored → failed, close 5
        offered | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much → broken, close 2
        offered | play, resign, draw → rejected over
        offered | rematch → rejected early
        offered | accept, decline → rejected nothing
        offered | say → write say, send
        offered | left → left
        offered | kept, parted → apart
        offered | met → send, send, send, send, send, send, together
        offered | forked, early tick, late tick → nothing
        offered | not stored → failed, close 5
        was offered | note challenge, note accept, note decline, note reveal, note cancel, \
        note junk, packet junk, had too much → broken, close 2
        was offered | play, resign, draw → rejected over
        was offered | rematch, accept → write accept, send
        was offered | decline → write decline, send
        was offered | say → write say, send
        was offered | left → left
        was offered | kept, parted → apart
        was offered | met → send, send, send, send, together
        was offered | forked, early tick, late tick → nothing
        was offered | not stored → failed, close 5
        apart | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much, left, kept, parted, early tick, late tick → nothing
        apart | play → draft move, sending
        apart | resign → draft resign
        apart | draw → draft offer
        apart | rematch → rejected early
        apart | accept, decline → rejected nothing
        apart | say → draft say
        apart | met → send, together
        apart | forked → over abort, forked
        apart | not stored → failed, close 5
        ended | note challenge, note accept, note decline, note reveal, note cancel, note \
        junk, packet junk, had too much, play, resign, draw, rematch, accept, decline, say, \
        left, kept, parted, met, forked, not stored, early tick, late tick → nothing
        """
}
