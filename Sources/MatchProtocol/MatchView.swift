// SPDX-License-Identifier: MIT

/// A match as one player knows it: what the entries seen so far make of it.
///
/// An engine keeps two, what is known here and what was known there when the other player wrote
/// its last entry. Each entry is checked against its author's view (``check(_:by:)``) and then
/// applied to both, so one set of rules judges both players, and crossing entries come to the
/// same on both sides.
struct MatchView<G: Game>: Sendable {
    /// An offer that waits for its answer.
    struct Offer: Sendable, Equatable {
        var kind: OfferKind
        var number: UInt64
    }

    /// What the match is played on.
    let terms: MatchTerms
    /// Who has written `open`.
    private(set) var opened = PerSeat(both: false)
    /// The running game or the last; `nil` until both have opened.
    private(set) var game: GameView<G>?
    /// Each player's offer that waits; nobody has two.
    private(set) var offers = PerSeat<Offer?>(both: nil)
    /// Each player's claim that waits, by its number: that the other's time is up.
    private(set) var claims = PerSeat<UInt64?>(both: nil)
    /// How many entries of both logs it has seen.
    private(set) var entries: UInt64 = 0
    /// How many texts each player has said since the other one last wrote of its own accord.
    private(set) var texts = PerSeat(both: 0)
    /// How often each player has claimed since the last move.
    private(set) var claimed = PerSeat(both: 0)
    /// Games won by each player.
    private var wins = PerSeat<UInt32>(both: 0)
    private var draws: UInt32 = 0

    /// Makes the view of somebody who has seen nothing.
    init(terms: MatchTerms) { self.terms = terms }

    /// The score as the local player sees it; with `ending`, as it will be with that.
    func score(with ending: Ending? = nil) -> MatchScore {
        var counted = self
        if let ending { counted.count(ending) }
        return MatchScore(
            you: counted.wins[terms.you], opponent: counted.wins[terms.you.other],
            draws: counted.draws)
    }

    /// What the rules make the player write next, without being asked.
    func owed(by player: Seat) -> EntryBody? {
        guard let game else { return nil }
        if !game.hasEnded(player), let ending = game.finalEnding(for: player) {
            return .end(game: game.number, ending)
        }
        // Two crossing offers: each accepts the other's, so that one suffices.
        if let own = offers[player], let other = offers[player.other], own.kind == other.kind,
            own.kind == .rematch || game.ending == nil
        {
            return .accept(offer: other.number)
        }
        return nil
    }

    /// Applies an entry that its author was allowed to write; says what the local player is to be
    /// told of it. `knew` is the number of the game, if any, of which its author knew that it is
    /// over.
    mutating func apply(
        _ body: EntryBody, number: UInt64, by author: Seat, knew: UInt32?
    ) throws(Refused) -> [MatchEvent<G>] {
        let events = try apply(body, number: number, by: author)
        if let knew, knew == game?.number { game?.knew(author) }
        return events
    }

    /// Applies what the local player may want to write; throws and changes nothing if it may not.
    mutating func wish(_ body: EntryBody, number: UInt64) throws(Refused) {
        var next = self
        try next.check(body, by: terms.you)
        _ = try next.applyOwn(body, number: number, by: terms.you)
        self = next
    }

    /// Applies an entry to its author's own view.
    mutating func applyOwn(
        _ body: EntryBody, number: UInt64, by author: Seat
    ) throws(Refused) -> [MatchEvent<G>] {
        let events = try apply(body, number: number, by: author)
        if gameOver != nil { game?.knew(author) }
        return events
    }

    /// The number of the game that is over by what is known here.
    var gameOver: UInt32? { game?.ending == nil ? nil : game?.number }

