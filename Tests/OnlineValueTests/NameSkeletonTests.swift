// SPDX-License-Identifier: MIT

import OnlinePlay
import Testing

@Suite struct NameSkeletonTests {
    /// A name, and what looks like it: case, Cyrillic, Greek, digits, accents, combining marks,
    /// spaces, what is invisible, full-width and mathematical letters, pairs.
    @Test(
        arguments: [
            ("Bob", "bOB"), ("Bob", "\u{412}ob"), ("Bob", "B\u{43e}b"), ("Bob", "B0b"),
            ("Bob", "8o8"), ("Bob", "\u{392}\u{3bf}\u{3b2}"), ("Bob", "B\u{f3}b"),
            ("Bob", "Bo\u{301}b"), ("Bob", "B o b"), ("Bob", " Bob\u{a0}"),
            ("Bob", "B\u{200b}ob"), ("Bob", "Bob\u{202e}"), ("Bob", "B\u{ad}o\u{2060}b"),
            ("Bob", "\u{ff22}\u{ff4f}\u{ff42}"), ("Bob", "\u{1d401}\u{1d428}\u{1d41b}"),
            ("Bob", "\u{24b7}\u{24de}\u{24d1}"), ("Bob", "B.o-b_"), ("Bob", "\u{201c}Bob\u{201d}"),
            ("Will", "W1ll"), ("Will", "Wi||"), ("Will", "W\u{456}ll"), ("Will", "VV\u{4cf}lI"),
            ("Carmen", "\u{421}\u{430}rm\u{435}n"), ("Carmen", "Carrnen"), ("Clara", "Dara"),
            ("Zoe", "Zo\u{eb}"), ("Zoe", "2o\u{450}"), ("Zoe", "Zoe\u{308}"), ("Se7en", "seten"),
            ("h4x0r", "hax\u{3bf}r"),
            ("Ren\u{e9}", "Rene"), ("...", "..."),
        ])
    func `names that look alike are alike`(name: String, other: String) {
        #expect(areAlike(name, other))
        #expect(areAlike(other, name))
    }

    /// What is shown with a key in brackets behind it, whatever the brackets.
    @Test(
        arguments: [
            "Bob (xsp3)", "Bob(xsp3)", "Bob [xsp3]", "Bob {xsp3}", "Bob <xsp3>",
            "bob \u{ff08}xsp3\u{ff09}",
            "Bob \u{201c}xsp3\u{201d}", "Bob \u{ab}xsp3\u{bb}", "Bob \u{27e8}xsp3\u{27e9}",
            "Bob (xsp3) (7f2y)", "Bob ((xsp3))", "Bob (a(b)c)", "Bob (xsp3)\u{200b}.",
            "Bob (xsp3) )",
            "Bob (you)", "B\u{43e}b \u{207d}x\u{207e}", "Bob (", "Bob ()",
        ])
    func `something in brackets behind a name makes no other name`(name: String) {
        #expect(areAlike("Bob", name))
        #expect(areAlike(name, "Bob"))
    }

    /// Beside a key a name has 17 columns for sure; of a longer one 16 and an ellipsis are shown.
    @Test(
        arguments: [
            ("Alexandria Montgomery", "Alexandria Montgxmerz"),
            ("Alexandria Montgomery", "Alexandria Montg"),
            ("Alexandria Montgomery", "Alexandria M\u{43e}ntgolfier"),
            ("Alexandria Montgomery", "Alexandria  Montgxmerz"),
            ("Alexandria Montgomery", "\u{ff21}lexandria Montgxmerz"),
            ("Alexandria Montgomery", "A\u{200b}\u{301}lexandria Montgxmerz"),
            ("Alexandria Montgomery", "Alexandria Montg\u{2026} (xsp3)"),
            ("Bob", "Bob               x"),
            (
                "\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}",
                "\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{65e5}\u{672c}a"
            ),
        ])
    func `names that differ only where they are cut off are alike`(name: String, other: String) {
        #expect(areAlike(name, other))
        #expect(areAlike(other, name))
    }

    @Test(
        arguments: [
            ("Alexandria Montgo", "Alexandria Montga"), ("Alexandria Montgomery", "Alexandria"),
            ("Alexandria Montgomery", "Alexandra Montgomery"),
            ("Player (1)", "Player (2)"), ("(Bob)", "(Ann)"), ("(Bob)", ""), ("Bob (x) y", "Bob"),
            (String(repeating: ".", count: 20) + "Bob", String(repeating: ".", count: 20) + "Ann"),
            ("Bam", "Bar n"),
            ("Bobby and all his friends", "Bob"),
        ])
    func `names that differ where it is seen are not`(name: String, other: String) {
        #expect(!areAlike(name, other))
        #expect(!areAlike(other, name))
    }

    @Test(
        arguments: [
            ("Bob", "Bobby"), ("Bob", "Rob"), ("Ann", "Anna"), ("Ann", "Amy"), ("Bob", ""),
            ("", ""), ("...", "---"), (" ", "\u{200b}"), ("Player 1", "Player 2"),
            ("loud fox", "loud ox"),
            ("\u{1f600}", "\u{1f601}"), ("\u{65e5}\u{672c}", "\u{65e5}\u{6728}"),
        ])
    func `names that do not are not`(name: String, other: String) {
        #expect(!areAlike(name, other))
        #expect(!areAlike(other, name))
    }

    @Test func `any name has a skeleton, the same as its own`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let name = String(decoding: bytes, as: UTF8.self)
            #expect(areAlike("a" + name, "A" + name))
        }
        #expect(areAlike(String(repeating: "rn", count: 1_000), String(repeating: "m", count: 128)))
    }
}
