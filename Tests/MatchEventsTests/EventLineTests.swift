// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import Testing

@Suite struct EventLineTests {
    static let key = String(repeating: "k", count: 52)
    static let game = FoundGame(
        id: "0123456789abcdef", name: "Bob", key: nil, addresses: ["10.0.0.7:28888"])

    static let lines: [(PlayerEvent, String)] = [
        (
            .hosting(
                Hosting(
                    name: "Ann", port: 28888,
                    addresses: ["10.0.0.7:28888", "[fe80::1%eth0]:28888"],
                    key: "mfzw", discovery: "avahi", code: nil)),
            #"{"event":"hosting","name":"Ann","port":28888,"addresses":["10.0.0.7:28888","[fe80::1%eth0]:28888"],"key":"mfzw","discovery":"avahi","code":null}"#
        ),
        (
            .hosting(
                Hosting(
                    name: "Ann", port: 1, addresses: [], key: "mfzw", discovery: "none",
                    code: "004821")),
            #"{"event":"hosting","name":"Ann","port":1,"addresses":[],"key":"mfzw","discovery":"none","code":"004821"}"#
        ),
        (
            .warned(code: "other-key", message: "Not the Bob you know."),
            #"{"event":"warning","code":"other-key","message":"Not the Bob you know."}"#
        ),
        (
            .found(game),
            #"{"event":"found","id":"0123456789abcdef","name":"Bob","key":null,"addresses":["10.0.0.7:28888"]}"#
        ),
        (
            .found(
                FoundGame(
                    id: "0123456789abcdef", name: "B0b", key: nil, addresses: [],
                    resembles: "Bob")),
            #"{"event":"found","id":"0123456789abcdef","name":"B0b","key":null,"addresses":[],"resembles":"Bob"}"#
        ),
        (
            .gone(FoundGame(id: "01", name: "Bob", key: "k7q2", addresses: [])),
            #"{"event":"gone","id":"01","name":"Bob","key":"k7q2","addresses":[]}"#
        ),
        (
            .asking(id: "01", name: "Bob", key: "k7q2"),
            #"{"event":"asking","id":"01","name":"Bob","key":"k7q2"}"#
        ),
        (
            .challenged(by: "Bob", key: "k7q2", known: false),
            #"{"event":"challenged","by":"Bob","key":"k7q2","known":false}"#
        ),
        (
            .started(
                GameStart(
                    match: "00ff", game: 2, you: "O", opponent: "Bob", key: "k7q2", known: false,
                    compare: "0412345", board: "....X....",
                    resumed: .init(moves: [5], score: Score(you: 1, opponent: 0, draws: 2)))),
            #"{"event":"started","match":"00ff","game":2,"you":"O","opponent":"Bob","key":"k7q2","known":false,"compare":"0412345","board":"....X....","resumed":true,"moves":[5],"score":{"you":1,"opponent":0,"draws":2}}"#
        ),
        (
            .started(
                GameStart(
                    match: "00ff", game: 1, you: "O", opponent: "Bob", key: "k7q2", known: true,
                    compare: "0000001", board: ".........", resumed: nil,
                    clock: MoveClock(seconds: 300, increment: 3))),
            #"{"event":"started","match":"00ff","game":1,"you":"O","opponent":"Bob","key":"k7q2","known":true,"compare":"0000001","board":".........","resumed":false,"clock":{"seconds":300,"increment":3}}"#
        ),
        (.turn(you: true, ply: 1), #"{"event":"turn","you":true,"ply":1}"#),
        (
            .turn(you: true, ply: 1, left: TimeLeft(you: 300_000, opponent: 0)),
            #"{"event":"turn","you":true,"ply":1,"left":{"you":300000,"opponent":0}}"#
        ),
        (
            .link(.lost, reason: "left", left: TimeLeft(you: 1, opponent: .max)),
            #"{"event":"link","state":"lost","reason":"left","left":{"you":1,"opponent":9223372036854775807}}"#
        ),
        (.timeUp(of: .opponent), #"{"event":"timeUp","of":"opponent"}"#),
        (.claimed(by: .you), #"{"event":"claimed","by":"you"}"#),
        (.claimDeclined(by: .opponent), #"{"event":"claimDeclined","by":"opponent"}"#),
        (
            .moved(ply: 9, mark: "X", square: 5, board: "XO..X...."),
            #"{"event":"move","ply":9,"mark":"X","square":5,"board":"XO..X...."}"#
        ),
        (
            .link(.lost, reason: "left"), #"{"event":"link","state":"lost","reason":"left"}"#
        ),
        (
            .link(.silent, reason: "", silence: 17_250),
            #"{"event":"link","state":"silent","reason":"","silence":17250}"#
        ),
        (.link(.heard, reason: ""), #"{"event":"link","state":"heard","reason":""}"#),
        (
            .link(
                .lost, reason: "lost", left: TimeLeft(you: 1, opponent: 2), silence: .max),
            #"{"event":"link","state":"lost","reason":"lost","left":{"you":1,"opponent":2},"silence":9223372036854775807}"#
        ),
        (.link(.trying, reason: ""), #"{"event":"link","state":"trying","reason":""}"#),
        (.link(.restored, reason: ""), #"{"event":"link","state":"restored","reason":""}"#),
        (
            .offered(kind: "rematch", by: .opponent),
            #"{"event":"offer","kind":"rematch","by":"opponent"}"#
        ),
        (
            .answered(kind: "draw", accepted: false),
            #"{"event":"answered","kind":"draw","accepted":false}"#
        ),
        (.said(by: .you, text: "hi"), #"{"event":"said","by":"you","text":"hi"}"#),
        (
            .over(
                GameEnd(
                    winner: "X", isDraw: false, termination: "line",
                    score: Score(you: 1, opponent: 2, draws: 3))),
            #"{"event":"over","outcome":"win","winner":"X","termination":"line","score":{"you":1,"opponent":2,"draws":3}}"#
        ),
        (
            .over(GameEnd(winner: nil, isDraw: true, termination: "full", score: Score(draws: 1))),
            #"{"event":"over","outcome":"draw","winner":null,"termination":"full","score":{"you":0,"opponent":0,"draws":1}}"#
        ),
        (
            .over(GameEnd(winner: nil, isDraw: false, termination: "abort", score: Score())),
            #"{"event":"over","outcome":"none","winner":null,"termination":"abort","score":{"you":0,"opponent":0,"draws":0}}"#
        ),
        (
            .refused(code: "busy", message: "Bob is playing."),
            #"{"event":"refused","code":"busy","message":"Bob is playing."}"#
        ),
        (
            .failed(code: "illegal", message: "Square 5 is taken."),
            #"{"event":"error","code":"illegal","message":"Square 5 is taken."}"#
        ),
        (.kept("resign"), #"{"event":"kept","what":"resign"}"#),
        (.closed(.interrupted), #"{"event":"closed","reason":"interrupted"}"#),
    ]

    @Test(arguments: lines)
    func `an event is one line with these fields in this order`(
        _ event: PlayerEvent, _ line: String
    ) {
        #expect(event.jsonLine == line)
    }

    @Test(arguments: [
        ("\"\\", #""\"\\""#), ("a\nb\r\u{1b}[2J", #""a\nb\r\u001B[2J""#), ("", #""""#),
        ("nul\0x", #""nul\u0000x""#), ("\u{7f}a\u{7f}", #""\u007fa\u007f""#),
        ("\u{202e}\u{9b}", #""\u202E\u009B""#),
        ("Zo\u{eb} \u{1f600}", #""Zo\u00EB \uD83D\uDE00""#),
        (String(decoding: [0x61, 0xff, 0xc3] as [UInt8], as: UTF8.self), #""a\uFFFD\uFFFD""#),
    ])
    func `any string stays in its line and moves no terminal`(
        _ text: String, _ json: String
    ) throws {
        let line = try #require(PlayerEvent.said(by: .you, text: text).jsonLine)
        #expect(line == #"{"event":"said","by":"you","text":\#(json)}"#)
        #expect(line.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
    }

    @Test func `a move that is not confirmed has no line`() {
        #expect(PlayerEvent.sending(square: 5).jsonLine == nil)
    }
}
