// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import TerminalUI
import Testing

@Suite struct PlainFrontTests {
    /// The lines of all events of a scene.
    private func lines(_ steps: [Scene.Step], utf8: Bool = true) -> [String] {
        var front = PlainFront(utf8: utf8)
        return steps.flatMap { step -> [String] in
            guard case .event(let event) = step else { return [] }
            return front.lines(for: event)
        }
    }

    private func front(_ steps: [Scene.Step]) -> PlainFront {
        var front = PlainFront(utf8: true)
        for case .event(let event) in steps { _ = front.lines(for: event) }
        return front
    }

    private func read(_ text: String, _ steps: [Scene.Step] = Scene.game([5, 1]))
        -> PlainFront.Answer
    {
        front(steps).read(Array(text.utf8))
    }

    @Test func `a whole match reads like this`() throws {
        let steps: [Scene.Step] =
            [
                .event(Scene.hosting), .event(Scene.hostingAlone),
                .event(.challenged(by: "Bob", key: Scene.otherKey, known: false)),
                .event(.challenged(by: "Bob", key: Scene.otherKey, known: true)),
            ] + Scene.games(2)
            + [.event(.gone(FoundGame(id: "0", name: "Zo\u{eb}", key: nil, addresses: [])))]
            + Scene.game([5, 1, 9, 2, 3, 4]) + Scene.talk
            + [
                .event(.failed(code: "illegal", message: "Square 1 is taken.")),
                .event(.link(.lost, reason: "left")), .event(.link(.lost, reason: "timed out")),
                .event(.link(.trying, reason: "")), .event(.link(.restored, reason: "")),
                .event(.offered(kind: "draw", by: .opponent)),
                .event(.answered(kind: "draw", accepted: false)),
                .event(.moved(ply: 7, mark: "X", square: 7, board: "OOXOX.X.X")),
                Scene.over("X", "line", 1, 0), .event(.offered(kind: "rematch", by: .you)),
                .event(.answered(kind: "rematch", accepted: true)),
                .event(.refused(code: "busy", message: "Bob is playing with somebody else.")),
                .event(.closed(.left)),
            ]
        try expectGolden(lines(steps).joined(separator: "\n") + "\n", "plain")
        try expectGolden(lines(steps, utf8: false).joined(separator: "\n") + "\n", "plainASCII")
    }

    @Test func `a game with a clock reads like this`() throws {
        let clock = MoveClock(seconds: 300, increment: 3)
        let left = TimeLeft(you: 299_000, opponent: 3_000)
        let steps: [Scene.Step] =
            Scene.game([5], clock: clock)
            + [
                .event(.timeUp(of: .opponent)), .event(.claimed(by: .you)),
                .event(.claimDeclined(by: .opponent)), .event(.timeUp(of: .you)),
                .event(.claimed(by: .opponent)), .event(.claimDeclined(by: .you)),
                .event(.link(.lost, reason: "lost", left: left)),
                .event(.link(.trying, reason: "", left: left)),
                .event(.link(.restored, reason: "", left: left)),
                Scene.over("O", "timeout", 0, 1),
                .event(
                    .over(
                        GameEnd(
                            winner: nil, isDraw: true, termination: "timeout",
                            score: Score(draws: 1)))),
                .event(.link(.lost, reason: "left", left: left)),
            ]
        try expectGolden(lines(steps).joined(separator: "\n") + "\n", "plainClock")
    }

