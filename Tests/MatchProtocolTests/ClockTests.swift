// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// The move clock: 10 s for a game and 2 s more for each move.
@Suite struct ClockTests {
    private typealias Match = KeptMatch<Position>

    private func match() throws -> (Match, mover: Role) {
        let match = Match.begun(clock: MoveClock(seconds: 10, increment: 2))
        return (match, try #require(match.mover))
    }

    private func left(_ match: Match, _ role: Role) -> [UInt64] {
        let left = match[role].engine.remaining(at: match.now)
        return left.map { [$0.you, $0.opponent] } ?? []
    }

    @Test(
        arguments: [
            ("10+2", 10, 2), ("86400+0", 86_400, 0), ("0+2", nil, 0), ("10", nil, 0),
            ("10+", nil, 0),
            ("010+2", nil, 0), ("10+86401", nil, 0), ("+10+2", nil, 0), ("10+2+1", nil, 0),
            ("", nil, 0), ("10+-2", nil, 0), ("4294967296+0", nil, 0),
        ] as [(String, UInt32?, UInt32)])
    func `a clock has one spelling`(text: String, seconds: UInt32?, increment: UInt32) {
        let clock = MoveClock(description: text)
        #expect(clock == seconds.flatMap { MoveClock(seconds: $0, increment: increment) })
        #expect(clock == nil || clock?.description == text)
    }

    @Test func `both must want the same clock`() {
        for clock in [nil, MoveClock(seconds: 10, increment: 3)] {
            var host = MatchEngine<Position>(
                role: .responder, local: FastCryptography(key: 1).player(named: ""),
                remote: FastCryptography(key: 2).player(named: ""), exporter: [], options: [],
                clock: MoveClock(seconds: 10, increment: 2), asks: false,
                random: [UInt8](repeating: 1, count: 32), cryptography: FastCryptography(key: 1),
                now: Instant(nanoseconds: 0))
            _ = host.handle(.begin, at: Instant(nanoseconds: 0))
            let challenge = Challenge(
                rules: Position.rules, options: [], clock: clock,
                commitment: [UInt8](repeating: 0, count: 32))
            let effects = host.handle(
                .note(MatchNote.challenge(challenge).bytes), at: Instant(nanoseconds: 0))
            #expect(effects.contains(.tell(.declined(.clock))))
        }
    }

    @Test func `the time of whoever is to move runs, and a move adds to it`() throws {
        var (match, mover) = try match()
        #expect(match[mover].engine.clock == MoveClock(seconds: 10, increment: 2))
        match.now = match.now.advanced(milliseconds: 3_000)
        #expect(left(match, mover) == [7_000, 10_000])
        #expect(left(match, mover.other) == [10_000, 7_000])
        match.input(.command(.play(Square.allCases[0])), to: mover)
        match.settle()
        let line = match[mover].engine.lines[1]
        #expect(String(decoding: line, as: UTF8.self).contains(" move 1 1 1 9000 "))
        match.now = match.now.advanced(milliseconds: 1_500)
        #expect(left(match, mover) == [9_000, 8_500])
        #expect(left(match, mover.other) == [8_500, 9_000])
    }

    @Test func `it stands while the two are apart, and a new process goes by what was written`()
        throws
    {
        var (match, mover) = try match()
        match.now = match.now.advanced(milliseconds: 3_000)
        match.input(.command(.play(Square.allCases[0])), to: mover)
        match.settle()
        match.now = match.now.advanced(milliseconds: 1_000)
        match.cut()
        match.now = match.now.advanced(milliseconds: 3_600_000)
        #expect(left(match, mover.other) == [9_000, 9_000])
        match.restart(mover)
        match.complete(match.dial(by: mover))
        match.settle()
        #expect(left(match, mover.other) == [9_000, 9_000])
        #expect(left(match, mover) == [9_000, 10_000])
        match.now = match.now.advanced(milliseconds: 1_000)
        #expect(left(match, mover.other) == [8_000, 9_000])
        match.input(.command(.play(Square.allCases[1])), to: mover.other)
        match.settle()
        #expect(left(match, mover.other) == [10_000, 9_000])
    }

    @Test func `from one connection to the next it goes on`() throws {
        var (match, mover) = try match()
        for role in Role.allCases { match.input(.replaced, to: role) }
        match.now = match.now.advanced(milliseconds: 700)
        #expect(left(match, mover) == [9_300, 10_000])
        #expect(left(match, mover.other) == [10_000, 9_300])
        let own = match[mover].engine.logs.own
        match.input(.met(have: own.count, hash: own.hash, sent: own.count), to: mover)
        match.now = match.now.advanced(milliseconds: 300)
        #expect(left(match, mover) == [9_000, 10_000])
        match.input(.parted, to: mover.other)
        match.now = match.now.advanced(milliseconds: 300)
        #expect(left(match, mover.other) == [10_000, 9_000])
    }

    @Test func `whenever it stands the player has been told that the other side is not there`()
        throws
    {
        let match = Match.begun(clock: MoveClock(seconds: 86_400, increment: 0))
        let waiter = try #require(match.mover).other
        let own = match[waiter].engine.logs.own
        let more = [UInt8](repeating: 9, count: 32)
        let inputs: [MatchEngine<Position>.Input] = [
            .parted, .replaced, .met(have: own.count, hash: own.hash, sent: own.count),
            .met(have: own.count + 1, hash: more, sent: own.count), .tick,
        ]
        // Whatever five of these follow each other.
        for choice in 0..<3_125 {
            var (engine, now, isApart, rest) = (match[waiter].engine, match.now, false, choice)
            for _ in 0..<5 {
                let input = inputs[rest % inputs.count]
                rest /= inputs.count
                // So late that what is asked for is given up.
                now = now.advanced(milliseconds: input == .tick ? 10_000 : 1)
                for case .tell(let event) in engine.handle(input, at: now) {
                    if case .apart = event { isApart = true }
                    if case .together = event { isApart = false }
                }
                let later = now.advanced(milliseconds: 50)
                let left = [now, later].map { engine.remaining(at: $0)?.opponent }
                let runs = left[0] != left[1]
                guard runs != isApart else {
                    Issue.record("\(choice): \(input), runs: \(runs)")
                    return
                }
            }
        }
    }

    @Test func `nobody's time is up before a claim, and a right claim wins`() throws {
        var (match, mover) = try match()
        #expect(match[mover].engine.deadline == Instant(nanoseconds: 10_000_000_000))
        #expect(match[mover.other].engine.deadline == Instant(nanoseconds: 12_000_000_000))
        match.now = match.now.advanced(milliseconds: 10_000)
        for role in Role.allCases { match.input(.tick, to: role) }
        #expect(match[mover].told.last == .timeUp(you: true))
        // The clock of the other side may be behind by what was under way.
        match.now = match.now.advanced(milliseconds: 1_999)
        #expect(left(match, mover.other) == [10_000, 0])
        match.input(.command(.claim), to: mover.other)
        guard case .rejected(.early, _)? = match[mover.other].told.last else {
            Issue.record("\(match[mover.other].told)")
            return
        }
        match.now = match.now.advanced(milliseconds: 1)
        match.input(.tick, to: mover.other)
        #expect(match[mover.other].told.last == .timeUp(you: false))
        #expect(match[mover].engine.deadline == nil)
        // Whose own time is up can still move, and cannot claim.
        match.input(.command(.claim), to: mover)
        guard case .rejected(.early, _)? = match[mover].told.last else {
            Issue.record("\(match[mover].told)")
            return
        }
        match.input(.command(.claim), to: mover.other)
        match.settle()
        for role in Role.allCases {
            guard case .over(let result, let score, _)? = match[role].told.last else {
                Issue.record("\(match[role].told)")
                continue
            }
            #expect(result == GameResult(.win(.second), termination: "timeout"))
            #expect(score.you == (role == mover ? 0 : 1))
        }
    }

    @Test(arguments: [(0, true), (1, false), (2_000, false)])
    func `a claim is accepted only if no time is left by the own measure`(
        left: UInt64, isAccepted: Bool
    ) throws {
        var (match, mover) = try match()
        match.now = match.now.advanced(milliseconds: 12_000)
        match.input(.command(.claim), to: mover.other)
        // What the claimant measured took less time here.
        match.now = Instant(nanoseconds: 0).advanced(milliseconds: 10_000 - left)
        match.settle()
        let told = match[mover.other].told.last
        if isAccepted {
            guard case .over? = told else {
                Issue.record("\(String(describing: told))")
                return
            }
        } else {
            #expect(told == .claimDeclined(byYou: false))
        }
    }

    @Test(arguments: [1, 2] as [UInt32])
    func `a short clock is not up before it is, whatever the other side claims`(
        seconds: UInt32
    ) throws {
        var match = Match.begun(clock: MoveClock(seconds: seconds, increment: 0))
        let mover = try #require(match.mover)
        let (start, end) = (match.now, match.now.advanced(milliseconds: UInt64(seconds) * 1_000))
        // A side that claims by a measure of its own.
        for (count, passed) in [0, UInt64(seconds) * 1_000 - 1].enumerated() {
            let moment = start.advanced(milliseconds: passed)
            match.now = end.advanced(milliseconds: 600_000 * UInt64(count + 1))
            match.input(.command(.claim), to: mover.other)
            match.now = moment
            match.settle()
            #expect(match[mover.other].told.last == .claimDeclined(byYou: false))
        }
        match.now = end.advanced(milliseconds: 1_800_000)
        match.input(.command(.claim), to: mover.other)
        match.now = end
        match.settle()
        guard case .over? = match[mover].told.last else {
            Issue.record("\(match[mover].told)")
            return
        }
    }

    @Test func `after a claim that was declined the time is up again two seconds later`() throws {
        var (match, mover) = try match()
        let start = match.now
        match.now = start.advanced(milliseconds: 12_000)
        match.input(.command(.claim), to: mover.other)
        // The mover's measure is behind.
        match.now = start.advanced(milliseconds: 9_000)
        match.settle()
        match.now = start.advanced(milliseconds: 13_999)
        match.input(.command(.claim), to: mover.other)
        #expect(match[mover.other].told.last?.isRejected == true)
        #expect(
            match[mover.other].engine.deadline == start.advanced(milliseconds: 14_000))
        match.now = start.advanced(milliseconds: 14_000)
        match.input(.tick, to: mover.other)
        #expect(match[mover.other].told.last == .timeUp(you: false))
        match.input(.command(.claim), to: mover.other)
        match.settle()
        guard case .over? = match[mover.other].told.last else {
            Issue.record("\(match[mover.other].told)")
            return
        }
    }

