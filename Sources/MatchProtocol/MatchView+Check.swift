// SPDX-License-Identifier: MIT

/// What a player may write, given what it knows (`docs/protocol.md` §5.4).
extension MatchView {
    // What a player may write without the other one's doing is bounded, and so is what a match
    // can grow to on the other's disk.
    /// The most texts in a row: at most 90 KB in a journal.
    static var mostTexts: Int { 50 }
    /// The most claims between two moves; the other side answers each by itself.
    static var mostClaims: Int { 8 }
    // And so is what both together can make of it, talk and go on for ever though they may: with
    // these two a journal has less than 40 MB of entries when its last game begins, and can be read
    // again.
    /// With how many entries a match has no more texts.
    static var mostForTexts: UInt64 { 8_192 }
    /// With how many entries a match has no more offers, and so no more games.
    static var mostForOffers: UInt64 { 16_384 }

    /// Throws if `author`, whose view this is, may not write this now.
    func check(_ body: EntryBody, by author: Seat) throws(Refused) {
        if case .open(let opening) = body {
            guard !opened[author], opening.agrees(with: terms.opening) else {
                throw Refused(.illegal, "This does not open the match that was agreed.")
            }
            return
        }
        guard let game else { throw Refused(.early, "No game has begun.") }
        switch body {
        case .open:
            break
        case .move(let number, let ply, let action, let left):
            try game.checkRunning(number)
            try check(left: left, after: ply)
            try game.checkMove(ply: ply, action, by: author)
        case .resign(let number):
            try game.checkRunning(number)
        case .offer(let number, let kind):
            try checkOffer(kind, inGame: number, by: author)
        case .claim(let number, let ply):
            guard terms.opening.clock != nil else {
                throw Refused(.illegal, "There is no clock.")
            }
            try game.checkRunning(number)
            guard ply == game.ply, game.isAwaited(author.other), claims[author] == nil else {
                throw Refused(.early, "The other player's time does not run.")
            }
            guard claimed[author] < Self.mostClaims else {
                let most = Self.mostClaims
                throw Refused(.early, "No more than \(most) claims come between two moves.")
            }
        case .accept(let claim) where claims[author.other] == claim,
            .decline(let claim) where claims[author.other] == claim:
            try game.checkRunning(game.number)
        case .accept(let offer), .decline(let offer):
            guard let waiting = offers[author.other], waiting.number == offer,
                waiting.kind == .rematch || game.ending == nil
            else { throw Refused(.nothing, "There is nothing to answer.") }
        case .say(let text):
            guard (1...EntryBody.longestText).contains(text.utf8.count) else {
                throw Refused(.illegal, "A text has 1 to \(EntryBody.longestText) bytes.")
            }
            guard entries < Self.mostForTexts else {
                throw Refused(.illegal, "This match has become too long for more texts.")
            }
            guard texts[author] < Self.mostTexts else {
                // Said of either player: to the one here, and to the other side of the one there.
                let most = Self.mostTexts
                throw Refused(
                    .early, "After \(most) texts in a row comes an answer or a move of the other.")
            }
        case .end(let number, let ending):
            guard number == game.number, !game.hasEnded(author),
                ending == game.finalEnding(for: author)
            else { throw Refused(.illegal, "The game does not end like this.") }
        }
    }

    private func check(left: UInt64?, after ply: UInt32) throws(Refused) {
        let most = terms.opening.clock?.most(after: ply)
        guard (left == nil) == (most == nil), left ?? 0 <= most ?? 0 else {
            throw Refused(.illegal, "The time left is not what the clock can show.")
        }
    }

    private func checkOffer(
        _ kind: OfferKind, inGame number: UInt32, by author: Seat
    ) throws(Refused) {
        switch (kind, game) {
        case (.rematch, let game?):
            guard number == game.number, game.isClosed else {
                throw Refused(.early, "The game is not over.")
            }
            guard number < .max else { throw Refused(.illegal, "No more games can be counted.") }
        case (.draw, let game?):
            try game.checkRunning(number)
        case (_, nil):
            throw Refused(.early, "No game has begun.")
        }
        guard offers[author] == nil, offers[author.other] == nil else {
            throw Refused(.early, "An offer waits for its answer.")
        }
        guard entries < Self.mostForOffers else {
            throw Refused(.illegal, "This match has become too long for more offers and games.")
        }
    }
}

extension GameView {
    fileprivate func checkRunning(_ number: UInt32) throws(Refused) {
        guard number == self.number else { throw Refused(.illegal, "That is another game.") }
        guard ending == nil else { throw Refused(.over, "The game is over.") }
    }

    fileprivate func checkMove(
        ply: UInt32, _ bytes: [UInt8], by player: Seat
    ) throws(Refused) {
        guard isToMove(player) else { throw Refused(.early, "It is the other player's turn.") }
        guard ply == self.ply else { throw Refused(.early, "That is another ply.") }
        guard let action = G.Action(bytes: bytes), action.bytes == bytes else {
            throw Refused(.illegal, "There is no such action.")
        }
        var trial = self
        do throws(IllegalAction) {
            _ = try trial.play(action, by: player)
        } catch {
            throw Refused(.illegal, error.reason)
        }
    }
}
