// SPDX-License-Identifier: MIT

extension String {
    /// What an eye takes a name for: names with the same one look alike.
    ///
    /// What is not seen, or hardly, is gone: controls, format characters, combining marks, spaces.
    /// Letters of other scripts and widths are the Latin ones that they look like. Case is not
    /// told apart, but for the letter I, which looks like another in either case.
    var look: String {
        var look = UnicodeScalarView()
        for scalar in unicodeScalars {
            guard let seen = scalar.seen else { continue }
            look.append(Self.lookAlikes[seen] ?? seen)
        }
        return String(look).lowercased()
    }

    /// Letters, and below each what it looks like.
    private static let lookAlikes = pairs(
        "АВЕЅІЈКМНОРСТУХаеорсухіјѕԁһԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαονι" + "I1|0",
        "ABESlJKMHOPCTYXaeopcyxijsdhqw" + "ABEZHlKMNOPTYXaovi" + "lllO")

    private static func pairs(
        _ keys: String, _ values: String
    ) -> [Unicode.Scalar: Unicode.Scalar] {
        Dictionary(zip(keys.unicodeScalars, values.unicodeScalars)) { first, _ in first }
    }
}

extension Unicode.Scalar {
    /// The scalar without its width, or nothing if it is not seen.
    fileprivate var seen: Unicode.Scalar? {
        if properties.isDefaultIgnorableCodePoint { return nil }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .nonspacingMark, .enclosingMark, .spaceSeparator,
            .lineSeparator, .paragraphSeparator:
            return nil
        default:
            // U+FF01 to U+FF5E are the printed characters of ASCII in full width.
            guard 0xff01...0xff5e ~= value else { return self }
            return Unicode.Scalar(value &- 0xfee0)
        }
    }
}
