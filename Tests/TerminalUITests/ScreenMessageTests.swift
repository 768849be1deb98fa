// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import TerminalUI
import Testing

@Suite struct ScreenMessageTests {
    static let sizes = [(24, 80), (20, 40), (15, 30), (60, 200)].map {
        ScreenSize(rows: $0.0, columns: $0.1)
    }

    /// What is on the screen, with one space between the words.
    private func words(_ model: ScreenModel, _ size: ScreenSize) -> String {
        var model = model
        model.size = size
        let text = model.render(.unicode).text.joined(separator: " ")
        return text.split(separator: " ").joined(separator: " ")
    }

    /// Messages as the program makes them, which say at their end what to do.
    private static let messages = [
        "This game is played with a code: join with --code, and type what the host's screen shows.",
        "That is not the code, or not any more: ask for the one that the host's screen shows now.",
        "The other side plays with a clock of 1m, you want to play with a clock of 5m+3: "
            + "use --clock 1m, or leave --clock out.",
        "No open game was found on this network. 'ttt host' opens one; where multicast is blocked, "
            + "'ttt join ADDRESS' needs none.",
    ]

    @Test(arguments: messages, sizes)
    func `no message is cut`(_ message: String, _ size: ScreenSize) {
        for scene in [Scene.hostWaiting, .joinChoosing, .ourTurn, .won] {
            var model = scene.model
            model.apply(.refused(code: "code", message: message))
            #expect(words(model, size).contains(message), "\(scene)")
        }
    }

    @Test(arguments: sizes)
    func `a warning says what to do on every screen`(_ size: ScreenSize) {
        #expect(words(Scene.namesakePlaying.model, size).contains("NAME' tells them apart."))
        #expect(words(Scene.namesake.model, size).contains("NAME' tells them apart."))
        #expect(words(Scene.namesake.model, size).contains("Play? (y/n)"))
    }

    @Test(arguments: sizes)
    func `a look-alike on the list is told from whom it looks like`(_ size: ScreenSize) {
        var model = ScreenModel(purpose: .join, name: "Ann", key: Scene.ownKey)
        model.apply(
            .found(
                FoundGame(
                    id: "0000000000000011", name: "B0b", key: nil, addresses: ["10.0.0.1:28888"],
                    resembles: "Bob")))
        #expect(words(model, size).contains("looks like Bob, under another key."))
    }

    @Test(arguments: sizes)
    func `that the link is lost is told to the end`(_ size: ScreenSize) {
        let name = "calm crane with a long name"
        var model = ScreenModel(purpose: .host, name: "Ann", key: Scene.ownKey)
        model.pass(to: 3_600_000)
        for case .event(let event) in Scene.game([5, 1], opponent: name) { model.apply(event) }
        model.apply(.link(.lost, reason: "lost", silence: 3_549_000))
        let text = words(model, size).lowercased()
        #expect(text.contains("heard for 59 min 9 s"))
        #expect(text.contains("trying again."))
    }

    @Test(arguments: sizes)
    func `how a game ended is told to the end`(_ size: ScreenSize) {
        for (scene, end) in [
            (Scene.beaten, "Three in a row. Bob (k7q2) wins."),
            (.timedOut, "Bob (k7q2) ran out of time. You win!"),
        ] {
            #expect(words(scene.model, size).contains(end))
        }
    }

    @Test func `the rows above the keys are used before anything is covered`() {
        var model = Scene.ourTurn.model
        model.apply(.failed(code: "x", message: Self.messages[0]))
        let text = model.render(.unicode).text
        #expect(text[20].contains("Your turn: you are X."))
        #expect(text[21].hasPrefix("   This game is played"))
        #expect(text[22] == "   screen shows.")
        // A square's number stays, on the smallest screen too, for whatever lasts.
        model = Scene.drawOffered.model
        model.size = ScreenSize(rows: 15, columns: 30)
        #expect(model.render(.unicode).text[10].contains("8"))
    }

    @Test(arguments: [(24, 80), (30, 100), (40, 120), (60, 200)])
    func `messages and what is typed are as wide as board and panel`(_ rows: Int, _ columns: Int) {
        var model = Scene.ourTurn.model
        model.size = ScreenSize(rows: rows, columns: columns)
        model.apply(.failed(code: "x", message: Self.messages[0]))
        let start = Self.messages[0].prefix(60)
        #expect(model.render(.unicode).text.contains { $0.contains(start) })
        let typed = String(repeating: "0123456789", count: 6)
        _ = model.apply(.character("t"))
        for scalar in typed.unicodeScalars { _ = model.apply(.character(scalar)) }
        #expect(model.render(.unicode).text.contains { $0.contains("Say: \(typed)") })
    }

    @Test func `a screen that is too small tells no size by half`() {
        var model = Scene.ourTurn.model
        for rows in 1...14 {
            for columns in 1...29 {
                model.size = ScreenSize(rows: rows, columns: columns)
                let words = model.render(.ascii).text.joined(separator: " ").split(separator: " ")
                let known = ["Too", "small:", "small", "Needs", "30x15", "\(columns)x\(rows)"]
                #expect(words.allSatisfy { known.contains(String($0)) }, "\(words)")
                #expect(columns < 6 || rows < 2 || words.contains("30x15"))
            }
        }
    }

