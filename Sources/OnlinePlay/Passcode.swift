// SPDX-License-Identifier: MIT

import CSodium

/// Six digits that one player reads out to another.
public struct Passcode: Sendable, Hashable {
    /// The six digits.
    public let digits: String

    /// Reads what a person typed: six digits, with spaces and dashes anywhere; `nil` for anything
    /// else.
    public init?(parsing text: String) {
        var digits = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "0"..."9": digits.unicodeScalars.append(scalar)
            case "-", "\u{2010}"..."\u{2015}": continue
            default:
                guard scalar.properties.isWhitespace else { return nil }
            }
        }
        guard digits.utf8.count == 6 else { return nil }
        self.digits = digits
    }

    /// Makes up a code; each of the million is as likely as any other.
    public static func random() -> Passcode {
        // Without its library there is no code mode at all: the exchange fails, whatever this is.
        _ = Sodium.isReady
        let digits = String(randombytes_uniform(1_000_000))
        return Passcode(digits: String(repeating: "0", count: 6 - digits.utf8.count) + digits)
    }

    private init(digits: String) {
        self.digits = digits
    }
}
