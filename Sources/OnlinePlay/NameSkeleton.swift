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
        var letters = ""
        for scalar in name.unicodeScalars.prefix(256) {
            if let letter = Self.letters[Self.plain(scalar)] {
                letters += letter
            } else if Self.counts(scalar) {
                letters += scalar.properties.lowercaseMapping
            }
        }
        text = Self.pairs.reduce(letters) { Self.replacing($1.0, with: $1.1, in: $0) }
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

    /// Pairs that look like one letter.
    private static let pairs = [("rn", "m"), ("vv", "w"), ("cl", "d")]

    private static let letters: [Unicode.Scalar: String] = {
        var letters: [Unicode.Scalar: String] = [:]
        for (letter, likes) in looks {
            for scalar in likes.unicodeScalars { letters[scalar] = letter }
        }
        return letters
    }()

    /// The ASCII character that a full-width, circled or mathematical one is a form of.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = scalar.value
        let plain: UInt32 =
            switch value {
            case 0xFF01...0xFF5E: value - 0xFEE0
            case 0x24B6...0x24E9: letter((value - 0x24B6) % 26)
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

    private static func replacing(_ pair: String, with letter: String, in text: String) -> String {
        var rest = text[...]
        var result = ""
        while let first = rest.first {
            if rest.hasPrefix(pair) {
                result += letter
                rest = rest.dropFirst(pair.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
