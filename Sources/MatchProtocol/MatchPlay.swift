// SPDX-License-Identifier: MIT

import SessionProtocol

/// The two logs of a match and what they mean: writes, checks, resolves and tells.
///
/// It is a function of the two logs, of which own entries the other side has confirmed, and of the
/// connection: own entries are signed in company only (`docs/protocol.md` §5.6).
struct MatchPlay<G: Game>: Sendable {
    typealias Effect = MatchEngine<G>.Effect

    /// An event that waits until the other side has stored own entry number `after`.
    struct Untold: Sendable {
        var event: MatchEvent<G>
        var after: UInt64
    }

    /// What the connection to the other side allows.
    enum Link: Sendable {
        /// There is none.
        case apart
        /// The other side gives back what was lost of the own log.
        case refilling(Refill)
        /// The other side has said where the own log stands, and that is here too.
        case company
    }

    let terms: MatchTerms
    /// The two logs, and what follows from them.
    private(set) var replay: MatchReplay<G>
    /// How many own entries the other side is known to have stored.
    private(set) var confirmed: UInt64 = 0
    private(set) var untold: [Untold] = []
    /// How the match stands by what has been told.
    private(set) var shown = Shown<G>()
    /// Own entries that are wished for and not signed.
    var drafts: [EntryBody] = []
    /// The connection.
    var link = Link.apart
    /// Whether it was given up for another that is about to be ready: the player is told nothing, so
    /// that the clock must not stand.
    var isBetween = false
    /// Whether the match has begun for this side: its journal exists.
    var isKept = false
    /// Set once the journal was damaged: how many entries the own log has had for certain.
    var floor: UInt64?
    /// The clock of the running game, if one was agreed.
    private(set) var face: ClockFace?
    private var timedGame: UInt32?
    private var now = Instant(nanoseconds: 0)
    /// Entries of the other side that wait for own ones to be given back.
    var arrived: [(number: UInt64, line: [UInt8])] = []
    /// How much the other side said last that it has of its own log, on this connection.
    var lastLost: UInt64?

    var you: Seat { terms.you }
    var cryptography: any Cryptography { terms.cryptography }
    /// What is known here.
    var here: MatchView<G> { replay.joint }
    /// The own log.
    var own: LogHead { replay.head(of: you) }
    /// The other log.
    var theirs: LogHead { replay.head(of: you.other) }

    /// Begins with two empty logs, apart.
    init(terms: MatchTerms) {
        self.terms = terms
        replay = MatchReplay(terms: terms)
    }

    /// Takes that time has passed, before anything else happens then.
    mutating func pass(to now: Instant) {
        self.now = now
        face?.pass(to: now)
    }

    /// Sets whose time runs from now on; tells whose is up.
    mutating func runClock() -> [Effect] {
        guard face != nil else { return [] }
        var runs = PerSeat(both: false)
        if isTimed, let game = here.game {
            for seat in Seat.allCases { runs[seat] = game.isToMove(seat) }
        }
        face?.run(runs)
        return (face?.takeUp() ?? []).map { .tell(.timeUp(you: $0 == you)) }
    }

    /// Whether the time of whoever is to move runs.
    var isTimed: Bool {
        if case .company = link { true } else { isBetween }
    }

    /// What to do if the library does not sign.
    static var unsigned: [Effect] {
        let text = "An entry could not be signed."
        return [.tell(.ended(.failed(text))), .close(.shuttingDown, text: text)]
    }

    /// Why an own entry was not written.
    enum WriteFailure: Error {
        case refused(Refused)
        case unsigned
    }

    /// Writes an own entry and whatever the rules make follow from it.
    mutating func write(_ body: EntryBody) throws(WriteFailure) -> [Effect] {
        try append(body) + tell() + settle()
    }

    /// Writes what the rules make this player write, if it may.
    mutating func settle() throws(WriteFailure) -> [Effect] {
        var effects: [Effect] = []
        while case .company = link, let body = owed {
            effects += try append(body) + tell()
        }
        return effects
    }

    /// Adds an entry, of this moment if it `isNew`: nothing changes unless all of it is right.
    mutating func add(
        _ entry: Entry, signed: Bool = false, isNew: Bool = false
    ) throws(Malformed) {
        let events = try replay.add(entry, signed: signed)
        keepTime(entry.body, by: entry.seat, isNew: isNew)
        if events.contains(.claimDeclined(byYou: false)) { face?.declined() }
        if entry.seat == you {
            isKept = true
            forget(draft: entry.body)
        } else {
            confirmed = max(confirmed, entry.seen.count)
        }
        // A move of ours that this one completes must be on the other disk too.
        let ownMove = events.contains { $0.isMove(by: here.game.map { you.inGame($0.number) }) }
        let after = entry.seat == you || ownMove ? own.count : 0
        untold += events.map { Untold(event: $0, after: $0.isOver ? 0 : after) }
    }

