// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import TerminalUI

/// What events and keys have made of a screen.
enum Scene: String, CaseIterable, Sendable {
    case hostWaiting, hostAlone, joinSearching, joinReaching, joinChoosing, joinManyGames
    case playWaiting, challengeFirst, challengeKnown
    case ourTurn, theirTurn, middle, pending
    case talking, resignAsked, quitAsked, help, illegal
    case lost, lostLong, silent, away, gone, back, rematchAsked, rematchOffered, rematchDeclined,
        drawOffered
    case won, beaten, fullBoard, agreed, resigned, weResigned, abandoned, leftClosed
    case clock, clockLost, clockUp, clockPast, claimed, claimDeclined, timedOut
    case hostile, refused
    case hostCode, namesake, namesakePlaying, firstContact, compare

    /// How long nobody answers what has just appeared, in milliseconds.
    static let reading: UInt64 = 400

    static let ownKey = "mfzwizltoq2tnnxgs5dinbsxezltoq2tnnxgs5dinbsxezltoq2t"
    static let otherKey = "k7q2izltoq2tnnxgs5dinbsxezltoq2tnnxgs5dinbsxezltoq2t"

    var model: ScreenModel {
        var model = ScreenModel(purpose: purpose, name: "Ann", key: Self.ownKey)
        // Whoever presses a key has read what is there.
        var now = Self.reading
        for step in steps {
            switch step {
            case .event(let event): model.apply(event)
            case .key(let key):
                model.pass(to: now)
                _ = model.apply(key)
            case .time(let time):
                model.pass(to: time)
                now = time + Self.reading
            case .text(let text):
                model.pass(to: now)
                for scalar in text.unicodeScalars { _ = model.apply(.character(scalar)) }
            }
        }
        if now == Self.reading { model.pass(to: now) }
        return model
    }

    enum Step {
        case event(PlayerEvent)
        case key(Key)
        /// The caller's clock shows so many milliseconds.
        case time(UInt64)
        case text(String)
    }

    private var purpose: ScreenModel.Purpose {
        switch self {
        case .joinSearching, .joinChoosing, .joinManyGames, .refused: .join
        case .joinReaching: .reach("192.168.1.7")
        case .playWaiting: .play
        default: .host
        }
    }

    var steps: [Step] {
        switch self {
        case .hostWaiting: [.event(Self.hosting)]
        case .hostAlone: [.event(Self.hostingAlone)]
        case .joinSearching, .joinReaching: []
        case .joinChoosing: Self.games(3) + [.key(.down)]
        case .joinManyGames: Self.games(30) + [.key(.up)]
        case .playWaiting: [.event(Self.hosting)] + Self.games(1)
        case .challengeFirst:
            [
                .event(Self.hosting),
                .event(.challenged(by: "Bob", key: Self.otherKey, known: false)),
            ]
        case .challengeKnown:
            [.event(Self.hosting), .event(.challenged(by: "Bob", key: Self.otherKey, known: true))]
        case .hostCode: [.event(Self.hostingWithCode)]
        case .namesake:
            [
                .event(Self.hosting), .event(Self.otherBob),
                .event(.challenged(by: "Bob", key: Self.otherKey, known: false)),
            ]
        case .refused:
            Self.games(1) + [.key(.enter)]
                + [.event(.refused(code: "busy", message: "Bob is playing with somebody else."))]
        default: gameSteps
        }
    }

