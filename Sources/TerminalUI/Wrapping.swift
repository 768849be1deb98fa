// SPDX-License-Identifier: MIT

/// Breaks harmless text into lines at spaces; a word that is longer than a line is broken between
/// its characters, and a wide one stays whole.
func wrapped(_ text: String, columns: Int) -> [String] {
    guard columns > 1 else { return [] }
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let last = lines.last, width(of: last) + 1 + width(of: word) <= columns {
            lines[lines.count - 1] = last + " " + word
        } else {
            lines += broken(word, columns: columns)
        }
    }
    return lines
}

private func broken(_ word: Substring, columns: Int) -> [String] {
    var lines = [""]
    var used = 0
    for character in word {
        let wide = width(of: String(character))
        if used + wide > columns {
            lines.append("")
            used = 0
        }
        lines[lines.count - 1].append(character)
        used += wide
    }
    return lines
}
