// SPDX-License-Identifier: MIT

import MatchProtocol
import TestSupport
import Testing

/// How arguments are spelt, seen through notes and entries.
@Suite struct WordsTests {
    private func said(_ word: String) -> String? {
        let zeros = String(repeating: "0", count: 64)
        let line = "1 1 0 \(zeros) \(zeros) say \(word) \(zeros)\(zeros)"
        guard let entry = try? Entry(line: Array(line.utf8)), case .say(let text) = entry.body
        else { return nil }
        return text
    }

    @Test(arguments: [
        ("a", "a"), ("%20", " "), ("%25", "%"), ("%2D", "-"), ("--", "--"), ("a-", "a-"),
        ("h%C3%A4", "hä"), ("%00", "\0"), ("~!", "~!"), ("%7F", "\u{7f}"),
    ])
    func `an argument has one spelling`(word: String, text: String) {
        #expect(said(word) == text)
    }

    @Test(arguments: [
        "", " a", "-", "%", "%2", "%2d", "%61", "%c3%a4", "a%", "ä", "\u{7f}", "%C3", "%FF",
        "%2D%2D", "a\n", "\0", "%0g",
    ])
    func `another spelling is refused`(word: String) {
        #expect(said(word) == nil)
    }

    @Test func `every text of any bytes that is UTF-8 comes back`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 1...100, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2_0000, using: &random))
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            let body = EntryBody.say(String(text))
            let written = try #require(
                Entry(
                    after: .start, by: .first, seen: .start, body,
                    cryptography: FastCryptography(key: 1)))
            #expect(written.line.allSatisfy { (0x20...0x7e).contains($0) })
            #expect(try Entry(line: written.line) == written)
        }
    }

    @Test(arguments: ["01", "+1", "-1", "", "1.0", "0x1", "4294967296", "१"])
    func `a number has one spelling and a size`(number: String) {
        let zeros = String(repeating: "0", count: 64)
        let line = "1 1 0 \(zeros) \(zeros) resign \(number) \(zeros)\(zeros)"
        #expect(throws: Malformed.self) { try Entry(line: Array(line.utf8)) }
    }

    @Test func `an entry of 2048 bytes is read and one of 2049 is not`() throws {
        let zeros = String(repeating: "0", count: 64)
        func line(of length: Int) -> [UInt8] {
            let head = "1 1 0 \(zeros) \(zeros) move 1 1 "
            let tail = " \(zeros)\(zeros)"
            let action = String(repeating: "x", count: length - head.count - tail.count)
            return Array((head + action + tail).utf8)
        }
        #expect(throws: Never.self) { try Entry(line: line(of: 2048)) }
        #expect(throws: Malformed("The entry is too long.")) { try Entry(line: line(of: 2049)) }
    }

    @Test func `random bytes never trap and never pass`() {
        var random = SeededGenerator(seed: 4)
        let alphabet = Array("0123456789abcdef %-acceptrvlhngdiokms".utf8)
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                    : UInt8.random(in: 0...255, using: &random)
            }
            #expect(throws: Malformed.self) { try Entry(line: bytes) }
            #expect(throws: Malformed.self) { try MatchNote(bytes) }
        }
    }
}
