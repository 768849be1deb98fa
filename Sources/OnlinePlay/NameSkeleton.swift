// SPDX-License-Identifier: MIT

/// What is left of a name when everything is taken away that the eye passes over: names with one
/// skeleton are easily taken for each other.
///
/// The idea is that of Unicode Technical Standard 39 (Unicode Security Mechanisms, §4, "skeleton");
/// the table here is a short one of its own, for the letters that Latin, Greek and Cyrillic share,
/// accents, digits in place of letters, and pairs that look like one letter. Letters of other
/// scripts stand for themselves.
struct NameSkeleton: Hashable, Sendable {
    /// Lower-case letters and digits. Empty if there is nothing to be taken for something else.
    let text: String

    /// Takes a name apart: case, accents, spaces, punctuation and what is invisible go, look-alikes
    /// become one letter.
    init(_ name: String) {
        self.init(name.unicodeScalars)
    }

    init(_ name: some Sequence<Unicode.Scalar>) {
        var letters: [UInt8] = []
        // What was written last, if what comes next stands right beside it: only then do two
        // letters look like one.
        var last: UInt8?
        for scalar in name.prefix(256) {
            let look = scalar.isASCII ? Self.ascii[Int(scalar.value)] : Self.look(scalar)
            guard let first = look.first else {
                if Self.isSeen(scalar) { last = nil }
                continue
            }
            if look.count == 1, let last, let one = Self.pairs[Pair(last, first)] {
                letters[letters.count - 1] = one
            } else {
                letters += look
            }
            last = letters.last
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    var isEmpty: Bool { text.isEmpty }

    /// Whether another name is to be read in this one.
    func contains(_ other: NameSkeleton) -> Bool {
        guard !other.isEmpty else { return false }
        var rest = text.utf8[...]
        while rest.count >= other.text.utf8.count {
            if rest.starts(with: other.text.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Each letter, and what looks like it.
    private static let looks: [(String, String)] = [
        ("a", "aA4@ª" + "àáâãäåāăąǎÀÁÂÃÄÅĀĂĄǍ" + "аА" + "αάΑΆ"),
        ("b", "bB8ß" + "вВьЬъб" + "βΒ"),
        ("c", "cC¢" + "çćĉċčÇĆĈĊČ" + "сС" + "ϲϹ"),
        ("d", "dD" + "ďđðĎĐÐ" + "ԁԀ"),
        ("e", "eE3€" + "èéêëēĕėęěÈÉÊËĒĔĖĘĚ" + "еёѐєэзЕЁЀЄЭЗ" + "εέΕΈ"),
        ("f", "fFſƒ" + "ϝϜ"),
        ("g", "gG69" + "ĝğġģĜĞĠĢ" + "ԌԍɡɢᏀ"),
        ("h", "hH" + "ĥħĤĦ" + "нНһҺ" + "Η"),
        ("l", "lLiI1|!" + "ìíîïĩīĭįıÌÍÎÏĨĪĬĮİ" + "ĺļľŀłĹĻĽĿŁ" + "іїІЇӏӀ" + "ιίϊΙΊ"),
        ("j", "jJ" + "ĵĴ" + "јЈ" + "ϳ"),
        ("k", "kKĸ" + "ķĶ" + "кКќЌ" + "κΚ"),
        ("m", "mM" + "мМ" + "Μ"),
        ("n", "nN" + "ñńņňŉŋÑŃŅŇŊ" + "пПйЙиИ" + "ηήΝ"),
        ("o", "oO0°" + "òóôõöøōŏőǒÒÓÔÕÖØŌŎŐǑ" + "оОөӨ" + "οόσΟΌ"),
        ("p", "pPþÞ" + "рР" + "ρΡ"),
        ("q", "qQ" + "ԛԚ"),
        ("r", "rR" + "ŕŗřŔŖŘ" + "гГяЯ" + "Γ"),
        ("s", "sS5$" + "śŝşšșŚŜŞŠȘ" + "ѕЅ"),
        ("t", "tT7+" + "ţťŧțŢŤŦȚ" + "тТ" + "τΤ"),
        ("u", "uUµ" + "ùúûüũūŭůűųǔÙÚÛÜŨŪŬŮŰŲǓ" + "цЦ" + "υύμ"),
        ("v", "vV" + "ѵѴ" + "ν"),
        ("w", "wW" + "ŵŴ" + "ԝԜшШщЩ" + "ωώ"),
        ("x", "xX×" + "хХ" + "χΧ"),
        ("y", "yY" + "ýÿŷÝŸŶ" + "уУүҮ" + "γΥΎ"),
        ("z", "zZ2" + "źżžŹŻŽ" + "ζΖ"),
        ("ae", "æÆǽӕӔ"), ("oe", "œŒ"),
    ]

    private struct Pair: Hashable {
        let first: UInt8
        let second: UInt8

        init(_ first: UInt8, _ second: UInt8) {
            (self.first, self.second) = (first, second)
        }
    }

    /// Pairs that look like one letter.
    private static let pairs: [Pair: UInt8] = [
        Pair(UInt8(ascii: "r"), UInt8(ascii: "n")): UInt8(ascii: "m"),
        Pair(UInt8(ascii: "v"), UInt8(ascii: "v")): UInt8(ascii: "w"),
        Pair(UInt8(ascii: "c"), UInt8(ascii: "l")): UInt8(ascii: "d"),
    ]

    private static let letters: [Unicode.Scalar: [UInt8]] = {
        var letters: [Unicode.Scalar: [UInt8]] = [:]
        for (letter, likes) in looks {
            for scalar in likes.unicodeScalars { letters[scalar] = Array(letter.utf8) }
        }
        return letters
    }()

    /// What most names are made of, looked up once.
    private static let ascii = (0..<128 as Range<UInt8>).map { look(Unicode.Scalar($0)) }

    /// What a character is taken for; nothing if it is passed over.
    private static func look(_ scalar: Unicode.Scalar) -> [UInt8] {
        if let letters = letters[plain(scalar)] { return letters }
        return counts(scalar) ? Array(scalar.properties.lowercaseMapping.utf8) : []
    }

    /// Whether a character takes room on the screen.
    static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7f).contains(scalar.value) }
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .nonspacingMark, .enclosingMark: return false
        default: return true
        }
    }

    /// The ASCII character that a full-width, circled, bracketed or mathematical one is a form of.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = scalar.value
        let plain: UInt32 =
            switch value {
            case 0xFF01...0xFF5E: value - 0xFEE0
            case 0x2460...0x2468: 0x31 + value - 0x2460
            case 0x2474...0x247C: 0x31 + value - 0x2474
            case 0x249C...0x24B5: letter(value - 0x249C)
            case 0x24B6...0x24E9: letter((value - 0x24B6) % 26)
            case 0x1F110...0x1F129: letter(value - 0x1F110)
            case 0x1F130...0x1F149: letter(value - 0x1F130)
            case 0x1F150...0x1F169: letter(value - 0x1F150)
            case 0x1F170...0x1F189: letter(value - 0x1F170)
            case 0x1D400...0x1D6A3: letter((value - 0x1D400) % 26)
            case 0x1D7CE...0x1D7FF: 0x30 + (value - 0x1D7CE) % 10
            default: value
            }
        return Unicode.Scalar(plain) ?? scalar
    }

    private static func letter(_ index: UInt32) -> UInt32 { 0x61 + index }

    /// Whether a character that looks like no other is seen at all.
    private static func counts(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .spaceSeparator,
            .nonspacingMark, .enclosingMark, .spacingMark, .connectorPunctuation,
            .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .modifierSymbol, .modifierLetter:
            return false
        default: return true
        }
    }
}
