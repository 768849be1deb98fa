// SPDX-License-Identifier: MIT

import MatchEvents
import Testing

@Suite struct CommandLineTests {
    private func read(_ line: String) -> Result<PlayerCommand, CommandError> {
        Result { () throws(CommandError) in try PlayerCommand(jsonLine: Array(line.utf8)) }
    }

    private func check(
        _ line: String, _ code: CommandError.Code, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .failure(let error) = read(line) else {
            Issue.record("\(line.prefix(80)) was taken", sourceLocation: sourceLocation)
            return
        }
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.message.hasSuffix("."), sourceLocation: sourceLocation)
        #expect(
            error.event == .failed(code: code.rawValue, message: error.message),
            sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        (#"{"do":"move","square":1}"#, PlayerCommand.move(square: 1)),
        (#" { "square" : 9 , "do" : "move", "more": [1] } "#, .move(square: 9)),
        (#"{"do":"resign"}"#, .resign),
        (#"{"do":"offer","kind":"rematch"}"#, .offer(kind: "rematch")),
        (#"{"do":"offer","kind":"draw"}"#, .offer(kind: "draw")),
        (#"{"do":"accept"}"#, .accept),
        (#"{"do":"decline"}"#, .decline),
        (#"{"do":"accept","key":"k7q2"}"#, .answer(true, to: "k7q2")),
        (#"{"do":"decline","key":"k7q2"}"#, .answer(false, to: "k7q2")),
        (#"{"do":"say","text":"Zo\u00eb \ud83d\ude00"}"#, .say("Zo\u{eb} \u{1f600}")),
        (#"{"do":"claim"}"#, .claim),
        (#"{"do":"quit"}"#, .quit),
    ])
    func `a line is a command`(_ line: String, _ command: PlayerCommand) {
        #expect(read(line) == .success(command))
    }

    @Test(arguments: [
        "", "{", "5", "null", "[]", #""move""#, #"{"do":"quit"} x"#, #"{"do":"quit","do":"quit"}"#,
        #"{"do":"say","text":"\u0000"}"#, #"{"do":"say","text":"\ud800"}"#, "{\"do\":\"quit\"}\0",
    ])
    func `what is not one object is malformed`(_ line: String) {
        check(line, .malformed)
    }

    @Test func `bytes that are not UTF-8 are malformed`() {
        let line = Array(#"{"do":"say","text":""#.utf8) + [0xff] + Array(#""}"#.utf8)
        #expect { try PlayerCommand(jsonLine: line) } throws: {
            ($0 as? CommandError)?.code == .malformed
        }
    }

    @Test(arguments: ["{}", #"{"do":5}"#, #"{"do":"dance"}"#, #"{"do":"choose"}"#, #"{"do":""}"#])
    func `a verb that nobody knows is unknown`(_ line: String) {
        check(line, .unknown)
    }

    @Test(arguments: [
        #"{"do":"move"}"#, #"{"do":"move","square":"5"}"#, #"{"do":"move","square":5.0}"#,
        #"{"do":"move","square":null}"#, #"{"do":"offer"}"#, #"{"do":"offer","kind":1}"#,
        #"{"do":"say"}"#, #"{"do":"say","text":[]}"#,
    ])
    func `a field of another type is told`(_ line: String) {
        check(line, .type)
    }

    @Test(arguments: [
        #"{"do":"move","square":0}"#, #"{"do":"move","square":10}"#,
        #"{"do":"move","square":-9223372036854775808}"#, #"{"do":"offer","kind":"truce"}"#,
        #"{"do":"say","text":""}"#,
    ])
    func `a value that is not allowed is told`(_ line: String) {
        check(line, .range)
    }

    @Test func `a number too large for any integer is malformed`() {
        check(#"{"do":"move","square":99999999999999999999}"#, .malformed)
    }

    @Test func `a text may have 500 bytes and no more`() {
        let text = String(repeating: "\u{eb}", count: 250)
        #expect(read(#"{"do":"say","text":"\#(text)"}"#) == .success(.say(text)))
        check(#"{"do":"say","text":"\#(text)a"}"#, .range)
    }

    @Test func `a line of more than 4 KiB is not looked at`() {
        let verb = #"{"do":"quit"}"#
        let spaces = String(repeating: " ", count: 4096 - verb.utf8.count)
        #expect(read(verb + spaces) == .success(.quit))
        check(verb + spaces + " ", .long)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func `the deepest nesting that fits in a line is malformed and no crash`(_ open: String) {
        check(String(String(repeating: open, count: 4096).prefix(4096)), .malformed)
    }

    @Test func `nesting that is closed again beside a command is skipped`() {
        let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        #expect(read(#"{"do":"quit","x":\#(deep)}"#) == .success(.quit))
    }

    @Test func `random lines never trap`() {
        var random = SplitMix(state: 7)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"do\"", "\"move\"", "\"square\"", "5", "-1", "1e99",
            "\"say\"", "\"text\"", "null", "\\u0000", "\u{feff}", "\"", " ", "tru", "\u{1}",
        ]
        for _ in 0..<20_000 {
            let line = (0..<Int(random.next() % 12)).map { _ in
                pieces[Int(random.next() % UInt64(pieces.count))]
            }.joined()
            if case .failure(let error) = read(line) { #expect(!error.message.isEmpty) }
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
