// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Two players whose connections break, whose processes crash and whose disks are set back.
@Suite struct FaultTests {
    /// Which faults a run has.
    struct Faults: OptionSet {
        let rawValue: Int
        static let cuts = Faults(rawValue: 1)
        static let crashes = Faults(rawValue: 2)
        static let backups = Faults(rawValue: 4)
        static let duplicates = Faults(rawValue: 8)
        static let lateDials = Faults(rawValue: 16)
        /// Of both sides, and again and again.
        static let manyBackups = Faults(rawValue: 32)
        /// A line of each side's file, of crossing entries where there are some.
        static let damage = Faults(rawValue: 64)
    }

    #if DEBUG
        static let runs: UInt64 = 1_000
    #else
        static let runs: UInt64 = 100_000
    #endif

    @Test func `whatever breaks, both sides come to the same and nothing is signed twice`() {
        var tally = Tally()
        for seed in 0..<Self.runs {
            var run = Run(seed: seed)
            run.play()
            guard run.isRight else { return }
            tally.add(run)
        }
        // Each of these has happened, and often.
        #expect(tally.refills > Self.runs / 50)
        #expect(tally.bothRefills > 0)
        #expect(tally.dropped > 0)
        #expect(tally.drafts > Self.runs / 10)
        #expect(tally.resumed > Self.runs / 10)
        #expect(tally.games > Self.runs / 4)
        #expect(tally.forks < Self.runs / 100)
    }
}

private struct Tally {
    var refills: UInt64 = 0
    var bothRefills: UInt64 = 0
    var dropped: UInt64 = 0
    var drafts: UInt64 = 0
    var resumed: UInt64 = 0
    var games: UInt64 = 0
    var forks: UInt64 = 0

    mutating func add(_ run: Run) {
        refills += run.match.refills.isEmpty ? 0 : 1
        bothRefills += run.match.refills.contains { $0.value.count == 2 } ? 1 : 0
        dropped += run.match.drops
        drafts += run.drafts
        resumed += run.resumed
        games += run.isForked ? 0 : 1
        forks += run.isForked ? 1 : 0
    }
}

/// One match with random faults.
private struct Run {
    typealias Match = KeptMatch<Position>