    private mutating func apply(
        _ body: EntryBody, number: UInt64, by author: Seat
    ) throws(Refused) -> [MatchEvent<G>] {
        entries &+= 1
        if !isAutomatic(body, by: author) { texts[author.other] = 0 }
        switch body {
        case .open:
            opened[author] = true
            return opened[author.other] ? try begin(1) : []
        case .move(_, _, let action, _):
            return try play(action, by: author)
        case .resign:
            game?.resign(author)
            return []
        case .offer(_, let kind):
            offers[author] = Offer(kind: kind, number: number)
            return [.offered(kind, byYou: author == terms.you)]
        case .claim(let game, let ply):
            claimed[author] += 1
            // An action that crossed it was in time.
            if game == self.game?.number, ply == self.game?.ply,
                self.game?.isAwaited(author.other) ?? false
            {
                claims[author] = number
            }
            return [.claimed(byYou: author == terms.you)]
        case .accept(let claim) where claims[author.other] == claim:
            claims[author.other] = nil
            game?.timeOut(author)
            return []
        case .decline(let claim) where claims[author.other] == claim:
            claims[author.other] = nil
            return [.claimDeclined(byYou: author == terms.you)]
        case .accept(let offer):
            // An offer that is gone was settled by an entry that crossed this one.
            guard let settled = offers[author.other], settled.number == offer else { return [] }
            offers = PerSeat(both: nil)
            return try accepted(settled.kind)
        case .decline(let offer):
            guard let settled = offers[author.other], settled.number == offer else { return [] }
            offers[author.other] = nil
            return [.answered(settled.kind, accepted: false)]
        case .say(let text):
            texts[author] += 1
            return [.said(byYou: author == terms.you, text: text)]
        case .end(_, let ending):
            return end(ending, by: author)
        }
    }

    /// Whether the rules make a program write this, and no player.
    private func isAutomatic(_ body: EntryBody, by author: Seat) -> Bool {
        switch body {
        case .accept(let claim), .decline(let claim): claims[author.other] == claim
        case .end: true
        case .open, .move, .resign, .offer, .claim, .say: false
        }
    }

    private mutating func play(_ bytes: [UInt8], by author: Seat) throws(Refused) -> [MatchEvent<G>]
    {
        guard let action = G.Action(bytes: bytes), var next = game else {
            throw Refused(.illegal, "There is no such action.")
        }
        do throws(IllegalAction) {
            let played = try next.play(action, by: author)
            game = next
            // The time of whoever was claimed to be late was not up, or is past.
            claims[author.other] = nil
            claimed = PerSeat(both: 0)
            return played.map {
                .moved(ply: $0.ply, by: $0.seat, action: $0.action, position: $0.position)
            } + (played.isEmpty ? [] : turn)
        } catch {
            throw Refused(.illegal, error.reason)
        }
    }

    private mutating func accepted(_ kind: OfferKind) throws(Refused) -> [MatchEvent<G>] {
        switch kind {
        case .draw:
            guard game?.agree() == true else { return [] }
            return [.answered(.draw, accepted: true)]
        case .rematch:
            return [.answered(.rematch, accepted: true)] + (try begin((game?.number ?? 0) + 1))
        }
    }

    private mutating func begin(_ number: UInt32) throws(Refused) -> [MatchEvent<G>] {
        let game: GameView<G> = try terms.game(number)
        self.game = game
        claims = PerSeat(both: nil)
        claimed = PerSeat(both: 0)
        return [
            .started(
                match: terms.start.match, game: number, seat: terms.you.inGame(number),
                compare: terms.start.compare, position: game.position, resumed: nil)
        ] + turn
    }

    private mutating func end(_ ending: Ending, by author: Seat) -> [MatchEvent<G>] {
        game?.end(author)
        guard let game, game.isClosed else { return [] }
        count(ending)
        offers = PerSeat(both: nil)
        return [.over(game.result(ending), score: score(), position: game.position)]
    }

    private mutating func count(_ ending: Ending) {
        switch ending.outcome {
        case .win(let player): wins[player] += 1
        case .draw: draws += 1
        }
    }

    private var turn: [MatchEvent<G>] {
        guard let game, game.ending == nil else { return [] }
        return [.turn(you: game.isToMove(terms.you), ply: game.ply)]
    }
}

extension GameView {
    /// The ending in the words of the game: the seats are those of this game.
    func result(_ ending: Ending) -> GameResult {
        switch ending.outcome {
        case .win(let player):
            GameResult(.win(player.inGame(number)), termination: ending.termination)
        case .draw: GameResult(.draw, termination: ending.termination)
        }
    }
}
