// SPDX-License-Identifier: MIT

import CPty
import TerminalUI
import Testing

@Suite struct DisplayTests {
    @Test(arguments: [
        ("Ann", "Ann"), ("", ""),
        ("Zo\u{eb} \u{65e5}\u{672c} \u{1f600}", "Zo\u{eb} \u{65e5}\u{672c} \u{1f600}"),
        ("\u{1b}[31mred\u{7}\u{9b}2J", "[31mred2J"), ("a\nb\tc\u{2028}d", "a b c d"),
        ("\u{202e}x\u{202c}\u{2066}y\u{200f}", "xy"), ("z\u{200b}\u{200d}\u{feff}\u{ad}z", "zz"),
        ("\u{e0041}\u{fe0f}\u{3164}\u{115f}q", "q"), ("\u{301}e\u{301}", "e\u{301}"),
        ("e\u{300}\u{301}\u{302}\u{303}\u{304}", "e\u{300}\u{301}\u{302}"),
        ("\u{e000}\u{fffff}", "??"), ("a\u{a0}b\u{3000}c", "a b c"), ("\u{7f}\0", ""),
    ])
    func `what could move a terminal or deceive a reader is gone`(_ text: String, _ shown: String) {
        #expect(display(text, columns: 80).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test(arguments: [
        ("Zo\u{eb}", "Zo?"), ("\u{65e5}\u{672c}", "??"), ("e\u{301}", "e"), ("\u{1f600}!", "?!"),
        ("a\u{2026}", "a..."),
    ])
    func `outside UTF-8 everything is ASCII`(_ text: String, _ shown: String) {
        #expect(display(text, columns: 80, utf8: false) == shown)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd\u{2026}"), ("abcdef", 1, "."),
        ("abcdef", 0, ""), ("\u{65e5}\u{672c}\u{8a9e}", 6, "\u{65e5}\u{672c}\u{8a9e}"),
        ("\u{65e5}\u{672c}\u{8a9e}", 5, "\u{65e5}\u{672c}\u{2026}"),
        ("\u{65e5}\u{672c}\u{8a9e}", 4, "\u{65e5}\u{2026}"), ("abc", -1, ""),
    ])
    func `what is too wide is cut by columns`(_ text: String, _ columns: Int, _ shown: String) {
        #expect(display(text, columns: columns) == shown)
    }

    @Test func `a player is the name and the first four letters of the key`() {
        #expect(label(name: "Ann", key: "k7q2abcd") == "Ann (k7q2)")
        #expect(label(name: "Ann", key: nil) == "Ann")
        #expect(label(name: " \u{200b}", key: "k7q2abcd") == "nameless (k7q2)")
        #expect(label(name: "Ann\u{1b}[2J\n", key: "\u{1b}[2J") == "Ann[2J  ([2J)")
        let long = label(name: String(repeating: "x", count: 99), key: "k7q2", columns: 20)
        #expect(long == String(repeating: "x", count: 12) + "\u{2026} (k7q2)")
    }

    @Test func `100,000 random strings come out harmless, fitting, and the same twice`() {
        var random = SplitMix(state: 2026)
        for _ in 0..<100_000 {
            let text = Self.text(&random)
            let columns = Int(random.next() % 40)
            let utf8 = random.next() % 4 != 0
            let shown = display(text, columns: columns, utf8: utf8)
            guard Self.isHarmless(shown, utf8: utf8), Self.columns(shown) <= columns,
                display(shown, columns: columns, utf8: utf8).utf8.elementsEqual(shown.utf8)
            else {
                let scalars = text.unicodeScalars.map { String($0.value, radix: 16) }
                Issue.record("\(scalars) in \(columns) columns became \(shown.debugDescription)")
                return
            }
        }
    }

    /// Judged by the Unicode properties and by ranges, not by the code under test.
    private static func isHarmless(_ text: String, utf8: Bool) -> Bool {
        var marks = 0
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            switch scalar.value {
            case 0..<0x20, 0x7f..<0xa0, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff,
                0xe0000...0xe0fff:
                return false
            default: break
            }
            if !utf8, !scalar.isASCII { return false }
            if properties.generalCategory == .format || properties.isBidiControl { return false }
            marks = properties.generalCategory == .nonspacingMark ? marks + 1 : 0
            if marks > marksPerCharacter { return false }
        }
        return true
    }

    private static func columns(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + Int(pty_columns($1.value)) }
    }

    private static func text(_ random: inout SplitMix) -> String {
        var text = String.UnicodeScalarView()
        let ranges: [ClosedRange<UInt32>] = [
            0...0xff, 0x20...0x7e, 0x300...0x36f, 0x590...0x6ff, 0x1100...0x11ff, 0x2000...0x206f,
            0x3000...0x30ff, 0xfe00...0xfeff, 0x1f300...0x1faff, 0xe0000...0xe01ef, 0...0x10ffff,
        ]
        for _ in 0..<random.next() % 50 {
            let range = ranges[Int(random.next() % UInt64(ranges.count))]
            let value = range.lowerBound + UInt32(random.next() % UInt64(range.count))
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        return String(text)
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
