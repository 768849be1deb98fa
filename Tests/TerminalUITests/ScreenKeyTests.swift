// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import TerminalUI
import Testing

@Suite struct ScreenKeyTests {
    /// Applies the keys and gives what the last one asks for.
    private func last(_ scene: Scene, _ keys: [Key]) -> ScreenModel.Action {
        var model = scene.model
        return keys.map { model.apply($0) }.last ?? .none
    }

    private func type(_ text: String) -> [Key] { text.unicodeScalars.map { .character($0) } }

    @Test(arguments: [
        ([Key.enter], 5), ([.character(" ")], 5), ([.up, .enter], 2), ([.down, .enter], 8),
        ([.left, .enter], 4), ([.right, .enter], 6), ([.right, .right, .enter], 4),
        ([.up, .up, .enter], 8), ([.character("h"), .character("k"), .enter], 1),
        ([.character("l"), .character("j"), .enter], 9), ([.character("1")], 1),
        ([.character("9")], 9), ([.click(row: 4, column: 8), .click(row: 5, column: 9)], 1),
        ([.click(row: 16, column: 31), .enter], 9), ([.click(row: 10, column: 20)], 5),
    ])
    func `a square is played by cursor, digit or mouse`(_ keys: [Key], _ square: Int) {
        #expect(last(.ourTurn, keys) == .command(.move(square: square)))
    }

    @Test func `no click beside the squares plays or selects anything`() {
        for size in [(24, 80), (20, 60), (15, 30)] {
            var model = Scene.ourTurn.model
            model.size = ScreenSize(rows: size.0, columns: size.1)
            let before = model.render(.ascii)
            var squares: Set<Int> = []
            for row in -1...size.0 {
                for column in -1...size.1 {
                    var copy = model
                    let action = copy.apply(.click(row: row, column: column))
                    if case .command(.move(let square)) = action {
                        squares.insert(square)
                    } else {
                        #expect(action == .draw)
                    }
                    if copy.render(.ascii).cursor != before.cursor { squares.insert(0) }
                }
            }
            #expect(squares == [0, 5])
        }
    }

    @Test func `a move that was sent is not sent twice`() {
        #expect(last(.ourTurn, type("5")) == .command(.move(square: 5)))
        #expect(last(.ourTurn, type("51")) == .draw)
        var model = Scene.ourTurn.model
        _ = model.apply(.character("5"))
        model.apply(.failed(code: "illegal", message: "Taken."))
        #expect(model.apply(.character("1")) == .command(.move(square: 1)))
    }

    @Test func `what was wrong before a move is not said after it`() {
        let move = PlayerEvent.moved(ply: 2, mark: "O", square: 9, board: "....X...O")
        var (model, other) = (Scene.theirTurn.model, Scene.theirTurn.model)
        model.apply(.failed(code: "early", message: "It is the other player's turn."))
        #expect(model.render(.ascii) != other.render(.ascii))
        for event in [move, .turn(you: true, ply: 3)] {
            model.apply(event)
            other.apply(event)
        }
        #expect(model.render(.ascii) == other.render(.ascii))
    }

    @Test func `an early move is sent, for the rules to refuse`() {
        #expect(last(.theirTurn, type("1")) == .command(.move(square: 1)))
        #expect(last(.theirTurn, type("11")) == .command(.move(square: 1)))
    }

    @Test(arguments: [
        ("ry", ScreenModel.Action.command(.resign)), ("rn", .draw), ("rx", .draw),
        ("rxy", .command(.resign)), ("qy", .command(.quit)), ("qn", .draw), ("rny", .draw),
        ("d", .command(.offer(kind: "draw"))), ("y", .draw), ("q", .draw), ("r", .draw),
    ])
    func `resigning and leaving are asked for first`(
        _ keys: String, _ action: ScreenModel.Action
    ) {
        #expect(last(.ourTurn, type(keys)) == action)
    }