    @Test func `who claims in vain can do so eight times between two moves`() throws {
        var (match, mover) = try match()
        let claimant = mover.other
        let start = match.now
        for round in 1...2 {
            // What the claimant measured took no time here.
            for count in 1...9 {
                match.now = start.advanced(milliseconds: UInt64(60_000 * round + 2_000 * count))
                match.input(.tick, to: claimant)
                match.input(.command(.claim), to: claimant)
                match.now = start
                match.settle()
                let told = match[claimant].told.last
                guard count <= 8 ? told == .claimDeclined(byYou: false) : told?.isRejected == true
                else {
                    Issue.record("\(count): \(String(describing: told))")
                    return
                }
            }
            // Two moves later it can again.
            for role in [mover, claimant] {
                let square = try #require(match[role].engine.standing?.position.legalMoves.first)
                match.input(.command(.play(square)), to: role)
                match.settle()
            }
        }
    }

    @Test func `a move that crosses a claim stands`() throws {
        for isLast in [false, true] {
            var (match, _) = try match()
            for number in isLast ? [1, 4, 2, 5] : [] {
                let square = try #require(Square(number: number))
                match.input(.command(.play(square)), to: try #require(match.mover))
                match.settle()
            }
            let mover = try #require(match.mover)
            match.now = match.now.advanced(milliseconds: 60_000)
            match.input(.command(.claim), to: mover.other)
            match.input(.command(.play(Square.allCases[2])), to: mover)
            match.settle()
            #expect(match.end == nil)
            let (a, b) = (match.joiner.engine, match.host.engine)
            #expect(a.logs.own == b.logs.theirs && a.logs.theirs == b.logs.own)
            #expect(a.standing?.position == b.standing?.position)
            let overs = match[mover].told.compactMap { event -> String? in
                if case .over(let result, _, _) = event { result.termination } else { nil }
            }
            #expect(overs == (isLast ? ["line"] : []))
        }
    }

    @Test func `without a clock there is no claim and no time in a move, with one there must be`()
        throws
    {
        var (match, mover) = try match()
        let seat = try #require(match[mover].engine.identity?.seat)
        let logs = match[mover].engine.logs
        let key = FastCryptography(key: mover == .initiator ? 0xa1 : 0xb2)
        for left: UInt64? in [nil, 12_001] {
            let body = EntryBody.move(game: 1, ply: 1, action: [0x31], left: left)
            let entry = try #require(
                Entry(after: logs.own, by: seat, seen: logs.theirs, body, cryptography: key))
            var engine = match[mover.other].engine
            let effects = engine.handle(
                .packet(number: entry.number, entry.line), at: match.now)
            guard case .close(.protocolError, _)? = effects.last else {
                Issue.record("\(effects)")
                continue
            }
        }
        match.input(.command(.claim), to: mover)
        var plain = MatchPair<Position>.started()
        plain.command(.claim, from: .initiator)
        guard case .rejected(.illegal, _)? = plain.joiner.told.last else {
            Issue.record("\(plain.joiner.told)")
            return
        }
        #expect(plain.joiner.engine.remaining(at: plain.now) == nil)
    }
}

extension MatchEvent {
    fileprivate var isRejected: Bool {
        if case .rejected(.early, _) = self { true } else { false }
    }
}
