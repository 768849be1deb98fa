// SPDX-License-Identifier: MIT

/// Makes a record from the entries of a match while they are judged.
struct RecordWriter<G: Game> {
    private var replay: MatchReplay<G>
    private var games: [RecordedGame] = []
    private var names = PerSeat<String?>(both: nil)
    private let isCut: Bool

    /// Begins without entries.
    init(terms: MatchTerms, isCut: Bool) {
        replay = MatchReplay(terms: terms)
        self.isCut = isCut
    }

    /// Judges an entry and adds what it says.
    mutating func add(_ entry: Entry) throws(Malformed) {
        for event in try replay.add(entry) { take(event) }
        if case .open(let opening) = entry.body { names[entry.seat] = opening.name }
        if case .end = entry.body { update { $0.endedBy.append(entry.seat) } }
    }

    /// The record of what was added.
    var record: Record {
        let opening = replay.terms.opening
        return Record(
            match: opening.match, rules: opening.rules, options: opening.options,
            seat: replay.terms.you, firstPlayer: player(.first), secondPlayer: player(.second),
            games: games.dropLast() + (games.last.map { [completed($0)] } ?? []), isCut: isCut)
    }

    private func player(_ seat: Seat) -> Record.Player {
        Record.Player(name: names[seat], publicKey: replay.terms.opening.keys[seat])
    }

    private mutating func take(_ event: MatchEvent<G>) {
        switch event {
        case .started(_, let number, _, _, let position, _):
            if let last = games.popLast() { games.append(completed(last)) }
            let board = Self.board(position)
            games.append(
                RecordedGame(number: number, first: Seat.first.inGame(number), board: board))
        case .moved(let ply, let seat, let action, let position):
            let type = G.self as? any BoardGame.Type
            update { game in
                game.moves.append(
                    RecordedMove(
                        ply: ply, by: seat.inGame(game.number), action: action.bytes,
                        square: type.flatMap { Self.square(action.bytes, $0) },
                        mark: type?.mark(of: seat)))
                game.board = Self.board(position)
            }
        case .over(let result, _, _):
            update { $0.result = Self.inMatch(result, $0.number) }
        case .challenged, .declined, .turn, .sending, .offered, .answered, .said, .rejected,
            .dropped, .apart, .together, .timeUp, .claimed, .claimDeclined, .ended:
            break
        }
    }

    /// Adds how the running game stands.
    private func completed(_ game: RecordedGame) -> RecordedGame {
        guard !game.isFinished, let view = replay.joint.game, view.number == game.number else {
            return game
        }
        var game = game
        game.result = view.ending.map { Self.inMatch(view.result($0), game.number) }
        game.toMove = Seat.allCases.filter(view.isToMove)
        return game
    }

    private mutating func update(_ change: (inout RecordedGame) -> Void) {
        guard var game = games.popLast() else { return }
        change(&game)
        games.append(game)
    }

    private static func inMatch(_ result: GameResult, _ game: UInt32) -> GameResult {
        guard case .win(let seat)? = result.outcome else { return result }
        return GameResult(.win(seat.inGame(game)), termination: result.termination)
    }

    private static func board(_ position: G) -> String? { (position as? any BoardGame)?.board }

    private static func square<B: BoardGame>(_ action: [UInt8], _ game: B.Type) -> Int? {
        B.Action(bytes: action).map(B.square(of:))
    }
}
