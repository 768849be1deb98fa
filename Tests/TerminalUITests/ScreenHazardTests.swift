// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import TerminalUI
import Testing

/// What happens while somebody types or is being asked does not turn their next key into something
/// else.
@Suite struct ScreenHazardTests {
    private func press(_ text: String, _ model: inout ScreenModel) -> [ScreenModel.Action] {
        text.unicodeScalars.map { model.apply(.character($0)) }
    }

    private static func start(_ game: Int) -> PlayerEvent {
        .started(
            GameStart(
                match: "00112233445566778899aabbccddeeff", game: game, you: "O", opponent: "Bob",
                key: Scene.otherKey, known: true, compare: "0412345", board: ".........",
                resumed: nil))
    }

    private static let won = PlayerEvent.over(
        GameEnd(winner: "X", isDraw: false, termination: "resign", score: Score(you: 1)))
    private static let game = FoundGame(id: "11", name: "Zo\u{eb}", key: nil, addresses: [])

    /// One of each kind.
    private static let events: [PlayerEvent] = [
        Scene.hosting, .found(game), .gone(game),
        .challenged(by: "Bob", key: Scene.otherKey, known: true), start(2),
        .turn(you: true, ply: 3), .moved(ply: 3, mark: "X", square: 9, board: "O...X...X"),
        .sending(square: 9), .kept("say"), .link(.silent, reason: ""),
        .link(.lost, reason: "left"),
        .link(.trying, reason: ""), .link(.restored, reason: ""), .link(.heard, reason: ""),
        .timeUp(of: .you), .timeUp(of: .opponent), .claimed(by: .opponent),
        .claimDeclined(by: .you), .asking(id: "01", name: "Bob", key: "k7q2"),
        .offered(kind: "draw", by: .opponent),
        .offered(kind: "rematch", by: .opponent), .answered(kind: "draw", accepted: false),
        .said(by: .opponent, text: "hi"), won, .refused(code: "busy", message: "Busy."),
        Scene.otherBob, .failed(code: "illegal", message: "Taken."), .closed(.left),
    ]

    @Test(arguments: events)
    func `a text that is being typed outlives every event`(_ event: PlayerEvent) {
        var model = Scene.ourTurn.model
        _ = press("tI really", &model)
        model.apply(event)
        model.pass(to: 10_000)
        #expect(press(" try", &model) == [.draw, .draw, .draw, .draw])
        #expect(model.apply(.enter) == .command(.say("I really try")))
    }

    @Test func `a text that could not be sent before the end is printed`() {
        var model = Scene.ourTurn.model
        _ = press("tI really", &model)
        model.apply(.closed(.left))
        #expect(model.farewell(utf8: true) == ["Bob (k7q2) has left.", "Not sent: I really"])
    }

    @Test func `a text that is finished after the end is printed too`() {
        for isLate in [false, true] {
            var model = Scene.talking.model
            if isLate { model.apply(.closed(.left)) }
            _ = model.apply(.enter)
            if !isLate { model.apply(.closed(.left)) }
            #expect(model.farewell(utf8: true).last == "Not sent: Good luck")
        }
    }

    @Test func `the end stays on the board until a key, unless the player wished it`() {
        let table: [(CloseReason, String)] = [
            (.left, "Bob (k7q2) has left. Press any key."),
            (.lost, "is lost for good. Press any key."),
            (.failed, "The disk is full. Goodbye. Press any key."),
        ]
        for (reason, sentence) in table {
            var model = Scene.won.model
            #expect(!model.keepsEnd)
            if reason == .failed {
                model.apply(.failed(code: "disk", message: "The disk is full."))
            }
            model.apply(.closed(reason))
            let text = model.render(.ascii).text.joined(separator: " ")
            let words = text.split(separator: " ").joined(separator: " ")
            #expect(model.keepsEnd && words.contains(sentence) && words.contains("You win!"))
            // A key that was on its way ends nothing; the next one does.
            #expect(model.apply(.enter) == .draw)
            model.pass(to: 10_000)
            #expect(model.apply(.character("x")) == .command(.quit))
        }
        for reason in [CloseReason.quit, .interrupted] {
            var model = Scene.won.model
            model.apply(.closed(reason))
            #expect(!model.keepsEnd)
        }
        var model = Scene.joinChoosing.model
        model.apply(.closed(.failed))
        #expect(!model.keepsEnd)
    }

