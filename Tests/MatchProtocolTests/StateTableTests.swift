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
            ("refilling", refilling[mover].engine),
            ("ended", ended[mover].engine),
        ]
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
            ]
            + [
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

extension StateTableTests {
    fileprivate static let table = """
        joiner waits | note challenge, note reveal, note cancel, note lost 0, note lost 9, note \
        kept, note junk, packet junk, had too much → broken, close 2
        joiner waits | note accept → note reveal, write open, send
        joiner waits | note decline → declined declined, close 0
        joiner waits | play, resign, draw, rematch, say, claim → rejected early
        joiner waits | accept → rejected nothing
        joiner waits | decline → note cancel, declined cancelled, close 0
        joiner waits | left, kept for later, told of an error, told of a fork → left
        joiner waits | parted → lost
        joiner waits | met, met another, met without a hash, not known, forked, busy, early tick\
         → nothing
        joiner waits | not stored → failed, close 5
        joiner waits | late tick → note cancel, declined late, close 0
        host waits | note challenge → challenged
        host waits | note accept, note decline, note reveal, note cancel, note lost 0, note lost\
         9, note kept, note junk, packet junk, had too much → broken, close 2
        host waits | play, resign, draw, rematch, say, claim → rejected early
        host waits | accept, decline → rejected nothing
        host waits | left, kept for later, told of an error, told of a fork → left
        host waits | parted → lost
        host waits | met, met another, met without a hash, not known, forked, busy, early tick →\
         nothing
        host waits | not stored → failed, close 5
        host waits | late tick → too long, close 4
        host is asked | note challenge, note accept, note decline, note reveal, note lost 0, \
        note lost 9, note kept, note junk, packet junk, had too much → broken, close 2
        host is asked | note cancel → declined cancelled, close 0
        host is asked | play, resign, draw, rematch, say, claim → rejected early
        host is asked | accept → note accept
        host is asked | decline → note decline, declined declined, close 0
        host is asked | left, kept for later, told of an error, told of a fork → left
        host is asked | parted → lost
        host is asked | met, met another, met without a hash, not known, forked, busy, early \
        tick → nothing
        host is asked | not stored → failed, close 5
        host is asked | late tick → note decline, declined late, close 0
        host accepted | note challenge, note accept, note decline, note lost 0, note lost 9, \
        note kept, note junk, packet junk, had too much → broken, close 2
        host accepted | note reveal, met, met another, met without a hash, not known, forked, \
        busy, early tick → nothing
        host accepted | note cancel → declined cancelled, close 0
        host accepted | play, resign, draw, rematch, say, claim → rejected early
        host accepted | accept, decline → rejected nothing
        host accepted | left, kept for later, told of an error, told of a fork → left
        host accepted | parted → lost
        host accepted | not stored → failed, close 5
        host accepted | late tick → too long, close 4
        host has the reveal | note challenge, note accept, note decline, note reveal, note \
        cancel, note lost 0, note lost 9, note kept, note junk, packet junk, had too much → \
        broken, close 2
        host has the reveal | play, resign, draw, rematch, accept, decline, say, claim → \
        rejected early
        host has the reveal | left, kept for later, told of an error, told of a fork → left
        host has the reveal | parted → lost
        host has the reveal | met, met another, met without a hash, not known, forked, busy, \
        early tick → nothing
        host has the reveal | not stored → failed, close 5
        host has the reveal | late tick → too long, close 4
        joiner opened | note challenge, note accept, note decline, note reveal, note cancel, \
        note lost 0, note lost 9, note kept, note junk, packet junk, had too much → broken, \
        close 2
        joiner opened | play, resign, draw, rematch, accept, decline, say, claim → rejected \
        early
        joiner opened | left, kept for later, parted → apart
        joiner opened | told of an error → left
        joiner opened | told of a fork → forked
        joiner opened | met → together
        joiner opened | met another, met without a hash → forked, close 8
        joiner opened | not known, forked, busy, early tick → nothing
        joiner opened | not stored → failed, close 5
        joiner opened | late tick → too long, close 4
        to move | note challenge, note accept, note decline, note reveal, note cancel, note lost\
         9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        to move | note lost 0 → note kept
        to move | play → write move, send, sending
        to move | resign → write resign, send
        to move | draw → write offer draw, send
        to move | rematch → rejected early
        to move | accept, decline → rejected nothing
        to move | say → write say, send
        to move | claim → rejected illegal
        to move | left, kept for later, parted → apart
        to move | told of an error → over abort, left
        to move | told of a fork → over abort, forked
        to move | met → together
        to move | met another, met without a hash → over abort, forked, close 8
        to move | not known, forked, busy, early tick, late tick → nothing
        to move | not stored → failed, close 5
        not to move | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        not to move | note lost 0 → note kept
        not to move | play, rematch → rejected early
        not to move | resign → write resign, send
        not to move | draw → write offer draw, send
        not to move | accept, decline → rejected nothing
        not to move | say → write say, send
        not to move | claim → rejected illegal
        not to move | left, kept for later, parted → apart
        not to move | told of an error → over abort, left
        not to move | told of a fork → over abort, forked
        not to move | met → together
        not to move | met another, met without a hash → over abort, forked, close 8
        not to move | not known, forked, busy, early tick, late tick → nothing
        not to move | not stored → failed, close 5
        resigned | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        resigned | note lost 0 → note kept
        resigned | play, resign, draw → rejected over
        resigned | rematch → rejected early
        resigned | accept, decline → rejected nothing
        resigned | say → write say, send
        resigned | claim → rejected illegal
        resigned | left, kept for later, parted → apart
        resigned | told of an error → over abort, left
        resigned | told of a fork → over abort, forked
        resigned | met → together
        resigned | met another, met without a hash → over abort, forked, close 8
        resigned | not known, forked, busy, early tick, late tick → nothing
        resigned | not stored → failed, close 5
        over | note challenge, note accept, note decline, note reveal, note cancel, note lost 9,\
         note kept, note junk, packet junk, had too much → broken, close 2
        over | note lost 0 → note kept, note kept, note kept, note kept
        over | play, resign, draw → rejected over
        over | rematch → write offer rematch, send
        over | accept, decline → rejected nothing
        over | say → write say, send
        over | claim → rejected illegal
        over | left, told of an error → left
        over | kept for later, parted → apart
        over | told of a fork → forked
        over | met → together
        over | met another, met without a hash → forked, close 8
        over | not known, forked, busy, early tick, late tick → nothing
        over | not stored → failed, close 5
        offered | note challenge, note accept, note decline, note reveal, note cancel, note lost\
         9, note kept, note junk, packet junk, had too much → broken, close 2
        offered | note lost 0 → note kept, note kept, note kept, note kept
        offered | play, resign, draw → rejected over
        offered | rematch → rejected early
        offered | accept, decline → rejected nothing
        offered | say → write say, send
        offered | claim → rejected illegal
        offered | left, told of an error → left
        offered | kept for later, parted → apart
        offered | told of a fork → forked
        offered | met → together
        offered | met another, met without a hash → forked, close 8
        offered | not known, forked, busy, early tick, late tick → nothing
        offered | not stored → failed, close 5
        was offered | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 9, note kept, note junk, packet junk, had too much → broken, close 2
        was offered | note lost 0 → note kept, note kept, note kept, note kept, note kept, note \
        kept
        was offered | play, resign, draw → rejected over
        was offered | rematch, accept → write accept, send
        was offered | decline → write decline, send
        was offered | say → write say, send
        was offered | claim → rejected illegal
        was offered | left, told of an error → left
        was offered | kept for later, parted → apart
        was offered | told of a fork → forked
        was offered | met → together
        was offered | met another, met without a hash → forked, close 8
        was offered | not known, forked, busy, early tick, late tick → nothing
        was offered | not stored → failed, close 5
        apart | note challenge, note accept, note decline, note reveal, note cancel, note lost \
        0, note lost 9, note kept, note junk, packet junk, had too much, left, kept for later, \
        parted, not known, busy, early tick, late tick → nothing
        apart | play → store draft, sending
        apart | resign, draw, say → store draft
        apart | rematch, claim → rejected early
        apart | accept, decline → rejected nothing
        apart | told of an error → over abort, left
        apart | told of a fork, forked → over abort, forked
        apart | met → together
        apart | met another, met without a hash → over abort, forked, close 8
        apart | not stored → failed, close 5
        apart with a draft | note challenge, note accept, note decline, note reveal, note \
        cancel, note lost 0, note lost 9, note kept, note junk, packet junk, had too much, left,\
         kept for later, parted, not known, busy, early tick, late tick → nothing
        apart with a draft | play, rematch, claim → rejected early
        apart with a draft | resign, draw, say → store draft
        apart with a draft | accept, decline → rejected nothing
        apart with a draft | told of an error → over abort, left
        apart with a draft | told of a fork, forked → over abort, forked
        apart with a draft | met → together, write move, send
        apart with a draft | met another, met without a hash → over abort, forked, close 8
        apart with a draft | not stored → failed, close 5
        refilling | note challenge, note accept, note decline, note reveal, note cancel, note \
        lost 9, note kept, note junk, packet junk, had too much → over abort, broken, close 2
        refilling | note lost 0 → note kept
        refilling | play → store draft, sending
        refilling | resign, draw, say → store draft
        refilling | rematch, claim → rejected early
        refilling | accept, decline → rejected nothing
        refilling | left, kept for later, parted → apart
        refilling | told of an error → over abort, left
        refilling | told of a fork → over abort, forked
        refilling | met → together
        refilling | met another, met without a hash → over abort, forked, close 8
        refilling | not known, forked, busy, early tick → nothing
        refilling | not stored → failed, close 5
        refilling | late tick → apart, hang up 4
        ended | note challenge, note accept, note decline, note reveal, note cancel, note lost \
        0, note lost 9, note kept, note junk, packet junk, had too much, play, resign, draw, \
        rematch, accept, decline, say, claim, left, kept for later, told of an error, told of a \
        fork, parted, met, met another, met without a hash, not known, forked, busy, not stored,\
         early tick, late tick → nothing
        """
}
