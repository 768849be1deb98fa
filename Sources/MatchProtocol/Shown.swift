// SPDX-License-Identifier: MIT

/// How the match stands by what the player has been told.
struct Shown<G: Game>: Sendable {
    private var start: MatchEvent<G>?
    private var position: G?
    private var soFar = GameSoFar<G>()
    private var turn: MatchEvent<G>?
    private var offer: MatchEvent<G>?
    private var over: MatchEvent<G>?

    /// Takes what was told.
    mutating func add(_ event: MatchEvent<G>) {
        switch event {
        case .started(_, _, _, _, let position, _):
            let score = soFar.score
            self = Shown()
            soFar.score = score
            start = event
            self.position = position
        case .turn: turn = event
        case .moved(_, _, let action, let position):
            self.position = position
            soFar.actions.append(action)
            turn = nil
        case .offered: offer = event
        case .answered: offer = nil
        case .over(_, let score, _):
            soFar.score = score
            over = event
            turn = nil
            offer = nil
        case .challenged, .declined, .sending, .said, .rejected, .dropped, .apart, .together,
            .timeUp, .claimed, .claimDeclined, .ended:
            break
        }
    }

    /// All of it in a few events, for somebody who has seen nothing. The player's own turn is left
    /// out if it has `moved` already.
    func summary(hasMoved: Bool) -> [MatchEvent<G>] {
        guard case .started(let match, let game, let seat, let compare, _, _)? = start,
            let position
        else { return [] }
        var turn = turn
        if hasMoved, case .turn(true, _)? = turn { turn = nil }
        let start = MatchEvent.started(
            match: match, game: game, seat: seat, compare: compare, position: position,
            resumed: soFar)
        return [start] + [turn, over, offer].compactMap { $0 }
    }
}