    private var gameSteps: [Step] {
        switch self {
        case .ourTurn: Self.game([])
        case .namesakePlaying: [.event(Self.otherBob)] + Self.game([], known: false)
        case .firstContact: Self.game([], known: false)
        case .compare: Self.game([5, 1]) + [.text("v")]
        case .theirTurn: Self.game([5])
        case .middle: Self.game([5, 1, 9]) + Self.talk
        case .pending: Self.game([5, 1]) + [.text("3")]
        case .talking: Self.game([5, 1]) + Self.talk + [.text("tGood luck")]
        case .resignAsked: Self.game([5, 1]) + [.text("r")]
        case .quitAsked: Self.game([5, 1]) + [.text("q")]
        case .help: Self.game([5, 1]) + [.text("?")]
        case .illegal:
            Self.game([5, 1])
                + [.text("1"), .event(.failed(code: "illegal", message: "Square 1 is taken."))]
        case .lost: Self.game([5, 1]) + [.event(.link(.lost, reason: "timed out"))]
        case .lostLong:
            [.time(100_000)] + Self.game([5, 1])
                + [
                    .text("1"), .event(.failed(code: "illegal", message: "Square 1 is taken.")),
                    .event(.link(.lost, reason: "lost", silence: 25_000)), .time(139_900),
                ]
        case .silent:
            [.time(100_000)] + Self.game([5, 1])
                + [.event(.link(.silent, reason: "", silence: 17_000)), .time(101_000)]
        case .away: Self.game([5, 1]) + [.event(.link(.lost, reason: "left"))]
        case .back:
            Self.game([5, 1])
                + [
                    .event(.link(.lost, reason: "timed out")), .event(.link(.trying, reason: "")),
                    .event(.link(.restored, reason: "")),
                ]
        case .drawOffered:
            Self.game([5, 1]) + [.event(.offered(kind: "draw", by: .opponent))]
        default: endSteps
        }
    }

    private var endSteps: [Step] {
        let won = Self.game([5, 1, 9, 2, 3, 4, 7]) + [Self.over("X", "line", 1, 0)]
        return switch self {
        case .won: won
        case .beaten: Self.game([5, 1, 9, 2, 4, 3]) + [Self.over("O", "line", 0, 1)]
        case .fullBoard:
            Self.game([1, 2, 3, 5, 4, 6, 8, 7, 9])
                + [
                    .event(
                        .over(
                            GameEnd(
                                winner: nil, isDraw: true, termination: "full",
                                score: Score(draws: 1))))
                ]
        case .agreed:
            Self.game([1, 2])
                + [
                    .event(
                        .over(
                            GameEnd(
                                winner: nil, isDraw: true, termination: "agreed",
                                score: Score(draws: 1))))
                ]
        case .resigned: Self.game([5, 1]) + [Self.over("X", "resign", 1, 0)]
        case .weResigned: Self.game([5, 1]) + [Self.over("O", "resign", 0, 1)]
        case .abandoned:
            Self.game([5, 1])
                + [
                    .event(.link(.lost, reason: "timed out")), Self.over(nil, "abort", 0, 0),
                    .event(.closed(.lost)),
                ]
        case .rematchAsked: won + [.event(.offered(kind: "rematch", by: .opponent))]
        case .rematchOffered: won + [.event(.offered(kind: "rematch", by: .you))]
        case .rematchDeclined:
            won + [
                .event(.offered(kind: "rematch", by: .you)),
                .event(.answered(kind: "rematch", accepted: false)),
            ]
        case .gone:
            [.time(100_000)] + won
                + [
                    .event(.link(.lost, reason: "lost", silence: 0)), .time(130_000),
                    .event(.link(.trying, reason: "gone", silence: 30_000)), .time(3_900_000),
                ]
        case .leftClosed: won + [.event(.closed(.left))]
        case .hostile: Self.hostileGame
        default: clockSteps
        }
    }

    /// Bob, against whom the clock runs, had 1:02.5 left one minute ago.
    private var clockSteps: [Step] {
        let clock = Self.clockGame + [.time(61_000)]
        let up = Self.clockGame + [.time(63_500), .event(.timeUp(of: .opponent))]
        return switch self {
        case .clock: clock
        case .clockLost:
            clock + [
                .event(
                    .link(
                        .lost, reason: "timed out",
                        left: TimeLeft(you: 3_723_000, opponent: 2_500))),
                .time(100_000), .event(.link(.trying, reason: "")),
            ]
        case .clockUp: up
        case .clockPast:
            Self.game([5, 1], clock: MoveClock(seconds: 300, increment: 3))
                + [.time(301_000), .event(.timeUp(of: .you))]
        case .claimed: up + [.event(.claimed(by: .you))]
        case .claimDeclined:
            up + [.event(.claimed(by: .you)), .event(.claimDeclined(by: .opponent))]
        case .timedOut:
            up + [.event(.claimed(by: .you)), Self.over("X", "timeout", 1, 0)]
        default: []
        }
    }

