// SPDX-License-Identifier: MIT

/// Wishes of the player here: signed in company, drafts otherwise (`docs/protocol.md` §5.6).
extension MatchPlay {
    /// Carries out what the player wants; a mistake is told and changes nothing.
    mutating func perform(_ command: MatchEngine<G>.Command) -> [Effect] {
        if command == .claim, let face, !face.isUp(you.other) {
            let text =
                face.left(of: you.other) > 0
                ? "The other player's time is not up."
                : "The other player's clock may be behind; the game can be claimed in a moment."
            return [.tell(.rejected(.early, message: text))]
        }
        guard case .company = link else { return draft(command) }
        let body = body(of: command, in: here)
        do throws(WriteFailure) {
            let effects = try append(body) + sending(body, in: here).map(Effect.tell)
            return try effects + tell() + settle()
        } catch {
            switch error {
            case .refused(let refused):
                return [.tell(.rejected(refused.code, message: refused.reason))]
            case .unsigned:
                return Self.unsigned
            }
        }
    }

    /// Signs the drafts in their order, as far as they are still allowed, or until the library
    /// fails.
    mutating func signDrafts() throws(WriteFailure) -> [Effect] {
        var effects: [Effect] = []
        while let draft = drafts.first {
            do throws(WriteFailure) {
                effects += try sign(draft)
            } catch {
                guard case .refused(let refused) = error else { throw error }
                drafts.removeFirst()
                effects += [
                    .dropDraft, .tell(.dropped(refused.code, message: refused.reason)),
                ]
            }
        }
        return effects
    }

    /// Own moves that are not yet told as made, drafts included.
    var unconfirmed: [MatchEvent<G>] {
        var wishes = here
        var events = sending
        for (index, draft) in drafts.enumerated() {
            try? wishes.wish(draft, number: own.count + UInt64(index) + 1)
            events += sending(draft, in: wishes)
        }
        return events
    }

    private mutating func sign(_ draft: EntryBody) throws(WriteFailure) -> [Effect] {
        // The same wish of the other side, if it was first, is accepted instead.
        guard case .offer(let number, let kind) = draft, number == here.game?.number,
            let offer = here.offers[you.other], offer.kind == kind
        else { return try write(draft) }
        let effects = try write(.accept(offer: offer.number))
        drafts.removeFirst()
        return effects + [.dropDraft]
    }

    private mutating func draft(_ command: MatchEngine<G>.Command) -> [Effect] {
        var wishes = here
        for (index, draft) in drafts.enumerated() {
            try? wishes.wish(draft, number: own.count + UInt64(index) + 1)
        }
        let body = body(of: command, in: wishes)
        if command == .claim {
            return [.tell(.rejected(.early, message: "The other player is not there."))]
        }
        guard drafts.count < StoredMatch.mostDrafts else {
            let text = "Too much waits for the other player already."
            return [.tell(.rejected(.early, message: text))]
        }
        do throws(Refused) {
            try wishes.wish(body, number: own.count + UInt64(drafts.count) + 1)
        } catch {
            return [.tell(.rejected(error.code, message: error.reason))]
        }
        drafts.append(body)
        return [.storeDraft(body.words)] + sending(body, in: wishes).map(Effect.tell)
    }

    /// How a move is shown that `view` already has.
    private func sending(_ body: EntryBody, in view: MatchView<G>) -> [MatchEvent<G>] {
        guard case .move(let game, let ply, let bytes, _) = body,
            let action = G.Action(bytes: bytes),
            let position = view.game?.position
        else { return [] }
        return [
            .sending(ply: ply, by: you.inGame(game), action: action, position: position)
        ]
    }

    private func body(
        of command: MatchEngine<G>.Command, in view: MatchView<G>
    ) -> EntryBody {
        let game = view.game?.number ?? 0
        let offer = view.offers[you.other]
        switch command {
        case .play(let action):
            return .move(
                game: game, ply: view.game?.ply ?? 0, action: action.bytes,
                left: face?.leftAfterMove(you))
        case .resign: return .resign(game: game)
        case .offer(let kind):
            if let offer, offer.kind == kind { return .accept(offer: offer.number) }
            return .offer(game: game, kind)
        case .accept: return .accept(offer: offer?.number ?? 0)
        case .decline: return .decline(offer: offer?.number ?? 0)
        case .say(let text): return .say(text)
        case .claim: return .claim(game: game, ply: view.game?.ply ?? 0)
        }
    }
}
