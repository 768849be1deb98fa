// SPDX-License-Identifier: MIT

/// What is right in a journal: the valid beginning of each log, drafts, and the rest.
struct JournalContent {
    /// The match.
    private(set) var match: StoredMatch
    /// The first line that is not right, and why.
    private(set) var damage: (line: Int, reason: String)?
    /// Entries and lines of unknown kinds, in order.
    private var kept: [JournalLine] = []

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
        guard let opening = text.opening, opening.match == name.match else {
            throw .unusable(reason: "it has no entry that opens the match.")
        }
        guard let game = rules.first(where: { $0.rules == opening.rules }) else {
            throw .rules(found: opening.rules, known: rules.map { $0.rules })
        }
        match = StoredMatch(seat: name.seat, opening: opening, entries: [])
        try take(text, game, cryptography)
        if text.isTailDamaged { note(text.lines.count + 2, "The last line is damaged.") }
        // The first that is right says who plays; one that is not must not.
        guard let first = match.entries.first, case .open(let right) = first.body else {
            throw .unusable(reason: "it has no entry that opens the match.")
        }
        match = StoredMatch(
            seat: name.seat, opening: right, entries: match.entries, drafts: match.drafts,
            link: match.link)
    }

    /// What the new file holds: drafts behind the entries, so that none is taken for a later one.
    func bytes(_ name: JournalName, _ cryptography: any Cryptography) -> [UInt8] {
        let rest =
            match.drafts.map(JournalLine.draft) + (match.link.map { [.link($0)] } ?? [])
        return JournalHeader(name: name).bytes(cryptography)
            + (kept + rest).flatMap { $0.bytes(cryptography) }
    }

    private mutating func take<G: Game>(
        _ text: JournalText, _ game: G.Type, _ cryptography: any Cryptography
    ) throws(JournalError) {
        guard var replay: MatchReplay<G> = replay(cryptography) else {
            throw .unusable(reason: "its match does not follow from its fair start.")
        }
        do throws(Refused) {
            let _: GameView<G> = try replay.terms.game(1)
        } catch {
            throw .rules(found: match.rules, known: [G.rules])
        }
        for line in text.lines {
            do throws(Malformed) {
                try take(try line.content.get(), &replay)
            } catch {
                note(line.number, error.reason)
            }
        }
    }

    private func replay<G: Game>(_ cryptography: any Cryptography) -> MatchReplay<G>? {
        do throws(Malformed) {
            return MatchReplay(
                terms: try MatchTerms(
                    opening: match.opening, you: match.seat, cryptography: cryptography))
        } catch {
            return nil
        }
    }

    private mutating func take<G: Game>(
        _ line: JournalLine, _ replay: inout MatchReplay<G>
    ) throws(Malformed) {
        switch line {
        case .entry(let entry):
            _ = try replay.add(entry)
            match.entries.append(entry)
            kept.append(line)
            guard entry.seat == match.seat,
                let index = match.drafts.firstIndex(of: entry.body)
            else { return }
            match.drafts.remove(at: index)
        case .draft(let body): match.drafts.append(body)
        case .drop:
            guard !match.drafts.isEmpty else { throw Malformed("There is no draft to drop.") }
            match.drafts.removeFirst()
        case .link(let hint): match.link = hint
        case .unknown: kept.append(line)
        }
    }

    private mutating func note(_ line: Int, _ reason: String) {
        if damage == nil { damage = (line, reason) }
    }
}
