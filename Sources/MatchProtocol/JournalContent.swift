// SPDX-License-Identifier: MIT

/// What is right in a journal: the valid beginning of each log, drafts, and the rest.
struct JournalContent {
    /// The match.
    private(set) var match: StoredMatch
    /// The first line that is not right, and why.
    private(set) var damage: (line: Int, reason: String)?
    /// Entries and lines of unknown kinds, in order, as they are written.
    private var kept: [UInt8] = []

    /// Judges a journal by the rules it names.
    init(
        _ text: JournalText, of name: JournalName, rules: [any Game.Type],
        cryptography: any Cryptography
    ) throws(JournalError) {
        switch text.header {
        case .success(let header) where header.version != JournalHeader.version:
            throw .version(found: header.version, known: JournalHeader.version)
        case .success(let header) where header.name != name:
            damage = (1, "The first line names another match.")
        case .success: break
        case .failure(let malformed): damage = (1, malformed.reason)
        }
        guard let terms = text.terms(of: name.match, for: name.seat, cryptography) else {
            throw .unusable(reason: "no line that is right says what the match is.")
        }
        let found = terms.opening.rules
        guard let game = rules.first(where: { $0.rules == found }) else {
            throw .rules(found: found, known: rules.map { $0.rules })
        }
        match = StoredMatch(seat: name.seat, opening: terms.opening, entries: [])
        try take(text, game, terms)
        if text.isTailDamaged { note(text.tailNumber, "The last line is damaged.") }
        if damage != nil { raiseFloor(to: 0) }
    }

    /// What the new file holds: drafts behind the entries, so that none is taken for a later one.
    func bytes(_ name: JournalName, _ cryptography: any Cryptography) -> [UInt8] {
        let terms = match.entries.isEmpty ? [JournalLine.terms(match.opening)] : []
        let link = match.link.map { [JournalLine.link($0)] } ?? []
        let run = match.run == 0 ? [] : [JournalLine.run(match.run)]
        let damaged = match.floor.map { [JournalLine.damaged($0)] } ?? []
        let behind = match.drafts.map(JournalLine.draft) + link + run + damaged
        return JournalHeader(name: name).bytes(cryptography)
            + terms.flatMap { $0.bytes(cryptography) } + kept
            + behind.flatMap { $0.bytes(cryptography) }
    }

    /// Counts that the journal is opened to go on.
    mutating func beginRun() { match.run &+= 1 }

    private mutating func take<G: Game>(
        _ text: JournalText, _ game: G.Type, _ terms: MatchTerms
    ) throws(JournalError) {
        var replay = MatchReplay<G>(terms: terms)
        do throws(Refused) {
            let _: GameView<G> = try terms.game(1)
        } catch {
            throw .options(found: G.rules, reason: error.reason)
        }
        for line in text.lines {
            do throws(Malformed) {
                try take(try line.content.get(), line.bytes, &replay)
            } catch {
                note(line.number, error.reason)
            }
        }
    }

    private mutating func take<G: Game>(
        _ line: JournalLine, _ bytes: [UInt8], _ replay: inout MatchReplay<G>
    ) throws(Malformed) {
        switch line {
        case .entry(let entry):
            do throws(Malformed) {
                _ = try replay.add(entry)
            } catch {
                remember(entry, replay.terms)
                throw error
            }
            match.entries.append(entry)
            kept += bytes + [0x0a]
            guard entry.seat == match.seat,
                let index = match.drafts.firstIndex(of: entry.body)
            else { return }
            match.drafts.remove(at: index)
        case .draft(let body):
            // Each that is taken away moves the others.
            guard match.drafts.count < StoredMatch.mostDrafts else {
                throw Malformed("There are too many drafts.")
            }
            match.drafts.append(body)
        case .drop:
            guard !match.drafts.isEmpty else { throw Malformed("There is no draft to drop.") }
            match.drafts.removeFirst()
        case .link(let hint): match.link = hint
        case .run(let count): match.run = count
        case .damaged(let count): raiseFloor(to: count)
        case .terms: break
        case .unknown: kept += bytes + [0x0a]
        }
    }

    /// What the other side signed still says what it has had, though nothing else of it counts. What
    /// the own key signed may never have been sent, and to wait for that could be for ever.
    private mutating func remember(_ lost: Entry, _ terms: MatchTerms) {
        let key = match.opponentKey
        guard lost.seat != match.seat, lost.isSigned(by: key, cryptography: terms.cryptography)
        else { return }
        raiseFloor(to: lost.seen.count)
    }

    private mutating func raiseFloor(to count: UInt64) {
        match.floor = max(match.floor ?? 0, count)
    }

    private mutating func note(_ line: Int, _ reason: String) {
        if damage == nil { damage = (line, reason) }
    }
}