    @Test func `time says what is left, and that it stands`() {
        var front = front(Scene.game([5], clock: MoveClock(seconds: 300, increment: 3)))
        let command = Array("time".utf8)
        front.pass(to: 61_500)
        #expect(front.read(command) == .lines(["Time left: you 5:00, Bob (k7q2) 3:59."]))
        _ = front.lines(for: .link(.lost, reason: "lost"))
        front.pass(to: 3_600_000)
        #expect(
            front.read(command)
                == .lines(["Time left: you 5:00, Bob (k7q2) 3:59. The clock stands."]))
        _ = front.lines(for: .link(.restored, reason: ""))
        front.pass(to: 3_601_000)
        #expect(front.read(command) == .lines(["Time left: you 5:00, Bob (k7q2) 3:58."]))
        #expect(read("time") == .lines(["There is no clock."]))
    }

    @Test(arguments: Scene.allCases)
    func `every event is one harmless line, or none`(_ scene: Scene) {
        var front = PlainFront(utf8: true)
        for case .event(let event) in scene.steps {
            let lines = front.lines(for: event)
            #expect(lines.count <= 1)
            for line in lines { #expect(display(line, columns: 1000) == line && !line.isEmpty) }
        }
    }

    @Test(arguments: [
        ("5", PlayerCommand.move(square: 5)), (" 5 ", .move(square: 5)), ("resign", .resign),
        ("Resign", .resign), ("rematch", .offer(kind: "rematch")), ("draw", .offer(kind: "draw")),
        ("draw ", .offer(kind: "draw")), ("accept", .accept), ("decline", .decline), ("y", .accept),
        ("n", .decline), ("say hello, you", .say("hello, you")), ("say  5", .say(" 5")),
        ("quit", .quit), ("q", .quit), ("claim", .claim),
    ])
    func `a typed line is a command`(_ text: String, _ command: PlayerCommand) {
        #expect(read(text) == .command(command))
    }

    @Test func `a number chooses a game before there is one`() {
        #expect(read("2", Scene.games(3)) == .command(.choose(id: "0000000000000012")))
        #expect(
            read("4", Scene.games(3))
                == .lines(["There is no game 4 in the list. Type games to see it."]))
        #expect(
            read("games", Scene.games(2))
                == .lines(["1: Bob (k7q2) 192.168.1.1:28888", "2: Zo\u{eb} 192.168.1.2:28888"]))
        #expect(read("games", []) == .lines(["No open game was found yet."]))
    }

    @Test func `a game whose name looks like a known one is told with a warning`() {
        let lookAlike = PlayerEvent.found(
            FoundGame(
                id: "0000000000000011", name: "B0b", key: nil, addresses: ["192.168.1.1:28888"],
                resembles: "Bob\u{1b}"))
        #expect(
            read("games", [.event(lookAlike)])
                == .lines([
                    "1: B0b 192.168.1.1:28888 Careful, it looks like Bob, under another key."
                ]))
        var model = ScreenModel(purpose: .join, name: "Ann", key: "mfzw")
        model.apply(lookAlike)
        #expect(
            model.render(.unicode).text.contains {
                $0.contains("B0b") && $0.contains("looks like Bob, under another")
            })
    }

    @Test func `the number of a game stays when another one goes`() {
        let gone = PlayerEvent.gone(
            FoundGame(id: "0000000000000011", name: "Bob", key: nil, addresses: []))
        let steps = Scene.games(2) + [.event(gone)]
        #expect(read("2", steps) == .command(.choose(id: "0000000000000012")))
        #expect(read("games", steps) == .lines(["2: Zo\u{eb} 192.168.1.2:28888"]))
        guard case .lines = read("1", steps) else {
            Issue.record("a game that is gone was chosen")
            return
        }
    }

    @Test func `that the network knows of a game is told without telling of the game again`() {
        var front = PlainFront(utf8: true)
        var hosting = Hosting(
            name: "Ann", port: 28888, addresses: ["10.0.0.7:28888"], key: Scene.otherKey,
            discovery: "none", code: nil)
        #expect(front.lines(for: .hosting(hosting)).first?.hasPrefix("Your game is open.") == true)
        hosting.discovery = "avahi"
        #expect(
            front.lines(for: .hosting(hosting)) == [
                "On this network it is seen as Ann: there ttt join is enough."
            ])
        hosting.name = "Ann #2"
        #expect(front.lines(for: .hosting(hosting)).first?.contains("as Ann #2") == true)
    }

    @Test func `who is asked is said, and not told as no longer waiting`() {
        var front = front(Scene.games(2))
        let bob = FoundGame(
            id: "0000000000000011", name: "Bob", key: Scene.otherKey, addresses: [])
        let zoe = FoundGame(id: "0000000000000012", name: "Zo\u{eb}", key: nil, addresses: [])
        let asking = PlayerEvent.asking(id: bob.id, name: "Bob", key: Scene.otherKey)
        let sentence = ["Asking \(label(name: "Bob", key: Scene.otherKey)) to play..."]
        #expect(front.lines(for: asking) == sentence)
        #expect(front.lines(for: .gone(bob)) == [])
        #expect(front.read(Array("1".utf8)) == .lines(sentence))
        #expect(front.read(Array("2".utf8)) == .command(.choose(id: zoe.id)))
        #expect(front.lines(for: .gone(zoe)) == ["Zo\u{eb} no longer waits."])
        #expect(front.lines(for: .refused(code: "declined", message: "No.")) == ["No."])
        // It waits again, which nobody was told it did not.
        #expect(front.lines(for: .found(bob)) == [])
        #expect(front.read(Array("1".utf8)) == .command(.choose(id: bob.id)))
        #expect(front.lines(for: .gone(bob)).count == 1)
        #expect(front.lines(for: .found(zoe)).count == 1)
        for case .event(let event) in Scene.game([]) { _ = front.lines(for: event) }
        #expect(front.lines(for: .gone(zoe)) == [])
    }

    @Test(arguments: [
        "dance", "10", "0", "-1", "99999999999999999999", "say", "say ", "\u{1b}[2J", "5 6", "+5x",
        "draw me", "resign now",
    ])
    func `nonsense gets one sentence and asks for nothing`(_ text: String) {
        guard case .lines(let lines) = read(text) else {
            Issue.record("\(text) was a command")
            return
        }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.hasSuffix(".") && display($0, columns: 1000) == $0 })
    }

    @Test func `an empty line says nothing, bytes that are no text are nonsense`() {
        #expect(read("") == .lines([]))
        #expect(read("   ") == .lines([]))
        #expect(
            front([]).read([0xff, 0xfe])
                == .lines(["\"\u{fffd}\u{fffd}\" is no command here. Type help for the list."]))
        #expect(front([]).readTooLong() == .lines(["That line is too long."]))
    }

    @Test func `the board is three short lines with numbers where nothing is`() {
        #expect(read("board") == .lines(["O 2 3", "4 X 6", "7 8 9"]))
        #expect(read("board", []) == .lines(["There is no game yet."]))
    }

    @Test func `compare says the number that both sides have`() {
        #expect(
            read("compare")
                == .lines([
                    "Compare 0412345: the same on both screens if nobody sits between you."
                ]))
        #expect(read("compare", []) == .lines(["There is no game yet."]))
    }

    @Test func `a host's code is told with what the other player types`() {
        var front = front([])
        let lines = front.lines(for: Scene.hostingWithCode)
        #expect(lines.count == 1)
        for part in ["004 821", "ttt join --code", "ttt join 192.168.1.7:28888 --code"] {
            #expect(lines.joined().contains(part))
        }
    }

    @Test func `a name under another key is a warning`() {
        var front = front([])
        #expect(front.lines(for: Scene.otherBob).first?.hasPrefix("Warning: Bob (k7q2)") == true)
    }

    @Test func `help names every word`() {
        guard case .lines(let lines) = read("help") else {
            Issue.record("help is no list")
            return
        }
        let words = [
            "board", "games", "time", "claim", "resign", "rematch", "draw", "accept", "decline",
            "say", "quit", "compare",
        ]
        for word in words { #expect(lines.joined().contains(word)) }
    }
}