    @Test(arguments: [
        (Scene.won, "r", ScreenModel.Action.command(.offer(kind: "rematch"))),
        (.won, "q", .command(.quit)), (.rematchAsked, "y", .command(.accept)),
        (.rematchAsked, "r", .command(.accept)), (.rematchAsked, "n", .command(.decline)),
        (.rematchOffered, "r", .draw), (.rematchOffered, "y", .draw), (.won, "5", .draw),
        (.drawOffered, "y", .command(.accept)), (.drawOffered, "n", .command(.decline)),
        (.drawOffered, "3", .command(.move(square: 3))),
        (.challengeFirst, "y", .command(.answer(true, to: Scene.otherKey))),
        (.challengeFirst, "n", .command(.answer(false, to: Scene.otherKey))),
        (.challengeFirst, "x", .draw),
        (.challengeFirst, "q", .command(.quit)), (.hostWaiting, "q", .command(.quit)),
        (.clockUp, "c", .command(.claim)), (.clockUp, "C", .command(.claim)),
        // Early: for the rules to refuse.
        (.clock, "c", .command(.claim)), (.ourTurn, "c", .draw), (.timedOut, "c", .draw),
        (.leftClosed, "x", .command(.quit)), (.abandoned, " ", .command(.quit)),
    ])
    func `questions and ends take the keys they name`(
        _ scene: Scene, _ keys: String, _ action: ScreenModel.Action
    ) {
        #expect(last(scene, type(keys)) == action)
    }

    @Test(arguments: [
        ([Key.enter], 12), ([.down, .enter], 13), ([.up, .enter], 11), ([.character("1")], 11),
        ([.character("3")], 13), ([.click(row: 13, column: 10)], 12),
    ])
    func `a game is chosen from the list`(_ keys: [Key], _ number: Int) {
        #expect(last(.joinChoosing, keys) == .command(.choose(id: "00000000000000\(number)")))
    }

    @Test func `the chosen game stays chosen when others come and go`() {
        var model = Scene.joinChoosing.model
        model.apply(
            .gone(FoundGame(id: "0000000000000011", name: "", key: nil, addresses: [])))
        #expect(model.apply(.enter) == .command(.choose(id: "0000000000000012")))
        for number in 11...13 {
            model.apply(
                .gone(FoundGame(id: "00000000000000\(number)", name: "", key: nil, addresses: [])))
        }
        #expect(model.apply(.enter) == .draw)
        #expect(model.apply(.character("7")) == .draw)
    }

    @Test func `text is typed, corrected, sent or dropped`() {
        #expect(last(.ourTurn, type("t5q?r") + [.enter]) == .command(.say("5q?r")))
        #expect(last(.ourTurn, type("/hi!") + [.backspace, .enter]) == .command(.say("hi")))
        #expect(last(.ourTurn, type("thi") + [.escape] + type("5")) == .command(.move(square: 5)))
        #expect(last(.ourTurn, type("t  ") + [.enter]) == .draw)
        #expect(last(.ourTurn, type("t") + [.backspace] + type("5")) == .command(.move(square: 5)))
        #expect(last(.won, type("tbye") + [.enter]) == .command(.say("bye")))
    }

    @Test(
        arguments: [
            ([.left, .left, .character("x")], "one txwo"),
            ([.left, .right, .right, .character("x")], "one twox"),
            ([.home, .character("x")], "xone two"), ([.home, .left, .delete], "ne two"),
            ([.home, .end, .character("x")], "one twox"), ([.delete], "one two"),
            ([.left, .backspace], "one to"), ([.home, .backspace, .character("x")], "xone two"),
            ([.left, .left, .left, .eraseLine], "two"), ([.eraseLine, .character("x")], "x"),
            ([.eraseWord], "one "), ([.eraseWord, .eraseWord, .character("x")], "x"),
            ([.left, .eraseWord], "one o"), ([.character("\u{65e5}"), .left, .delete], "one two"),
            ([.home, .paste("x y ")], "x y one two"),
        ] as [([Key], String)])
    func `a line that is typed can be edited`(_ keys: [Key], _ text: String) {
        let typed = type("tone two") + keys
        #expect(last(.ourTurn, typed + [.enter]) == .command(.say(text)))
        #expect(last(.ourTurn, typed) == .draw)
    }

