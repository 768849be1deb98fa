// SPDX-License-Identifier: MIT

/// How a match begins, is taken up again, and ends without a result.
extension MatchPlay {
    /// Takes a match up from what is stored; `nil` if that is not one of this game and player.
    init?(_ stored: StoredMatch, local: Player, cryptography: any Cryptography) {
        var opening = stored.opening
        opening.name = stored.name(of: stored.seat) ?? local.name
        guard opening.rules == G.rules, opening.keys[stored.seat] == local.publicKey else {
            return nil
        }
        do throws(Malformed) {
            self.init(
                terms: try MatchTerms(
                    opening: opening, you: stored.seat, cryptography: cryptography))
            for entry in stored.entries { try add(entry) }
        } catch {
            return nil
        }
        drafts = stored.drafts
        floor = stored.floor
        isKept = true
        // What can be told now was told by the process that stored it.
        _ = tell()
        showOwn()
    }

    /// Begins in company, in which the fair start has just been made: the joiner writes the entry
    /// that opens its log, the host waits for that.
    mutating func open() -> [Effect] {
        link = .company
        do throws(WriteFailure) {
            return try settle()
        } catch {
            switch error {
            case .refused(let refused):
                return [.tell(.rejected(refused.code, message: refused.reason))]
            case .unsigned:
                return Self.unsigned
            }
        }
    }

    /// What the player is told of a game that cannot go on.
    func abandoned() -> [Effect] {
        guard let game = here.game, !game.isClosed, !isStartUntold else { return [] }
        if isAllTold, game.hasEnded(you), let ending = game.ending {
            // Both sides know the result; only the other's signature under it is missing.
            let score = here.score(with: ending)
            return [.tell(.over(game.result(ending), score: score, position: game.position))]
        }
        let aborted = GameResult(nil, termination: "abort")
        return [.tell(.over(aborted, score: here.score(), position: game.position))]
    }
}