    // MARK: - Events

    private static var clockGame: [Step] {
        let left = TimeLeft(you: 3_723_000, opponent: 62_500)
        return [.time(1_000)] + game([5, 1, 9], clock: MoveClock(seconds: 300, increment: 3))
            + [.event(.turn(you: false, ply: 4, left: left))]
    }

    static let hosting = PlayerEvent.hosting(
        Hosting(
            name: "Ann", port: 28888,
            addresses: ["192.168.1.7:28888", "[fe80::5054:ff:fe12:3456%eth0]:28888"],
            key: ownKey, discovery: "avahi", code: nil))

    static let hostingWithCode = PlayerEvent.hosting(
        Hosting(
            name: "Ann", port: 28888, addresses: ["192.168.1.7:28888"], key: ownKey,
            discovery: "avahi", code: "004821"))

    static let hostingAlone = PlayerEvent.hosting(
        Hosting(
            name: "Ann", port: 41234, addresses: ["10.0.0.7:41234"], key: ownKey,
            discovery: "none", code: nil))

    static let otherBob = PlayerEvent.warned(
        code: "other-key",
        message: "Bob (k7q2) is not the Bob you know (mfzw): same name, another key. "
            + "'ttt peers name k7q2izlt NAME' tells them apart.")

    static func games(_ count: Int) -> [Step] {
        (1...count).map { number in
            .event(
                .found(
                    FoundGame(
                        id: "00000000000000\(number + 10)", name: number == 1 ? "Bob" : "Zo\u{eb}",
                        key: number == 1 ? otherKey : nil,
                        addresses: ["192.168.1.\(number):28888"])))
        }
    }

    /// A game in which X, the player here, and O play these squares in turn.
    static func game(
        _ squares: [Int], opponent: String = "Bob", known: Bool = true, clock: MoveClock? = nil
    ) -> [Step] {
        var board = [Character](repeating: ".", count: 9)
        var steps: [Step] = [
            .event(
                .started(
                    GameStart(
                        match: "00112233445566778899aabbccddeeff", game: 1, you: "X",
                        opponent: opponent, key: otherKey, known: known, compare: "0412345",
                        board: String(board), resumed: nil, clock: clock))),
            .event(.turn(you: true, ply: 1)),
        ]
        for (index, square) in squares.enumerated() {
            let mark: Character = index.isMultiple(of: 2) ? "X" : "O"
            board[square - 1] = mark
            steps.append(
                .event(
                    .moved(
                        ply: index + 1, mark: String(mark), square: square, board: String(board))))
            steps.append(.event(.turn(you: !index.isMultiple(of: 2), ply: index + 2)))
        }
        return steps
    }

    static let talk: [Step] = [
        .event(.said(by: .opponent, text: "Hello! Is this your first game on this network?")),
        .event(.said(by: .you, text: "Yes. Na\u{ef}ve \u{65e5}\u{672c}\u{8a9e} too.")),
    ]

    static func over(_ winner: String?, _ termination: String, _ you: Int, _ opponent: Int) -> Step
    {
        .event(
            .over(
                GameEnd(
                    winner: winner, isDraw: false, termination: termination,
                    score: Score(you: you, opponent: opponent))))
    }

    /// Everything that a peer can send as text tries to move the cursor or turn the line around.
    private static var hostileGame: [Step] {
        let evil =
            "\u{1b}[2J\u{202e}Bob\u{200b}\n\u{9b}31m\u{7}" + String(repeating: "long", count: 50)
        return game([5, 1], opponent: evil)
            + [
                .event(.said(by: .opponent, text: evil)),
                .event(.failed(code: evil, message: evil)),
            ]
    }
}
