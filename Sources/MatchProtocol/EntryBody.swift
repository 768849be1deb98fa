// SPDX-License-Identifier: MIT

/// What an entry says: its kind and arguments (`docs/protocol.md` §5.2).
package enum EntryBody: Sendable, Equatable {
    /// The first entry of each log.
    case open(Opening)
    /// An action of the game, as its bytes; with a clock, and only then, what is left of the
    /// author's time, in milliseconds.
    case move(game: UInt32, ply: UInt32, action: [UInt8], left: UInt64? = nil)
    /// Gives the game up.
    case resign(game: UInt32)
    /// Proposes something.
    case offer(game: UInt32, OfferKind)
    /// The other player's time for this ply is up.
    case claim(game: UInt32, ply: UInt32)
    /// Accepts the other log's offer or claim with this number.
    case accept(offer: UInt64)
    /// Declines the other log's offer or claim with this number.
    case decline(offer: UInt64)
    /// Chat.
    case say(String)
    /// How the game ended.
    case end(game: UInt32, Ending)

    /// The longest text that can be said, in bytes.
    static let longestText = 500
}

/// How a game ended, in the words of the log: the seats are those of the match.
package struct Ending: Sendable, Equatable {
    /// Who won, or a draw.
    package var outcome: Outcome
    /// The rules' word, `resign`, `agreed` or `timeout`.
    package var termination: String

    /// Makes the value.
    package init(_ outcome: Outcome, termination: String) {
        self.outcome = outcome
        self.termination = termination
    }
}

extension EntryBody {
    /// The kind and the arguments in one line.
    package var words: [UInt8] {
        var words = WordWriter()
        write(to: &words)
        return words.line
    }

    /// Reads a line of kind and arguments.
    package init(words line: [UInt8]) throws(Malformed) {
        var words = WordReader(line)
        try self.init(from: &words)
        try words.end()
    }

    /// Adds the kind and the arguments.
    func write(to words: inout WordWriter) {
        switch self {
        case .open(let opening):
            words.add("open")
            opening.write(to: &words)
        case .move(let game, let ply, let action, let left):
            words.add("move")
            words.add(game)
            words.add(ply)
            words.add(action)
            if let left { words.add(left) }
        case .resign(let game):
            words.add("resign")
            words.add(game)
        case .offer(let game, let kind):
            words.add("offer")
            words.add(game)
            words.add(kind.rawValue)
        case .claim(let game, let ply):
            words.add("claim")
            words.add(game)
            words.add(ply)
        case .accept(let offer):
            words.add("accept")
            words.add(offer)
        case .decline(let offer):
            words.add("decline")
            words.add(offer)
        case .say(let text):
            words.add("say")
            words.add(text)
        case .end(let game, let ending):
            words.add("end")
            words.add(game)
            ending.write(to: &words)
        }
    }

    /// Reads the kind and the arguments; `trailing` words follow that are no arguments.
    init(from words: inout WordReader, before trailing: Int = 0) throws(Malformed) {
        switch String(decoding: try words.argument("KIND"), as: UTF8.self) {
        case "open": self = .open(try Opening(from: &words))
        case "move":
            self = .move(
                game: try words.number("GAME"), ply: try words.number("PLY"),
                action: try words.argument("ACTION"),
                left: words.count > trailing ? try words.number("LEFT") : nil)
        case "resign": self = .resign(game: try words.number("GAME"))
        case "offer":
            let game: UInt32 = try words.number("GAME")
            let word = String(decoding: try words.argument("KIND"), as: UTF8.self)
            guard let kind = OfferKind(rawValue: word) else {
                throw Malformed("There is no such offer.")
            }
            self = .offer(game: game, kind)
        case "claim":
            self = .claim(game: try words.number("GAME"), ply: try words.number("PLY"))
        case "accept": self = .accept(offer: try words.number("NUMBER"))
        case "decline": self = .decline(offer: try words.number("NUMBER"))
        case "say": self = .say(try words.text("TEXT", size: 1...Self.longestText))
        case "end": self = .end(game: try words.number("GAME"), try Ending(from: &words))
        default: throw Malformed("There is no such kind of entry.")
        }
    }
}

extension Ending {
    fileprivate func write(to words: inout WordWriter) {
        switch outcome {
        case .win(let seat): words.add(seat)
        case .draw: words.add("draw")
        }
        words.add(termination)
    }

    fileprivate init(from words: inout WordReader) throws(Malformed) {
        switch String(decoding: try words.argument("RESULT"), as: UTF8.self) {
        case "1": outcome = .win(.first)
        case "2": outcome = .win(.second)
        case "draw": outcome = .draw
        default: throw Malformed("RESULT is none.")
        }
        termination = try words.text("TERMINATION", size: 1...32)
    }
}
