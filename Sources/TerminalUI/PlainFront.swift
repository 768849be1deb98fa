// SPDX-License-Identifier: MIT

package import MatchEvents

/// The front end of lines: one line of text for each event, commands as typed words.
///
/// No cursor is moved and nothing is drawn over, so it suits screen readers, pipes and terminals that
/// can do nothing else.
package struct PlainFront: Sendable {
    /// The answer to a typed line.
    package enum Answer: Sendable, Equatable {
        /// Carry this out.
        case command(PlayerCommand)
        /// Print these lines; nothing else happens.
        case lines([String])
    }

    private var situation = Situation()
    /// Ids of games in the order in which they were told: a number that was read stays right.
    private var told: [String] = []
    /// Games that no longer wait because they are asked or played: that is no news, nor is it that
    /// they wait again.
    private var passedOver: Set<String> = []
    private let utf8: Bool

    /// The most columns of a line; a longer one is cut, for nothing foreign may fill a screen.
    static let columns = 1000

    /// Makes the front end.
    ///
    /// - Parameter utf8: Whether the locale is UTF-8; if not, lines are ASCII.
    package init(utf8: Bool) {
        self.utf8 = utf8
    }

    /// Takes that time has passed: the caller's monotonic clock, in milliseconds.
    package mutating func pass(to now: UInt64) { situation.pass(to: now) }

    /// Takes an event; the lines to print, which are mostly one.
    package mutating func lines(for event: PlayerEvent) -> [String] {
        let before = situation
        situation.apply(event)
        if case .found(let game) = event, !told.contains(game.id) { told.append(game.id) }
        let sentences = sentences(event, before: before).map(fit)
        switch event {
        case .gone(let game) where sentences.isEmpty: passedOver.insert(game.id)
        case .found(let game), .gone(let game): passedOver.remove(game.id)
        default: break
        }
        return sentences
    }

    /// Reads a typed line, without its end.
    package func read(_ line: [UInt8]) -> Answer {
        let text = String(decoding: line, as: UTF8.self)
        if text.lowercased() == "say" || text.lowercased().hasPrefix("say ") {
            return say(String(text.dropFirst(4)))
        }
        let word = text.lowercased().trimmed
        switch word {
        case "": return .lines([])
        case "resign": return .command(.resign)
        case "claim": return .command(.claim)
        case "time": return .lines([fit(situation.clockSentence ?? "There is no clock.")])
        case "rematch", "draw": return .command(.offer(kind: word))
        case "accept", "yes", "y": return .command(.accept)
        case "decline", "no", "n": return .command(.decline)
        case "compare": return .lines([fit(situation.compareSentence)])
        case "board", "b": return .lines(board.map(fit))
        case "games": return .lines(games.map(fit))
        case "help", "h", "?": return .lines(Self.help)
        case "quit", "q": return .command(.quit)
        default: return number(word)
        }
    }

    /// The answer to a line that was too long to be kept.
    package func readTooLong() -> Answer {
        .lines(["That line is too long."])
    }

    private func say(_ text: String) -> Answer {
        guard 1...PlayerCommand.longestText ~= text.utf8.count else {
            let limit = PlayerCommand.longestText
            return .lines(["Type \"say\" and then what to say, at most \(limit) bytes."])
        }
        return .command(.say(text))
    }

    private func number(_ text: String) -> Answer {
        guard let number = Int(text) else {
            let shown = fit(display(text, columns: 20))
            return .lines(["\"\(shown)\" is no command here. Type help for the list."])
        }
        if situation.start == nil {
            if let asked = situation.asked, told.contains(asked.id),
                self.number(of: asked) == number
            {
                return .lines([fit(situation.askingSentence ?? "")])
            }
            guard let game = situation.games.first(where: { self.number(of: $0) == number }) else {
                return .lines(["There is no game \(number) in the list. Type games to see it."])
            }
            return .command(.choose(id: game.id))
        }
        guard PlayerCommand.squares.contains(number) else {
            return .lines(["There is no square \(number). Type a number from 1 to 9."])
        }
        return .command(.move(square: number))
    }

    private func number(of game: FoundGame) -> Int {
        (told.firstIndex(of: game.id) ?? told.count) + 1
    }

    static let help = [
        "1 to 9: play that square, or join that game of the list.",
        "board: the board. games: the list of open games.",
        "resign: give the game up. rematch: another game. draw: propose a draw.",
        "compare: the number that is the same on both sides if nobody sits between them.",
        "accept, decline: answer a question. say WORDS: talk to the other player.",
        "time: what is left of the clock. claim: the game, once the other player's time is up.",
        "quit: leave; a game that is not over is kept, and 'ttt resume' goes on with it.",
    ]

    private func fit(_ text: String) -> String {
        display(text, columns: Self.columns, utf8: utf8)
    }
}