    @Test(arguments: [(24, 80), (15, 30), (60, 200)])
    func `the cursor and what is around it are seen in a line that is too long`(
        _ rows: Int, _ columns: Int
    ) {
        var model = Scene.ourTurn.model
        model.size = ScreenSize(rows: rows, columns: columns)
        let text = (100..<250).map { "\($0)" }.joined(separator: " ").prefix(499)
        for key in type("t" + text) { _ = model.apply(key) }
        for position in stride(from: 499, through: 0, by: -1) {
            let picture = model.render(.ascii)
            let row = Array(picture.text[picture.cursor.row])
            let column = picture.cursor.column
            let index = text.index(text.startIndex, offsetBy: position)
            if position < 499, text[index] != " " { #expect(row[column] == text[index]) }
            if position > 0, text[text.index(before: index)] != " ", column > 8 {
                #expect(row[column - 1] == text[text.index(before: index)])
            }
            #expect(column < columns)
            _ = model.apply(.left)
        }
    }

    @Test func `a text ends at 500 bytes`() {
        let long = type("t" + String(repeating: "\u{65e5}", count: 200)) + [.enter]
        let expected = String(repeating: "\u{65e5}", count: 166)
        #expect(last(.ourTurn, long) == .command(.say(expected)))
    }

    @Test(arguments: Scene.allCases)
    func `the terminal's end quits and repainting is possible everywhere`(_ scene: Scene) {
        #expect(last(scene, [.endOfInput]) == .command(.quit))
        #expect(last(scene, [.repaint]) == .repaint)
        #expect(last(scene, [.other]) == .none)
    }

    @Test(arguments: Scene.allCases)
    func `no order of keys makes the screen fail`(_ scene: Scene) {
        var random = SplitMix(state: 5)
        let keys: [Key] =
            [.up, .down, .left, .right, .enter, .escape, .backspace, .other, .home, .end, .delete]
            + [.eraseLine, .eraseWord, .paste("q r\u{301}y")]
            + type("0123456789tryn?/dqhjkl \u{301}\u{65e5}")
        var model = scene.model
        for _ in 0..<500 {
            _ = model.apply(keys[Int(random.next() % UInt64(keys.count))])
            _ = model.apply(
                .click(row: Int(random.next() % 30) - 2, column: Int(random.next() % 90) - 2))
        }
        #expect(model.render(.unicode).rows.count == 24)
    }

    @Test func `a turn, a challenge and a proposal ask for attention once`() {
        var model = Scene.theirTurn.model
        _ = model.takeAttention()
        for (event, calls) in [
            (PlayerEvent.turn(you: true, ply: 3), true), (.turn(you: false, ply: 3), false),
            (.offered(kind: "draw", by: .opponent), true),
            (.offered(kind: "draw", by: .you), false),
            (.challenged(by: "", key: "", known: false), true),
            (.said(by: .opponent, text: "hi"), false),
        ] {
            model.apply(event)
            let asks = [model.takeAttention(), model.takeAttention()]
            #expect(asks == [calls, false], "\(event)")
        }
    }

    @Test func `the other player's time asks for attention`() {
        var model = Scene.clock.model
        _ = model.takeAttention()
        model.apply(.timeUp(of: .opponent))
        let theirs = model.takeAttention()
        model.apply(.timeUp(of: .you))
        #expect([theirs, model.takeAttention()] == [true, false])
    }

    @Test func `the picture changes by itself once a second, while a clock runs and is shown`() {
        // 2.5 s are left.
        var model = Scene.clock.model
        #expect(model.nextChange == 500)
        let before = model.render(.ascii)
        model.pass(to: 61_499)
        #expect(model.render(.ascii) == before)
        model.pass(to: 61_500)
        #expect(model.render(.ascii) != before)
        #expect(model.nextChange == 1_000)
        model.pass(to: 63_500)
        #expect(model.nextChange == nil)
        model = Scene.clock.model
        _ = model.apply(.character("?"))
        #expect(model.nextChange == nil)
        model = Scene.clock.model
        model.size = ScreenSize(rows: 10, columns: 20)
        #expect(model.nextChange == nil)
        let still: [Scene] = [.ourTurn, .clockUp, .timedOut, .won, .hostWaiting]
        for scene in still {
            var model = scene.model
            model.pass(to: 100_000)
            #expect(model.nextChange == nil, "\(scene)")
        }
    }

    @Test func `a clock that ends between two looks at it is drawn at its end`() {
        // 2.5 s are left; what is drawn is from 1 ms before they are over.
        var model = Scene.clock.model
        model.pass(to: 63_499)
        #expect(model.render(.ascii).text.contains { $0.contains(" 0:01") })
        #expect(model.nextChange(after: 63_499) == 1)
        #expect(model.nextChange(after: 63_505) == 0)
        model.pass(to: 63_505)
        #expect(model.render(.ascii).text.contains { $0.contains(" 0:00") })
        #expect(model.nextChange(after: 63_505) == nil)
    }

    @Test func `how long nothing was heard is counted while it is shown`() {
        #expect(Scene.lostLong.model.nextChange == 500)
        #expect(Scene.silent.model.nextChange == 1_000)
        #expect(Scene.clockLost.model.nextChange == 1_000)
        // By the minute, once it is more than an hour.
        #expect(Scene.gone.model.nextChange == 40_000)
        for (keys, rows, next) in [("t", 24, 500), ("t", 15, nil), ("q", 24, nil), ("r", 24, nil)]
            as [(String, Int, UInt64?)]
        {
            var model = Scene.lostLong.model
            model.size.rows = rows
            for key in type(keys) { _ = model.apply(key) }
            #expect(model.nextChange == next, "\(keys)")
        }
        for state in [.restored, .heard] as [LinkState] {
            var model = Scene.silent.model
            model.apply(.link(state, reason: ""))
            #expect(model.nextChange == nil)
        }
    }

    @Test func `a match that is taken up waits with its clock for the other side`() {
        var model = Scene.ourTurn.model
        let start = GameStart(
            match: "00", game: 1, you: "X", opponent: "Bob", key: "", known: true,
            compare: "0412345", board: ".........",
            resumed: .init(moves: [], score: Score(you: 0, opponent: 0, draws: 0)),
            clock: MoveClock(seconds: 60, increment: 0))
        model.apply(.started(start))
        let left = TimeLeft(you: 60_000, opponent: 60_000)
        model.apply(.turn(you: true, ply: 1, left: left))
        #expect(model.nextChange == nil)
        model.apply(.link(.restored, reason: "", left: left))
        #expect(model.nextChange == 1_000)
    }

    @Test func `keys are the same with Shift, but not while typing`() {
        #expect(last(.ourTurn, type("RY")) == .command(.resign))
        #expect(last(.hostWaiting, type("Q")) == .command(.quit))
        #expect(last(.ourTurn, type("THi") + [.enter]) == .command(.say("Hi")))
    }

    @Test func `what went wrong last is printed at the end, unless play went on`() {
        var model = Scene.refused.model
        model.apply(.closed(.failed))
        #expect(
            model.farewell(utf8: true)
                == ["Bob is playing with somebody else.", "Goodbye."])
        #expect(Scene.illegal.model.farewell(utf8: true) == ["Square 1 is taken."])
        model = Scene.illegal.model
        model.apply(.moved(ply: 3, mark: "X", square: 3, board: "O.X.X...."))
        #expect(model.farewell(utf8: true).isEmpty)
    }

    @Test func `what is printed at the end says how game and program ended`() {
        #expect(
            Scene.leftClosed.model.farewell(utf8: true) == [
                "Three in a row. You win!", "Score: you 1, opponent 0, 0 draws.",
                "Bob (k7q2) has left.",
            ])
        #expect(Scene.hostWaiting.model.farewell(utf8: true).isEmpty)
    }
}
