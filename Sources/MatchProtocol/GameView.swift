// SPDX-License-Identifier: MIT

/// One game as one player knows it: everything that the entries seen so far say of it.
///
/// Nothing here depends on the order in which entries of the two logs that crossed were seen
/// (`docs/protocol.md` §5.4), so both players come to the same. Players are seats of the match;
/// the rules speak of seats of the game.
struct GameView<G: Game>: Sendable, Equatable {
    /// The game's number in the match, from 1.
    let number: UInt32
    /// Where it stands.
    private(set) var position: G
    /// The ply to come, from 1.
    private(set) var ply: UInt32 = 1
    /// Actions of this ply that wait for the other player's.
    private var chosen = PerSeat<G.Action?>(both: nil)
    /// Who has given up.
    private var resigned = PerSeat(both: false)
    /// Whether an offered draw was accepted.
    private var isAgreed = false
    /// Whose time was up, as that player has accepted.
    private var timedOut = PerSeat(both: false)
    /// Who is known to have known, with an entry, that the game is over. From then on that player
    /// adds nothing to the game but the `end`.
    private var knows = PerSeat(both: false)
    /// Who has written `end`.
    private var ended = PerSeat(both: false)

    /// Sets a game up.
    init(number: UInt32, options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {
        self.number = number
        position = try G(options: options, seed: seed)
    }

    /// How it ends by what is known: the moves first, then an agreement, then a clock,
    /// then a resignation.
    var ending: Ending? {
        if let outcome = decidedByMoves {
            return Ending(outcome, termination: position.termination)
        }
        if isAgreed { return Ending(.draw, termination: "agreed") }
        if let ending = Self.ending(losing: timedOut, "timeout", both: "timeout") { return ending }
        return Self.ending(losing: resigned, "resign", both: "agreed")
    }

    private static func ending(
        losing losers: PerSeat<Bool>, _ word: String, both: String
    ) -> Ending? {
        switch (losers[.first], losers[.second]) {
        case (true, true): Ending(.draw, termination: both)
        case (true, false): Ending(.win(.second), termination: word)
        case (false, true): Ending(.win(.first), termination: word)
        case (false, false): nil
        }
    }

    /// The ending, once nothing that the other player may have written can change it: the moves
    /// decided, or the other knew that the game is over.
    func finalEnding(for player: Seat) -> Ending? {
        decidedByMoves != nil || knows[player.other] ? ending : nil
    }

    /// Whether the player has written `end`.
    func hasEnded(_ player: Seat) -> Bool { ended[player] }

    /// Whether both have.
    var isClosed: Bool { ended[.first] && ended[.second] }

    /// Whether the player is to choose an action for the coming ply.
    func isToMove(_ player: Seat) -> Bool {
        ending == nil && isAwaited(player)
    }

    /// Whether the coming ply lacks the player's action, whether or not the game is over.
    func isAwaited(_ player: Seat) -> Bool {
        switch position.turn {
        case .one(let seat): seat == player.inGame(number)
        case .both: chosen[player] == nil
        case .over: false
        }
    }

    /// What the player has chosen for the coming ply, where both choose at once.
    func choice(of player: Seat) -> G.Action? { chosen[player] }

    private var decidedByMoves: Outcome? {
        switch position.turn {
        case .over(.win(let seat)): .win(seat.inGame(number))
        case .over(.draw): .draw
        case .one, .both: nil
        }
    }
}

/// What changes it.
extension GameView {
    /// An action that was played.
    struct Played {
        var ply: UInt32
        var seat: Seat
        var action: G.Action
        var position: G
    }

    /// Plays an action, or keeps it until the other player has chosen too; says what was played.
    mutating func play(_ action: G.Action, by player: Seat) throws(IllegalAction) -> [Played] {
        let seat = player.inGame(number)
        if case .both = position.turn {
            guard position.isLegal(action, by: seat) else {
                throw IllegalAction(reason: "This cannot be chosen now.")
            }
            chosen[player] = action
            return try playBoth()
        }
        try position.apply(action, by: seat)
        let played = ply
        // cannot trap: no game has 2^32 entries.
        ply += 1
        return [Played(ply: played, seat: seat, action: action, position: position)]
    }

    private mutating func playBoth() throws(IllegalAction) -> [Played] {
        var played: [Played] = []
        guard let first = chosen[Seat.first.inGame(number)],
            let second = chosen[Seat.second.inGame(number)]
        else { return [] }
        for (seat, action) in [(Seat.first, first), (.second, second)] {
            try position.apply(action, by: seat)
            played.append(Played(ply: ply, seat: seat, action: action, position: position))
        }
        chosen = PerSeat(both: nil)
        // cannot trap: no game has 2^32 entries.
        ply += 1
        return played
    }

    /// Notes a resignation.
    mutating func resign(_ player: Seat) { resigned[player] = true }

    /// Notes that the player's time was up.
    mutating func timeOut(_ player: Seat) { timedOut[player] = true }

    /// Notes an agreement; says whether it ended the game.
    mutating func agree() -> Bool {
        isAgreed = true
        return decidedByMoves == nil
    }

    /// Notes that the player knew that the game is over.
    mutating func knew(_ player: Seat) { knows[player] = true }

    /// Notes that the player has written `end`.
    mutating func end(_ player: Seat) { ended[player] = true }
}