    /// The other side has stored so many own entries.
    mutating func confirm(_ count: UInt64) { confirmed = max(confirmed, count) }

    /// Tells what can be told by now.
    mutating func tell() -> [Effect] {
        let ready = untold.prefix { $0.after <= confirmed }
        untold.removeFirst(ready.count)
        let events = ready.map(\.event).filter { !isStale($0) }
        for event in events { shown.add(event) }
        return events.map(Effect.tell)
    }

    /// Takes as told what own entries on this disk have brought about, up to an own move that the
    /// other side may not have: whoever looks at a match that is taken up sees the game that runs.
    mutating func showOwn() {
        let own = untold.prefix { !$0.event.isMove || $0.after <= confirmed }
        untold.removeFirst(own.count)
        for event in own.map(\.event) where !isStale(event) { shown.add(event) }
    }

    /// Whether the start of the running game is still to be told.
    var isStartUntold: Bool { untold.contains(where: \.event.isStart) }

    /// Whether all is told.
    var isAllTold: Bool { untold.isEmpty }

    /// Own moves that are written and not yet told as made, as they are shown meanwhile.
    var sending: [MatchEvent<G>] {
        guard let game = here.game else { return [] }
        let seat = you.inGame(game.number)
        var events: [MatchEvent<G>] = untold.compactMap { untold in
            guard case .moved(let ply, seat, let action, let position) = untold.event else {
                return nil
            }
            return .sending(ply: ply, by: seat, action: action, position: position)
        }
        if let action = game.choice(of: you) {
            events.append(
                .sending(ply: game.ply, by: seat, action: action, position: game.position))
        }
        return events
    }

    /// Whose turn it is matters no more once the game is over.
    private func isStale(_ event: MatchEvent<G>) -> Bool {
        if case .turn = event { return here.gameOver != nil }
        return false
    }
}

extension MatchPlay {
    /// Checks, signs and adds an own entry.
    mutating func append(_ body: EntryBody) throws(WriteFailure) -> [Effect] {
        do throws(Refused) {
            try here.check(body, by: you)
        } catch {
            throw .refused(error)
        }
        guard own.count < .max,
            let entry = Entry(
                after: own, by: you, seen: theirs, body, cryptography: cryptography)
        else { throw .unsigned }
        do throws(Malformed) {
            try add(entry, signed: true, isNew: true)
        } catch {
            throw .refused(Refused(.illegal, error.reason))
        }
        return [
            .store(entry: entry.line, by: you, number: entry.number), .sendPacket(entry.line),
        ]
    }

    /// What the rules make the player here write next.
    private var owed: EntryBody? {
        guard here.opened[you] else {
            let isFirst = terms.opening.joiner == you
            return isFirst || here.opened[you.other] ? .open(terms.opening) : nil
        }
        if let claim = here.claims[you.other], here.gameOver == nil, let face {
            return face.isUp(you) ? .accept(offer: claim) : .decline(offer: claim)
        }
        return here.owed(by: you)
    }

    private mutating func keepTime(_ body: EntryBody, by author: Seat, isNew: Bool) {
        guard let clock = terms.opening.clock, let game = here.game else { return }
        if game.number != timedGame {
            face = ClockFace(clock, of: you, at: now)
            timedGame = game.number
        } else if case .move(_, _, _, let left) = body {
            let isMeasured = isNew && author != you
            face?.moved(author, written: isMeasured ? nil : left)
        }
    }

    /// A draft is done when an own entry says the same, whoever's wish that was.
    private mutating func forget(draft body: EntryBody) {
        if let index = drafts.firstIndex(of: body) { drafts.remove(at: index) }
    }
}

extension MatchEvent {
    fileprivate var isOver: Bool { if case .over = self { true } else { false } }

    fileprivate var isStart: Bool { if case .started = self { true } else { false } }

    fileprivate var isMove: Bool { if case .moved = self { true } else { false } }

    fileprivate func isMove(by seat: Seat?) -> Bool {
        if case .moved(_, let author, _, _) = self { author == seat } else { false }
    }
}