extension PlainFront {
    private func sentences(_ event: PlayerEvent, before: Situation) -> [String] {
        switch event {
        case .hosting(let hosting): [Self.sentence(hosting, before: before.hosting)]
        case .found(let game): found(game, isNew: !before.games.contains { $0.id == game.id })
        // A game that is asked or played is not open for others, which is no news here.
        case .gone(let game):
            situation.start != nil || situation.asked?.id == game.id
                ? [] : ["\(label(name: game.name, key: game.key)) no longer waits."]
        case .asking: [situation.askingSentence].compactMap { $0 }
        case .challenged(let by, let key, let known):
            [
                "\(label(name: by, key: key)) wants to play. "
                    + (known ? "You know this key." : "First contact: this key is new here.")
                    + " Type accept or decline."
            ]
        case .started(let start): started(start, wasAsked: before.challenger != nil)
        case .turn(let you, _, _): turn(you)
        case .moved(_, let mark, let square, _):
            [
                mark == situation.start?.you
                    ? "You play \(square)." : "\(situation.opponent) plays \(square)."
            ]
        case .sending(let square):
            situation.trouble == nil
                ? [] : ["Your move to \(square) is kept until the other player is back."]
        case .kept(let wish): [situation.keptSentence(wish)]
        case .timeUp(let side):
            [situation.timeSentence(side) + (side == .you ? "" : " Type claim to win.")]
        case .claimed(let side): [situation.claimSentence(by: side)]
        case .claimDeclined(let side): [situation.declineSentence(by: side)]
        // That it is tried again was said when the connection was lost.
        case .link(.trying, "", _, _): []
        case .link(let state, let reason, _, _): [situation.linkSentence(state, reason: reason)]
        case .offered(let kind, let by):
            [
                situation.offerSentence(kind: kind, by: by)
                    + (by == .opponent ? " Type accept or decline." : "")
            ]
        case .answered(let kind, let accepted):
            [before.answerSentence(kind: kind, accepted: accepted)]
        case .said(let by, let text):
            ["\(by == .you ? "You say" : "\(situation.opponent) says"): \(fit(text))"]
        case .over:
            [
                [situation.endSentence, situation.scoreSentence].compactMap { $0 }
                    .joined(separator: " ") + " Type rematch or quit."
            ]
        case .warned("kept", let message), .warned("waits", let message),
            .warned("port", let message):
            [message]
        case .warned(_, let message): ["Warning: \(message)"]
        case .refused(let code, let message), .failed(let code, let message):
            [message.isEmpty ? "Error: \(display(code, columns: 20))" : message]
        // What went wrong has been said.
        case .closed(.failed): []
        case .closed(let reason): [situation.closeSentence(reason)]
        }
    }

    private static func sentence(_ hosting: Hosting, before: Hosting?) -> String {
        let name = display(hosting.name, columns: 30)
        // The port is open before the network knows: then only that is news.
        if var before, before.discovery == "none", hosting.discovery != "none" {
            (before.discovery, before.name) = (hosting.discovery, hosting.name)
            let option = hosting.code == nil ? "" : " --code"
            if before == hosting {
                return "On this network it is seen as \(name): there ttt join\(option) is enough."
            }
        }
        let code = hosting.code.map { "The code is \(Situation.grouped($0)). " } ?? ""
        let option = hosting.code == nil ? "" : " --code"
        let first = hosting.addresses.first.map {
            "ttt join \(display($0, columns: 80))\(option)"
        }
        return hosting.discovery == "none"
            ? "Your game is open. \(code)The other player types: "
                + (first ?? "ttt join HOST:PORT\(option)")
            : "Your game is open as \(name). \(code)The other player types: ttt join\(option)"
                + (first.map { ", or \($0)" } ?? "")
    }

    /// A game that was told and is still there is not told again.
    private func found(_ game: FoundGame, isNew: Bool) -> [String] {
        guard isNew, !passedOver.contains(game.id) else { return [] }
        let number = number(of: game)
        return [
            "Open game \(number): \(label(name: game.name, key: game.key))."
                + (warning(of: game).map { " Careful, it \($0)" } ?? "")
        ]
    }

    private func started(_ start: GameStart, wasAsked: Bool) -> [String] {
        let what = start.resumed != nil ? "goes on" : "begins"
        let clock = start.clock.map { " The clock is \($0.typed)." } ?? ""
        return [
            "Game \(start.game) \(what) against \(situation.opponent). "
                + "You are \(Situation.mark(start.you)); X moves first.\(clock)"
                + (start.known || wasAsked || start.game > 1
                    ? "" : " First contact: this key is new here.")
        ]
    }

    private func turn(_ you: Bool) -> [String] {
        guard you else { return ["\(situation.opponent) is to move."] }
        let free = situation.board.indices.filter { situation.board[$0] == "." }
        return ["Your turn. Free: \(free.map { "\($0 + 1)" }.joined(separator: " "))."]
    }

    /// The board as three short lines, empty squares by their numbers.
    private var board: [String] {
        guard situation.start != nil else { return ["There is no game yet."] }
        return (0..<3).map { row in
            (0..<3).map { column in
                let square = row * 3 + column
                let mark = situation.board[square]
                return mark == "." ? "\(square + 1)" : String(mark)
            }.joined(separator: " ")
        }
    }

    private var games: [String] {
        guard !situation.games.isEmpty else { return ["No open game was found yet."] }
        return situation.games.map { game in
            "\(number(of: game)): \(label(name: game.name, key: game.key)) "
                + (game.addresses.first ?? "")
                + (warning(of: game).map { " Careful, it \($0)" } ?? "")
        }
    }
}

extension String {
    /// Without spaces at both ends.
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
