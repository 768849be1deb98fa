// SPDX-License-Identifier: MIT

/// Writes a record as SGF FF[4], one game tree for each game.
///
/// SGF numbers the games it knows and has no number for others; without one a reader takes a
/// record for Go and removes stones that it thinks captured. So a game on squares is written as
/// one of those that place stones which stay: GM[4], whose moves are two letters, column and row
/// from the upper left. `RU` says which rules were played. Who moves first is Black.
package enum SmartGameFormat {
    /// The text of a record, or `nil` if the game is not played on a square board of at most 26
    /// by 26.
    package static func text(of record: Record) -> String? {
        var trees: [String] = []
        for game in record.games {
            guard let tree = tree(game, record) else { return nil }
            trees.append(tree)
        }
        return trees.joined(separator: "\n")
    }

    private static func tree(_ game: RecordedGame, _ record: Record) -> String? {
        guard let squares = game.board?.count,
            let size = (1...26).first(where: { $0 * $0 == squares })
        else { return nil }
        let (black, white) = (record.player(game.first), record.player(game.first.other))
        let match = String(decoding: Hex.encoded(record.match), as: UTF8.self)
        var root = ";FF[4]GM[4]CA[UTF-8]AP[ttt]SZ[\(size)]"
        root += property("GN", "\(match) \(game.number)")
        root += property("RU", "\(record.rules.name) \(record.rules.version)")
        root += property("PB", black.name ?? "?") + property("PW", white.name ?? "?")
        root += property("RE", result(game))
        var nodes: [String] = [root]
        for move in game.moves {
            guard let square = move.square, let point = point(square, size) else { return nil }
            nodes.append(";\(move.by == game.first ? "B" : "W")[\(point)]")
        }
        return "(" + nodes.joined(separator: "\n") + ")"
    }

    private static func point(_ square: Int, _ size: Int) -> String? {
        guard (1...size * size).contains(square) else { return nil }
        let (row, column) = (square - 1).quotientAndRemainder(dividingBy: size)
        // cannot trap: a board has three of either.
        return String(decoding: [0x61 + UInt8(column), 0x61 + UInt8(row)], as: UTF8.self)
    }

    /// SGF's words: `B+`, `B+R` for a resignation, `B+T` for time, `0` for a draw, `?` where it is not known.
    private static func result(_ game: RecordedGame) -> String {
        switch game.result?.outcome {
        case .win(let seat)?:
            (seat == game.first ? "B+" : "W+") + reason(game.result?.termination)
        case .draw?: "0"
        case nil: "?"
        }
    }

    private static func reason(_ termination: String?) -> String {
        switch termination {
        case "resign": "R"
        case "timeout": "T"
        default: ""
        }
    }

    /// SimpleText: a backslash before what would end or split the value, white space as spaces.
    private static func property(_ name: String, _ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\", "]", ":": text += "\\\(scalar)"
            case _ where scalar.properties.isWhitespace: text += " "
            case _ where scalar.properties.generalCategory == .control: break
            default: text.unicodeScalars.append(scalar)
            }
        }
        return "\(name)[\(text)]"
    }
}