    @Test func `a notice ends with what makes it old`() {
        let refused = PlayerEvent.failed(
            code: "early", message: "The other player's time is not up.")
        let start = PlayerEvent.started(
            GameStart(
                match: "00", game: 1, you: "X", opponent: "Bob", key: Scene.otherKey, known: true,
                compare: "0412345", board: ".........", resumed: nil))
        let move = PlayerEvent.moved(ply: 3, mark: "X", square: 9, board: "O...X...X")
        let over = PlayerEvent.over(
            GameEnd(winner: "X", isDraw: false, termination: "resign", score: Score(you: 1)))
        let table: [(PlayerEvent, PlayerEvent, String)] = [
            (refused, over, "is not up"), (refused, .claimed(by: .you), "is not up"),
            (refused, .timeUp(of: .opponent), "is not up"),
            (.warned(code: "new-code", message: "From now on it is another code."), start, "code"),
            (.answered(kind: "draw", accepted: false), move, "said no"),
            (.claimDeclined(by: .opponent), move, "was time left"),
            (.link(.restored, reason: ""), move, "is back"),
        ]
        for (event, next, part) in table {
            var model = Scene.middle.model
            model.apply(event)
            #expect(words(model, Self.sizes[0]).contains(part), "\(event)")
            model.apply(next)
            #expect(!words(model, Self.sizes[0]).contains(part), "\(event)")
            #expect(!model.farewell(utf8: true).joined().contains(part), "\(event)")
        }
        // A number that is being compared stays while the other player moves.
        var model = Scene.compare.model
        model.apply(move)
        #expect(words(model, Self.sizes[0]).contains("Compare 0412345"))
    }

    @Test func `what is warned of at the start is all seen, and a flood of it only in part`() {
        let size = ScreenSize(rows: 30, columns: 100)
        var model = ScreenModel(purpose: .play, name: "Ann", key: Scene.ownKey)
        for message in ["A match is kept.", "Bob waits.", "The port is taken.", "Bob waits."] {
            model.apply(.warned(code: "kept", message: message))
        }
        #expect(words(model, size).contains("A match is kept. Bob waits. The port is taken."))
        #expect(!words(model, size).contains("taken. Bob waits."))
        for number in 0..<1_000 {
            model.apply(.warned(code: "other-key", message: "Number \(number) is another."))
        }
        #expect(words(model, size).contains("Number 999 is another."))
        #expect(!words(model, size).contains("Number 970 is another."))
        _ = model.apply(.down)
        #expect(!words(model, size).contains("is another."))
    }

    @Test(arguments: sizes)
    func `at first contact it is said which key compares numbers`(_ size: ScreenSize) {
        var model = Scene.firstContact.model
        #expect(words(model, size).contains("V compares numbers."))
        _ = model.apply(.down)
        #expect(words(model, ScreenSize(rows: 30, columns: 100)).contains("V compare"))
        #expect(!words(Scene.ourTurn.model, size).contains("V compare"))
    }

    @Test(arguments: messages)
    func `what is printed at the end is not broken within words`(_ message: String) {
        for columns in [40, 80, 100] {
            var model = ScreenModel(purpose: .join, name: "Ann", key: Scene.ownKey)
            model.size.columns = columns
            model.apply(.failed(code: "x", message: message))
            let lines = model.farewell(utf8: true)
            #expect(lines.allSatisfy { $0.utf8.count <= columns })
            #expect(lines.joined(separator: " ") == message)
        }
    }

    private static let asking: [(PlayerEvent, String)] = [
        (.offered(kind: "draw", by: .opponent), "Bob (k7q2) proposes a draw. (y/n)"),
        (.timeUp(of: .you), "Your time is up: Bob (k7q2) may claim the game."),
        (.timeUp(of: .opponent), "The time of Bob (k7q2) is up. (C claims the win)"),
        (.claimed(by: .opponent), "Bob (k7q2) claims that your time is up."),
        (.link(.lost, reason: "left"), "Bob (k7q2) has left for now"),
        (.link(.silent, reason: ""), "Nothing heard"),
        (
            .over(
                GameEnd(winner: "X", isDraw: false, termination: "resign", score: Score(you: 1))),
            "Bob (k7q2) resigned. You win!"
        ),
        (.closed(.left), "Bob (k7q2) has left. Press any key."),
    ]

    @Test(arguments: sizes)
    func `what needs an answer takes the place of what was said before`(_ size: ScreenSize) {
        let stale: [(PlayerEvent, String)] = [
            (.failed(code: "illegal", message: "Square 5 is taken."), "Square 5"),
            (.answered(kind: "draw", accepted: false), "said no"),
        ]
        for (event, sentence) in Self.asking {
            for (old, part) in stale {
                var model = Scene.ourTurn.model
                model.apply(old)
                #expect(words(model, size).contains(part))
                model.apply(event)
                let text = words(model, size)
                #expect(text.contains(sentence), "\(event) after \(old)")
                #expect(!text.contains(part), "\(event) after \(old)")
            }
        }
    }

    @Test(arguments: sizes)
    func `what is said later leaves what needs an answer where it can be read`(
        _ size: ScreenSize
    ) {
        for (event, sentence) in Self.asking.prefix(5) {
            var model = Scene.ourTurn.model
            model.apply(event)
            model.apply(.failed(code: "illegal", message: "Square 5 is taken."))
            let text = words(model, size)
            #expect(text.contains("Square 5 is taken."))
            #expect(text.contains(sentence), "\(event)")
        }
    }

    @Test func `while a text is typed the question is still there`() {
        var model = Scene.talking.model
        model.apply(.offered(kind: "draw", by: .opponent))
        let text = words(model, Self.sizes[0])
        #expect(text.contains("Say: Good luck") && text.contains("proposes a draw. (y/n)"))
    }

    @Test func `a proposal does not push away how to resign, nor a question its keys`() {
        let text = Scene.drawOffered.model.render(.ascii).text
        for key in ["Y yes", "N no", "R resign", "? help", "Q quit"] {
            #expect(text[23].contains(key))
        }
        var model = Scene.quitAsked.model
        model.size = ScreenSize(rows: 15, columns: 30)
        #expect(model.render(.ascii).text[14] == " Y leave  R resign  N stay")
    }
}
