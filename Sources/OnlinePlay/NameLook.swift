// SPDX-License-Identifier: MIT

/// Whether two names are easily taken for each other: by their case, accents and spaces, by letters
/// of other scripts or digits that look alike, by what is invisible, by something in brackets at the
/// end, which is how a key is shown, or because what differs is cut off where there is little room.
public func areAlike(_ a: String, _ b: String) -> Bool {
    NameLook(a).isLike(NameLook(b))
}

/// What of a name the eye takes in.
struct NameLook: Sendable {
    /// The most columns that a name is sure to have on the screen beside its key; of a longer one
    /// the last column is an ellipsis.
    static let room = 17

    private let name: String
    /// The whole of it.
    let whole: NameSkeleton
    /// What is left without the groups in brackets at its end; `nil` if there are none.
    private let bare: NameSkeleton?
    /// What is left of a name that is too long; `nil` if it is not.
    private let cut: NameSkeleton?

    init(_ name: String) {
        self.name = name
        whole = NameSkeleton(name)
        let scalars = Array(name.unicodeScalars.prefix(256))
        bare = Self.withoutGroups(scalars[...]).map { NameSkeleton($0) }
        cut = Self.cut(scalars).map { NameSkeleton($0) }
    }

    /// As much of it as is always seen.
    var seen: NameSkeleton { cut ?? whole }

    /// Whether they are one name, but for what the eye passes over.
    func isSame(as other: NameLook) -> Bool {
        // Of signs alone nothing is left that could be compared.
        guard !whole.isEmpty else { return name == other.name && !name.allSatisfy(\.isWhitespace) }
        return whole == other.whole
    }

    /// Whether one is easily taken for the other.
    func isLike(_ other: NameLook) -> Bool {
        guard !whole.isEmpty, !other.whole.isEmpty else { return isSame(as: other) }
        return whole == other.whole || bare == other.whole || whole == other.bare
            || isSeenLike(other)
    }

    /// Whether they are the same, or nearly, once they have been cut.
    private func isSeenLike(_ other: NameLook) -> Bool {
        guard cut != nil || other.cut != nil, !seen.isEmpty else { return false }
        if seen == other.seen { return true }
        guard cut != nil, other.cut != nil else { return false }
        // A wide letter or a second space in one of them cuts it a little earlier.
        let (one, two) = (seen.text.utf8, other.seen.text.utf8)
        return min(one.count, two.count) >= Self.room / 2
            && (one.starts(with: two) || two.starts(with: one))
    }

    /// What stands before the groups in brackets at the end; `nil` if there are none, or nothing
    /// before them.
    private static func withoutGroups(
        _ name: ArraySlice<Unicode.Scalar>
    ) -> ArraySlice<Unicode.Scalar>? {
        guard let last = name.lastIndex(where: { isText($0) || isClosing($0) }),
            isClosing(name[last])
        else { return nil }
        var depth = 0
        let start = name[...last].lastIndex { scalar in
            depth += isClosing(scalar) ? 1 : isOpening(scalar) ? -1 : 0
            return depth == 0
        }
        // Brackets that do not fit each other are the end, from the first on.
        guard let start = start ?? name.firstIndex(where: isOpening),
            name[..<start].contains(where: isText)
        else { return nil }
        return withoutGroups(name[..<start]) ?? name[..<start]
    }

    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        !NameSkeleton([scalar]).isEmpty
    }

    private static func isOpening(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .openPunctuation || category == .initialPunctuation || scalar == "<"
    }

    private static func isClosing(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .closePunctuation || category == .finalPunctuation || scalar == ">"
    }

    /// What is seen of a name that is too long.
    private static func cut(_ name: [Unicode.Scalar]) -> ArraySlice<Unicode.Scalar>? {
        var columns = 0
        var end = 0
        for (index, scalar) in name.enumerated() where NameSkeleton.isSeen(scalar) {
            columns += isWide(scalar) ? 2 : 1
            if columns < room { end = index + 1 }
            if columns > room { return name[..<end] }
        }
        return nil
    }

    /// Whether a character takes two columns.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
