// SPDX-License-Identifier: MIT

import MatchEvents
import Testing

@Suite struct LineBufferTests {
    private func lines(_ text: String, pieces: Int, finish: Bool = true) -> [LineBuffer.Line] {
        var buffer = LineBuffer()
        var found: [LineBuffer.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            buffer.append(bytes[start..<min(start + pieces, bytes.count)])
            while let line = buffer.next() { found.append(line) }
        }
        if finish { buffer.finish() }
        while let line = buffer.next() { found.append(line) }
        return found
    }

    private func line(_ text: String) -> LineBuffer.Line { .line(Array(text.utf8)) }

    @Test(arguments: 1...12)
    func `every split of the input gives the same lines`(_ pieces: Int) {
        let long = String(repeating: "x", count: 4097)
        let text = "one\n\ntwo\r\n\(long)\nthree"
        #expect(
            lines(text, pieces: pieces)
                == [line("one"), line(""), line("two"), .tooLong, line("three")])
    }

    @Test func `a line may have 4096 bytes and no more`() {
        let longest = String(repeating: "x", count: 4096)
        #expect(lines(longest + "\n", pieces: 1000) == [line(longest)])
        #expect(lines(longest + "x\n", pieces: 1000) == [.tooLong])
    }

    @Test func `an endless line is told once, at once, and keeps nothing`() {
        let endless = String(repeating: "x", count: 100_000)
        #expect(lines(endless, pieces: 4096, finish: false) == [.tooLong])
        #expect(lines(endless, pieces: 4096, finish: true) == [.tooLong])
    }

    @Test func `a last line without an end counts only at the end of the input`() {
        #expect(lines("quit", pieces: 2, finish: false) == [])
        #expect(lines("quit", pieces: 2, finish: true) == [line("quit")])
    }
}
