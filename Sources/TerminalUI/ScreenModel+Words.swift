// SPDX-License-Identifier: MIT

import MatchEvents

/// What is told outside the picture.
extension ScreenModel {
    /// What the terminal's title should be.
    package func title(_ glyphs: Glyphs) -> String {
        let utf8 = glyphs.isUnicode
        guard let start = situation.start else {
            return situation.challenger == nil ? "ttt" : "ttt: a challenge"
        }
        let other = display(
            label(name: start.opponent, key: start.key), columns: 24, utf8: utf8)
        if situation.end != nil { return "ttt: game over, against \(other)" }
        return situation.isOurTurn == true ? "ttt: your turn against \(other)" : "ttt: \(other)"
    }

    /// What to print once the screen is gone: how the game and the program ended, in lines that the
    /// terminal does not break within words, and what was being typed, to be copied as it was.
    package func farewell(utf8: Bool) -> [String] {
        let sentences = [
            situation.endSentence,
            situation.end == nil ? nil : situation.scoreSentence,
            lastProblem,
            situation.closed.map { situation.closeSentence($0) },
        ]
        let lines = sentences.compactMap { $0.map { display($0, columns: 600, utf8: utf8) } }
            .flatMap { wrapped($0, columns: max(20, size.columns)) }
        guard let text = draft?.text ?? rejectedText, !text.isEmpty else { return lines }
        return lines + [display("Not sent: \(text)", columns: 600, utf8: utf8)]
    }
}