    let seed: UInt64
    let faults: FaultTests.Faults
    var random: SeededGenerator
    var match: Match
    var dials: [Match.Dial] = []
    var isRight = true
    var isForked = false
    var drafts: UInt64 = 0
    var resumed: UInt64 = 0
    /// What was said and stored, with who said it.
    var said: [String: Role] = [:]
    var words = 0
    /// How often a disk was set back. After the second time an entry may be back that was signed
    /// anew meanwhile, because nobody had it: a fork.
    var setBacks = 0
    private var hasBegun = false

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        faults = FaultTests.Faults(rawValue: Int.random(in: 0..<128, using: &random))
        match = Match(random: (random.bytes(32), random.bytes(32)))
        if Bool.random(using: &random) { match.settle() }
    }

    mutating func play() {
        for _ in 0..<Int.random(in: 20...90, using: &random) where !isForked { step() }
        heal()
    }

    private mutating func step() {
        hasBegun =
            hasBegun || Role.allCases.allSatisfy { match[$0].engine.identity != nil }
        let role: Role = Bool.random(using: &random) ? .initiator : .responder
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<7: match.deliver(to: role, limit: limit)
        case 7..<11: wish(role)
        case 11: if faults.contains(.cuts) { cut(role) } else { match.deliver(to: role) }
        case 12: if faults.contains(.crashes) { crash(role) }
        case 13: back(role)
        case 14: if faults.contains(.duplicates) { duplicate(role) }
        default: connect(role)
        }
        note()
    }

    /// How many effects are carried out before a crash.
    private var limit: Int {
        mutating get {
            guard faults.contains(.crashes), hasBegun, Int.random(in: 0..<8, using: &random) == 0
            else { return .max }
            return Int.random(in: 0..<6, using: &random)
        }
    }

    private mutating func wish(_ role: Role) {
        guard hasBegun else { return }
        let wish: Wish =
            Bool.random(using: &random)
            ? .playFirstLegal : Wish.allCases.randomElement(using: &random) ?? .say
        let side = match[role]
        switch wish {
        case .playFirstLegal:
            let moves = side.engine.standing?.position.legalMoves ?? []
            let square = moves.randomElement(using: &random) ?? Square.allCases[0]
            match.input(.command(.play(square)), to: role, limit: limit)
        case .resign:
            // Seldom, so that games also end by moves.
            guard Int.random(in: 0..<4, using: &random) == 0 else { return }
            match.input(.command(.resign), to: role, limit: limit)
        case .offerDraw: match.input(.command(.offer(.draw)), to: role, limit: limit)
        case .offerRematch: match.input(.command(.offer(.rematch)), to: role, limit: limit)
        case .accept: match.input(.command(.accept), to: role, limit: limit)
        case .decline: match.input(.command(.decline), to: role, limit: limit)
        case .say:
            words += 1
            let text = "word \(words)"
            match.input(.command(.say(text)), to: role, limit: limit)
            let disk = match[role].disk
            let isStored =
                disk.drafts.contains(.say(text))
                || disk.entries.contains { $0.body == .say(text) }
            if isStored { said[text] = role }
        }
        if !match[role].disk.drafts.isEmpty { drafts += 1 }
    }

    private mutating func cut(_ role: Role) {
        guard hasBegun else { return }
        match.part(role)
        // The other side notices now or when the next connection comes.
        if Bool.random(using: &random), match[role.other].wire != nil { match.part(role.other) }
    }

    private mutating func crash(_ role: Role) {
        guard hasBegun else { return }
        match.restart(role)
        dials.removeAll()
        resumed += 1
    }

    private mutating func back(_ role: Role) {
        guard hasBegun else { return }
        match.backUp(role)
        if faults.contains(.damage), setBacks == 0 || faults.contains(.manyBackups) {
            return damage()
        }
        guard faults.contains(.backups), setBacks == 0 || faults.contains(.manyBackups),
            let disk = match[role].backups.randomElement(using: &random)
        else { return }
        match.restart(role, from: disk)
        dials.removeAll()
        setBacks += 1
        said = said.filter { $0.value != role }
    }

    private mutating func damage() {
        for role in Role.allCases {
            let seat = match[role].engine.identity?.seat
            var disk = match[role].disk
            guard let last = disk.entries.lastIndex(where: { $0.seat == seat }) else { continue }
            disk.lose(last)
            match.restart(role, from: disk)
        }
        dials.removeAll()
        setBacks += 1
        said.removeAll()
    }

    private mutating func duplicate(_ role: Role) {
        guard hasBegun else { return }
        let packets = match[role].arriving.filter {
            if case .packet = $0 { true } else { false }
        }
        if let packet = packets.first { match[role].arriving.insert(packet, at: 0) }
    }

    private mutating func connect(_ role: Role) {
        guard hasBegun else { return }
        if faults.contains(.lateDials), match[role].wire == nil, Bool.random(using: &random) {
            dials.append(match.dial(by: role))
        } else if let dial = dials.popLast() {
            complete(dial)
        } else if match[role].wire == nil || match[role.other].wire == nil {
            complete(match.dial(by: role))
        }
    }

    private mutating func complete(_ dial: Match.Dial) {
        match.complete(dial, limits: (limit, limit))
    }

    private mutating func note() {
        if let end = match.end {
            isForked = end == .forked
            if !isForked { fail("ended \(end)") }
        }
        if !match.doublySigned.isEmpty, setBacks < 2 { fail("signed twice") }
    }

    /// Everything works from now on.
    private mutating func heal() {
        if isForked {
            if setBacks < 2 { fail("forked") }
            return
        }
        if !hasBegun { match.settle() }
        guard Role.allCases.allSatisfy({ match[$0].engine.identity != nil }) else {
            return fail("no match")
        }
        match.cut()
        match.complete(match.dial(by: Bool.random(using: &random) ? .initiator : .responder))
        match.settle()
        note()
        if isForked {
            if setBacks < 2 { fail("forked") }
            return
        }
        check()
    }

    private mutating func check() {
        let (a, b) = (match.joiner, match.host)
        guard a.engine.isInCompany, b.engine.isInCompany else { return fail("not in company") }
        guard a.engine.logs.own == b.engine.logs.theirs, a.engine.logs.theirs == b.engine.logs.own,
            a.disk.log(.first) == b.disk.log(.first), a.disk.log(.second) == b.disk.log(.second),
            a.disk.drafts.isEmpty, b.disk.drafts.isEmpty,
            a.engine.lines == a.disk.log(a.engine.identity?.seat ?? .first)
        else { return fail("different logs") }
        guard a.engine.standing?.position == b.engine.standing?.position,
            a.engine.standing?.score == b.engine.standing?.score.mirrored
        else { return fail("different positions") }
        for side in [a, b] {
            var story = Story()
            for event in side.told { story.add(event) }
            guard story.isInOrder, story.position == side.engine.standing?.position else {
                return fail("told in the wrong order")
            }
        }
        let texts = a.disk.entries.compactMap { entry -> String? in
            if case .say(let text) = entry.body { text } else { nil }
        }
        guard Set(texts).count == texts.count else { return fail("said twice") }
        if setBacks < 2, !Set(said.keys).isSubset(of: texts) { fail("a word was lost") }
    }

    private mutating func fail(_ reason: String) {
        guard isRight else { return }
        isRight = false
        Issue.record("seed \(seed), \(faults): \(reason)\n\(match.joiner.told)\n\(match.host.told)")
    }
}
