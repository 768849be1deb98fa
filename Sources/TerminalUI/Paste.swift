// SPDX-License-Identifier: MIT

import MatchEvents

/// Takes together what the terminal says was pasted (bracketed paste): it is text and never keys.
///
/// Line ends become spaces, and of a long text only so much is kept as a line can be, and a little
/// more, so that it is seen to be cut. Times are in milliseconds, on any clock that never goes back.
struct Paste {
    /// After so long without anything more, the end is taken for lost: what comes is typed.
    static let pause: UInt64 = 5_000
    /// No paste lasts longer, or somebody who types at a keyboard that seems dead would keep it so.
    static let longest: UInt64 = 15_000
    private static let mostBytes = PlayerCommand.longestText + 8

    private var text: String?
    private var beganAt: UInt64 = 0
    private var lastAt: UInt64 = 0

    /// Takes a key as it came; gives the keys that are meant.
    mutating func take(_ key: Key, at now: UInt64) -> [Key] {
        let lost = isOver(now) ? end() : []
        switch key {
        case .pasteBegins:
            (text, beganAt, lastAt) = (text ?? "", now, now)
            return lost
        case .pasteEnds: return lost + end()
        default: break
        }
        guard text != nil else { return lost + [key] }
        lastAt = now
        switch key {
        case .character(let scalar): add(scalar)
        case .enter, .other: addSpace()
        default: break
        }
        return []
    }

    private func isOver(_ now: UInt64) -> Bool {
        text != nil
            && (now - min(lastAt, now) >= Self.pause
                || now - min(beganAt, now) >= Self.longest)
    }

    private mutating func end() -> [Key] {
        defer { text = nil }
        guard var text else { return [] }
        if text.last == " " { text.removeLast() }
        return [.paste(text)]
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
        guard let bytes = text?.utf8.count, bytes < Self.mostBytes else { return }
        text?.unicodeScalars.append(scalar)
    }

    /// One space for a line end, however it is written, and for a tab.
    private mutating func addSpace() {
        if let text, let last = text.last, last != " " { add(" ") }
    }
}
