// SPDX-License-Identifier: MIT

package import MatchEvents

/// The screen as a value: events and keys go in, a ``Picture`` comes out.
///
/// Inputs are events and keys through `apply`, which for a key says what the caller must do; ``size``
/// follows the terminal. Nothing here reads a clock or a terminal, and no rule of
/// the game is decided: a square that is taken is sent and refused like any other mistake.
package struct ScreenModel: Sendable {
    /// What the program was started for; it decides what the lobby says.
    package enum Purpose: Sendable {
        case play
        case host
        case join
        /// To join whoever is called so, or is at this address.
        case reach(String)
    }

    /// What the caller must do after a key.
    package enum Action: Sendable, Equatable {
        /// Nothing; not even the picture has changed.
        case none
        /// Show the new picture.
        case draw
        /// Paint the whole terminal anew.
        case repaint
        /// Carry the command out and show the new picture.
        case command(PlayerCommand)
    }

    /// A question that takes y or n.
    enum Question: Sendable, Equatable {
        case resign
        case quit
    }

    /// A text on its way.
    struct Unsaid: Sendable, Equatable {
        var text: String
        var isRejected = false
    }

    /// Something to be told.
    struct Notice: Sendable, Equatable {
        var text: String
        var ink: Ink
        /// Whether the next move makes it old.
        var isOfTurn: Bool
    }

    /// The size that the next picture has; keep it as the terminal's.
    package var size = ScreenSize(rows: 24, columns: 80)
    /// What is known of games and players.
    var situation = Situation()
    /// Lines of chat, oldest first, the last ``longestTalk``.
    private(set) var talk: [(by: Side, text: String)] = []
    /// How many lines of chat below those that are shown there are.
    var linesBelow = 0
    /// Whether the chat was opened over the board, on a screen without a panel.
    var readsTalk = false
    /// The last thing to be told, until the next key.
    var notice: Notice?
    /// What the player is to be careful about, until a key is pressed.
    var warning: String?
    /// The link's reason, while it is not as it should be.
    private(set) var linkReason = ""
    /// The last thing that went wrong, until play goes on.
    private(set) var lastProblem: String?
    /// The selected square, from 0.
    var selected = 4
    /// The selected line of the list of games.
    var choice = 0
    /// How the list of games has moved since the last key.
    var shift = ListShift.none
    /// The game that the player picked, while nothing has come of it yet; `Situation.asked` is who
    /// was reached.
    var picked: FoundGame?
    /// The id of the game that was chosen last, until the cursor is moved: where it is listed, the
    /// cursor is. A host that is being asked may be gone from the list meanwhile.
    var wanted: String?
    /// The text being typed; no event takes it away.
    var draft: TextLine?
    /// A text that was sent and is not told yet; then one that could not be said, for the next line.
    var unsaid: Unsaid?
    /// Whether the help is shown.
    var showsHelp = false
    /// What is being asked.
    var question: Question?
    /// The square, from 0, of a move that was sent and not yet told.
    var pending: Int?
    /// Until when no key decides anything, on the caller's clock.
    var heldUntil: UInt64 = 0
    private var attention = false

    let purpose: Purpose
    let ownName: String
    let ownKey: String

    /// About how many bytes of warnings stand together.
    private static let longestWarning = 400

    /// The most lines of chat that are kept.
    static let longestTalk = 50

    /// Makes the screen of a program that has just started.
    ///
    /// - Parameters:
    ///   - purpose: What the program was started for.
    ///   - name: The own name, as it was given.
    ///   - key: The own fingerprint.
    package init(purpose: Purpose, name: String, key: String) {
        self.purpose = purpose
        ownName = name
        ownKey = key
    }

    /// Takes that time has passed: the caller's monotonic clock, in milliseconds.
    package mutating func pass(to now: UInt64) { situation.pass(to: now) }

    /// In how many milliseconds the picture changes by itself, because it shows a clock that runs,
    /// or how long nothing has been heard, or because keys that were held back count again; `nil`:
    /// not at all.
    package var nextChange: UInt64? {
        guard BoardLayout(size) != nil else { return held }
        let clock = showsHelp ? nil : situation.time?.nextChange(at: situation.now)
        let silence = shownTrouble == nil ? nil : situation.silence.map(Elapsed.nextChange)
        return [clock, silence, held].compactMap { $0 }.min()
    }

    /// In how many milliseconds after a moment the picture changes by itself that was drawn when time
    /// was last passed on; 0: it should have by then. A clock that came to its end in between has
    /// still to be drawn.
    package func nextChange(after now: UInt64) -> UInt64? {
        nextChange.map { $0 - min($0, now - min(now, situation.now)) }
    }

    /// How the connection fares, if the messages show it.
    var shownTrouble: LinkState? {
        guard question == nil, situation.closed == nil else { return nil }
        if draft != nil, BoardLayout(size)?.isTight != false { return nil }
        return situation.trouble
    }

    /// Takes an event; the picture may have changed.
    package mutating func apply(_ event: PlayerEvent) {
        let before = meaning
        switch event {
        case .started, .refused, .failed, .closed: picked = nil
        default: break
        }
        tell(event)
        let list = situation.games.map(\.id)
        situation.apply(event)
        follow(list)
        followUp(event)
        hold(unless: before)
    }

    /// Whether the board with the last sentence is to stay until a key: play ended, and not by the
    /// player's wish.
    package var keepsEnd: Bool {
        switch situation.closed {
        case .left, .lost, .failed: situation.start != nil
        case .quit, .input, .interrupted, nil: false
        }
    }

    /// Whether something happened since the last call that the player should look up for.
    package mutating func takeAttention() -> Bool {
        defer { attention = false }
        return attention
    }

    /// Says something until the next key, or only until the next move.
    mutating func say(_ text: String, _ ink: Ink = .plain, isOfTurn: Bool = false) {
        notice = Notice(text: text, ink: ink, isOfTurn: isOfTurn)
    }

    /// What an event makes the notice; before the event is applied.
    private mutating func tell(_ event: PlayerEvent) {
        switch event {
        case .answered(let kind, let accepted):
            say(situation.answerSentence(kind: kind, accepted: accepted), isOfTurn: true)
        case .claimDeclined(let side):
            say(situation.declineSentence(by: side), isOfTurn: true)
        case .refused(let code, let message):
            // Several may ask one after the other.
            let asking =
                situation.challenger
                .map { "\(label(name: $0.name, key: $0.key)): " } ?? ""
            failed(asking + problem("The game was refused", code: code, message))
        case .failed(let code, let message):
            failed(problem("Error", code: code, message))
        default: break
        }
    }

    /// Says also this until a key is pressed; of more than a few the last is what matters.
    private mutating func warn(_ message: String) {
        attention = true
        guard let before = warning, before.utf8.count + message.utf8.count < Self.longestWarning
        else {
            warning = message
            return
        }
        if !before.contains(message) { warning = "\(before) \(message)" }
    }

    private mutating func failed(_ sentence: String) {
        lastProblem = sentence
        say(sentence, .warning, isOfTurn: true)
    }

    private func problem(_ what: String, code: String, _ message: String) -> String {
        let sentence = display(message, columns: 500)
        return sentence.isEmpty ? "\(what): \(display(code, columns: 20))" : sentence
    }

    private mutating func followUp(_ event: PlayerEvent) {
        switch event {
        case .started(let start):
            (pending, question, notice, lastProblem) = (nil, nil, nil, nil)
            selected = 4
            if situation.isFirstContact, start.game == 1 {
                say(
                    "First contact with \(situation.opponent): a new key. V compares numbers.")
            }
        case .turn(let you, _, _): attention = attention || you
        case .moved:
            // What was wrong before the move is wrong no more.
            if notice?.isOfTurn == true { notice = nil }
            (pending, lastProblem) = (nil, nil)
        case .sending(let square): pending = square - 1
        case .kept(let wish):
            say(situation.keptSentence(wish))
            // The program has the text now.
            if wish == "say" { unsaid = nil }
        case .asking:
            // Of a game that was picked it is said already.
            if picked == nil, let sentence = situation.askingSentence { say(sentence) }
        // What has to be seen is not to stand below what was said before.
        case .challenged: (attention, showsHelp, notice) = (true, false, nil)
        case .offered(_, let by):
            notice = nil
            attention = attention || by == .opponent
        case .timeUp(let side):
            (notice, lastProblem) = (nil, nil)
            attention = attention || side == .opponent
        case .claimed: (notice, lastProblem) = (nil, nil)
        case .link(let state, let reason, _, _):
            // Whoever left is still the one who left while this side looks for a way back.
            if state != .trying || !reason.isEmpty { linkReason = reason }
            // An old notice must not hide that nobody is there.
            if state == .lost || state == .silent { notice = nil }
            if state == .restored {
                say(situation.linkSentence(state, reason: reason), .good, isOfTurn: true)
            }
        case .said(let by, let text): heard(by, text)
        case .failed:
            pending = nil
            keepText()
        case .refused: pending = nil
        case .warned("new-code", let message):
            // It matters until somebody is there, unlike what is to be known of who is.
            attention = true
            say(message, .warning)
        case .warned(_, let message): warn(message)
        case .over: (pending, question, notice, lastProblem) = (nil, nil, nil, nil)
        case .closed:
            (pending, question, notice) = (nil, nil, nil)
            // Nobody will say it any more.
            unsaid?.isRejected = true
        case .hosting, .found, .gone, .answered, .claimDeclined: break
        }
    }

    /// The text that could not be said; one that is on its way may be stored already.
    var rejectedText: String? { unsaid.flatMap { $0.isRejected ? $0.text : nil } }

    /// A text that is not said is there again when the player talks.
    private mutating func keepText() {
        guard unsaid?.isRejected == false, let problem = notice?.text else { return }
        unsaid?.isRejected = true
        say(problem + " T has the text again.", .warning)
    }

    private mutating func heard(_ by: Side, _ text: String) {
        if by == .you, unsaid?.text == text { unsaid = nil }
        talk.append((by, text))
        linesBelow = 0
        if talk.count > Self.longestTalk { talk.removeFirst() }
    }
}
