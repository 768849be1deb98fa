// SPDX-License-Identifier: MIT

import MatchEvents

/// Sentences that screen and plain lines share: harmless, and ASCII but for what the players wrote;
/// ``display(_:columns:utf8:)`` makes them fit.
extension Situation {
    /// The other player with the tag of the key.
    var opponent: String {
        guard let start else { return "the other player" }
        return label(name: start.opponent, key: start.key)
    }

    /// Who is being asked to play.
    var askingSentence: String? {
        asked.map { "Asking \(label(name: $0.name, key: $0.key)) to play..." }
    }

    /// The number that both players can compare.
    var compareSentence: String {
        guard let start else { return "There is no game yet." }
        let digits = display(start.compare, columns: 12)
        return "Compare \(digits): the same on both screens if nobody sits between you."
    }

    /// A code as it is read out.
    static func grouped(_ code: String) -> String {
        let code = display(code, columns: 12)
        return "\(code.prefix(3)) \(code.dropFirst(3))"
    }

    /// Who is to move, as words.
    var turnSentence: String? {
        guard isRunning, let isOurTurn, let start else { return nil }
        return isOurTurn
            ? "Your turn: you are \(Self.mark(start.you))."
            : "\(opponent) is to move."
    }

    /// How the game ended and why.
    var endSentence: String? {
        guard let end, let start else { return nil }
        let other = opponent
        guard let winner = end.winner else {
            return end.isDraw ? Self.drawSentence(end) : "Nobody won: the game was broken off."
        }
        let won = winner == start.you
        return switch end.termination {
        case "resign": won ? "\(other) resigned. You win!" : "You resigned. \(other) wins."
        case "timeout":
            won ? "\(other) ran out of time. You win!" : "You ran out of time. \(other) wins."
        case "line": won ? "Three in a row. You win!" : "Three in a row. \(other) wins."
        default: won ? "You win!" : "\(other) wins."
        }
    }

    /// How the connection fares; a short sentence says only what matters most, for want of
    /// room.
    func linkSentence(_ state: LinkState, reason: String, isShort: Bool = false) -> String {
        let other = opponent
        let clock = time == nil || end != nil ? "" : " The clock stands."
        let span = silence.flatMap { $0 < 1_000 ? nil : Elapsed.text($0) }
        let unheard = span.map { "Nothing heard\(isShort ? "" : " from \(other)") for \($0)." }
        let ago = span.map { ", \($0) ago" } ?? ""
        switch (state, reason) {
        case (.restored, _): return "\(other) is back." + (end == nil ? " The game goes on." : "")
        case (.heard, _): return "\(other) is heard again."
        case (.silent, _): return unheard ?? "Nothing heard from \(other)."
        case (_, "left"):
            return "\(other) has left for now\(ago)."
                + (isShort ? "" : " Waiting for a return...\(clock)")
        case (_, "gone"):
            return "\(other) seems to have gone\(ago)."
                + (isShort ? "" : " Waiting in case of a return.")
        case (_, "busy"):
            return isShort
                ? "\(other) is not at this match now."
                : "\(other) is there, and not at this match now. Waiting for a return..."
        case (_, "elsewhere"):
            return "\(other) plays with a later program of yours."
                + (isShort ? "" : " Waiting all the same...")
        case (_, "forgotten"):
            return "\(other) no longer has this match."
                + (isShort ? "" : " Waiting all the same...")
        case (.lost, _), (.trying, _):
            guard let span, let unheard else {
                return "The connection to \(other) is lost. Trying again...\(clock)"
            }
            return isShort
                ? "\(unheard) Link lost; trying again."
                : "The link to \(other) is lost; nothing heard for \(span)."
                    + (clock.isEmpty ? " Trying again." : clock)
        }
    }

    /// What becomes of a wish while the other player is away.
    func keptSentence(_ wish: String) -> String {
        let what =
            switch wish {
            case "resign": "You resign"
            case "offer": "Your offer is made"
            case "say": "What you said is sent"
            default: "Your answer is given"
            }
        return "\(what) when \(opponent) is back."
    }

    /// Whose time is up, and what that means.
    func timeSentence(_ side: Side) -> String {
        side == .you
            ? "Your time is up: \(opponent) may claim the game."
            : "The time of \(opponent) is up."
    }

    /// A claim that waits.
    func claimSentence(by side: Side) -> String {
        side == .you
            ? "You claim the game. Waiting for an answer..."
            : "\(opponent) claims that your time is up."
    }

    /// A claim that was declined: by its own clock the other side had time left.
    func declineSentence(by side: Side) -> String {
        side == .you
            ? "You had time left: the claim is declined."
            : "By the clock of \(opponent) there was time left: your claim is declined."
    }

    /// What is left of both players' time, if there is a clock.
    var clockSentence: String? {
        guard let left else { return nil }
        let stands = isRunning && time?.running == nil ? " The clock stands." : ""
        return "Time left: you \(Countdown.text(left.you)), "
            + "\(opponent) \(Countdown.text(left.opponent)).\(stands)"
    }

    /// A proposal and its answers.
    func offerSentence(kind: String, by: Side) -> String {
        let wish = kind == "rematch" ? "another game" : Self.word(kind, "a draw")
        return switch by {
        case .you: "You propose \(wish). Waiting for an answer..."
        case .opponent: "\(opponent) proposes \(wish)."
        }
    }

    /// The answer to a proposal; call it before the event is applied.
    func answerSentence(kind: String, accepted: Bool) -> String {
        let wish = kind == "rematch" ? "Another game" : Self.word(kind, "A draw")
        guard !accepted else { return "\(wish) is agreed." }
        return offer?.by == .opponent
            ? "You said no." : "\(opponent) said no."
    }

    /// Why everything ended.
    func closeSentence(_ reason: CloseReason) -> String {
        let other = opponent
        return switch reason {
        case .quit, .input, .interrupted:
            (reason == .quit
                ? "Goodbye." : reason == .input ? "The input has ended. Goodbye." : "Interrupted.")
                + (start != nil && end == nil
                    ? " The game is kept; 'ttt resume' goes on with it." : "")
        case .left: start == nil ? "The other player has left." : "\(other) has left."
        case .lost: "The connection to \(other) is lost for good."
        case .failed: "Goodbye."
        }
    }

    /// How the match stands.
    var scoreSentence: String {
        let draws = score.draws == 1 ? "1 draw" : "\(score.draws) draws"
        return "Score: you \(score.you), opponent \(score.opponent), \(draws)."
    }

    /// A mark from an event, in one harmless column.
    static func mark(_ mark: String) -> String { display(mark, columns: 1, utf8: false) }

    private static func drawSentence(_ end: GameEnd) -> String {
        switch end.termination {
        case "full": "The board is full. A draw."
        case "agreed": "A draw by agreement."
        case "timeout": "Both ran out of time. A draw."
        default: "A draw."
        }
    }

    /// The words for a draw, or the name of a proposal that nobody here knows.
    private static func word(_ kind: String, _ draw: String) -> String {
        kind == "draw" ? draw : "\"\(display(kind, columns: 12, utf8: false))\""
    }
}