    @Test func `a question ends with the game that it is about`() {
        for keys in ["r", "q"] {
            for event in [Self.won, Self.start(2)] {
                var model = Scene.ourTurn.model
                _ = press(keys, &model)
                model.apply(event)
                model.pass(to: 10_000)
                #expect(press("y", &model) == [.draw], "\(keys) \(event)")
            }
        }
    }

    @Test func `what has just appeared is not answered by a key that was on its way`() {
        let proposal = PlayerEvent.offered(kind: "draw", by: .opponent)
        let rematch = PlayerEvent.offered(kind: "rematch", by: .opponent)
        let challenge = PlayerEvent.challenged(by: "Bob", key: Scene.otherKey, known: true)
        let yes = PlayerCommand.answer(true, to: Scene.otherKey)
        let table: [(Scene, PlayerEvent, Key, PlayerCommand)] = [
            (.ourTurn, proposal, .character("y"), .accept),
            (.ourTurn, proposal, .character("n"), .decline),
            (.won, rematch, .character("r"), .accept), (.playWaiting, challenge, .enter, yes),
            (.hostWaiting, challenge, .escape, .answer(false, to: Scene.otherKey)),
            (.joinChoosing, Self.start(1), .character("2"), .move(square: 2)),
            (.joinChoosing, Self.start(1), .enter, .move(square: 5)),
            (.ourTurn, Self.won, .enter, .offer(kind: "rematch")),
            (.won, Self.start(2), .click(row: 10, column: 20), .move(square: 5)),
        ]
        for (scene, event, key, command) in table {
            var model = scene.model
            model.pass(to: 1_000)
            model.apply(event)
            for now in [1_000, 1_399] as [UInt64] {
                model.pass(to: now)
                #expect(model.nextChange == 1_400 - now)
                #expect(model.apply(key) == .draw, "\(scene) \(key) at \(now)")
            }
            model.pass(to: 1_400)
            #expect(model.nextChange == nil)
            #expect(model.apply(key) == .command(command), "\(scene) \(key)")
        }
    }

    @Test func `a proposal that was hidden is not answered by the key that shows it`() {
        let proposal = PlayerEvent.offered(kind: "draw", by: .opponent)
        for (open, close) in [("t", Key.escape), ("r", .character("n")), ("?", .character("x"))] {
            var model = Scene.ourTurn.model
            _ = press(open, &model)
            model.apply(proposal)
            model.pass(to: 1_000)
            #expect(model.apply(close) == .draw)
            #expect(press("n", &model) == [.draw], "\(open)")
            model.pass(to: 1_400)
            #expect(press("n", &model) == [.command(.decline)], "\(open)")
        }
    }

    @Test func `moves and answers that nothing has come between are never held back`() {
        var model = Scene.theirTurn.model
        model.apply(.moved(ply: 2, mark: "O", square: 1, board: "O...X...."))
        model.apply(.turn(you: true, ply: 3))
        #expect(press("9", &model) == [.command(.move(square: 9))])
        model = Scene.ourTurn.model
        #expect(press("ry", &model) == [.draw, .command(.resign)])
    }

    @Test func `a number that has come to be another game's only chooses`() {
        let first = FoundGame(id: "0000000000000011", name: "", key: nil, addresses: [])
        var model = Scene.joinChoosing.model
        model.apply(.gone(first))
        // The chosen one is still the chosen one.
        var other = model
        #expect(other.apply(.enter) == .command(.choose(id: "0000000000000012")))
        #expect(press("2", &model) == [.draw])
        #expect(model.render(.ascii).text.contains { $0.contains("The list has changed.") })
        #expect(model.apply(.enter) == .command(.choose(id: "0000000000000013")))
        model.apply(.gone(FoundGame(id: "0000000000000013", name: "", key: nil, addresses: [])))
        #expect(model.apply(.enter) == .draw)
        #expect(model.apply(.enter) == .command(.choose(id: "0000000000000012")))
    }

    @Test func `a game that comes moves no number`() {
        var model = Scene.joinChoosing.model
        model.apply(.found(Self.game))
        #expect(press("1", &model) == [.command(.choose(id: "0000000000000011"))])
    }
}
