// SPDX-License-Identifier: MIT

import MatchEvents

extension ScreenModel {
    /// Takes a key; what it means depends on what the screen shows.
    package mutating func apply(_ key: Key) -> Action {
        switch key {
        case .repaint: return .repaint
        case .endOfInput: return .command(.quit)
        case .other, .pasteBegins, .pasteEnds: return .none
        case .paste(let text): return paste(text)
        case .pageUp, .pageDown: return turnPage(isUp: key == .pageUp)
        default: break
        }
        (notice, warning) = (nil, nil)
        let (before, asking) = (meaning, situation.challenger)
        let action = draft != nil ? type(key) : command(key.lowercased)
        if let asking, situation.challenger == nil { answered(asking, key.lowercased) }
        holdIfAsked(since: before)
        return action
    }

    /// Says who was turned away; who was let in is seen.
    private mutating func answered(_ challenger: Situation.Challenger, _ key: Key) {
        guard key == .character("n") || key == .escape else { return }
        say("You said no to \(label(name: challenger.name, key: challenger.key)).")
    }

    private mutating func command(_ key: Key) -> Action {
        if held != nil, Self.decides(key) { return .draw }
        if situation.closed != nil { return .command(.quit) }
        if showsHelp || readsTalk {
            (showsHelp, readsTalk) = (false, false)
            // Whoever wants to talk goes on with a text, which must not be taken for keys. Any other
            // key would act on a board that was not seen.
            guard Self.opensLine(key), situation.start != nil else { return .draw }
        }
        if let question { return answer(question, key) }
        if key == .character("?") {
            showsHelp = true
            return .draw
        }
        if let challenger = situation.challenger { return answer(challenger.key, key) }
        if situation.offer?.by == .opponent, let action = answerOffer(key) { return action }
        return situation.start == nil ? chooseGame(key) : play(key)
    }

    // MARK: - Questions

    private mutating func answer(_ question: Question, _ key: Key) -> Action {
        switch key {
        case .character("y"):
            self.question = nil
            return .command(question == .resign ? .resign : .quit)
        case .character("r") where question == .quit:
            self.question = nil
            return .command(.resign)
        case .character("n"), .escape:
            self.question = nil
            return .draw
        default: return .draw
        }
    }

    /// Answers the one whose question is shown, and nobody who may ask by now.
    private mutating func answer(_ challenger: String, _ key: Key) -> Action {
        switch key {
        case .character("y"), .enter:
            situation.answeredChallenge()
            return .command(.answer(true, to: challenger))
        case .character("n"), .escape:
            situation.answeredChallenge()
            return .command(.answer(false, to: challenger))
        case .character("q"): return .command(.quit)
        default: return .draw
        }
    }

    /// Answers the other side's proposal, or `nil` for a key that means something else.
    private func answerOffer(_ key: Key) -> Action? {
        switch key {
        case .character("y"): .command(.accept)
        case .character("r") where situation.offer?.kind == "rematch": .command(.accept)
        case .character("n"): .command(.decline)
        default: nil
        }
    }

    // MARK: - The board

    private mutating func play(_ key: Key) -> Action {
        switch key {
        case .character("q"): return leave()
        case _ where Self.opensLine(key): openLine()
        case .character("v"): say(situation.compareSentence)
        case .character("r"): return situation.isRunning ? ask(.resign) : rematch()
        case .character("c") where situation.isRunning && situation.time != nil:
            return .command(.claim)
        case .character("d") where situation.isRunning: return .command(.offer(kind: "draw"))
        case .enter where situation.end != nil: return rematch()
        case .enter, .character(" "): return move(selected)
        case .up, .character("k"): selected = (selected + 6) % 9
        case .down, .character("j"): selected = (selected + 3) % 9
        case .left, .character("h"): selected = selected / 3 * 3 + (selected + 2) % 3
        case .right, .character("l"): selected = selected / 3 * 3 + (selected + 1) % 3
        case .click(let row, let column): return click(row: row, column: column)
        case .character(let digit):
            guard let number = Self.number(digit) else { return .draw }
            return move(number - 1)
        default: break
        }
        return .draw
    }

    private mutating func leave() -> Action {
        situation.isRunning ? ask(.quit) : .command(.quit)
    }

    private mutating func ask(_ question: Question) -> Action {
        self.question = question
        return .draw
    }

    private mutating func rematch() -> Action {
        if situation.offer != nil { return .draw }
        return .command(.offer(kind: "rematch"))
    }

    private mutating func move(_ square: Int) -> Action {
        guard situation.isRunning else { return .draw }
        selected = square
        if pending != nil {
            say("Your move is on its way.", isOfTurn: true)
            return .draw
        }
        if situation.isOurTurn == true { pending = square }
        return .command(.move(square: square + 1))
    }

    /// The first click selects, so that one which only brings the window to the front plays nothing.
    private mutating func click(row: Int, column: Int) -> Action {
        guard let square = BoardLayout(size)?.square(row: row, column: column) else {
            return .draw
        }
        if square == selected { return move(square) }
        selected = square
        if situation.isOurTurn == true {
            say("Click again or press Enter to play \(square + 1).", isOfTurn: true)
        }
        return .draw
    }

    // MARK: - Chat

    private static func opensLine(_ key: Key) -> Bool {
        key == .character("t") || key == .character("/")
    }

    /// Opens the line, with what could not be said.
    private mutating func openLine() {
        draft = TextLine(rejectedText ?? "")
        if rejectedText != nil { unsaid = nil }
    }

    private mutating func type(_ key: Key) -> Action {
        guard var line = draft else { return .none }
        switch key {
        case .escape: draft = nil
        case .enter: return send(line.text)
        // Taking the last of nothing leaves the line.
        case .backspace where line.text.isEmpty: draft = nil
        case .character(let scalar):
            if !line.insert("\(scalar)") { say("That is as long as a line can be.") }
            draft = line
        default: if line.edit(key) { draft = line }
        }
        return .draw
    }

    private mutating func send(_ text: String) -> Action {
        draft = nil
        guard text.contains(where: { $0 != " " }) else { return .draw }
        unsaid = Unsaid(text: text, isRejected: situation.closed != nil)
        return .command(.say(text))
    }

    /// Takes a pasted text into the line that is typed, as much of it as fits; elsewhere it means
    /// nothing.
    private mutating func paste(_ text: String) -> Action {
        guard var line = draft else {
            if situation.closed == nil, question == nil { say("Pasted text is not taken as keys.") }
            return .draw
        }
        (notice, warning) = (nil, nil)
        if !line.insert(text) { say("That is as long as a line can be.") }
        draft = line
        return .draw
    }

    static func number(_ digit: Unicode.Scalar) -> Int? {
        ("1"..."9").contains(digit) ? Int(digit.value) - 48 : nil
    }
}

extension Key {
    /// The key without Shift: the screen names keys by capitals.
    fileprivate var lowercased: Key {
        guard case .character(let scalar) = self, ("A"..."Z").contains(scalar) else { return self }
        return Unicode.Scalar(scalar.value + 32).map { .character($0) } ?? self
    }
}
