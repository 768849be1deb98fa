// SPDX-License-Identifier: MIT

/// A note of the fair start, or about a lost log (`docs/protocol.md` §5.1, §5.6).
package enum MatchNote: Sendable, Equatable {
    /// The joiner wants to play.
    case challenge(Challenge)
    /// A challenge of a version of the match protocol that is not spoken here.
    case unknownChallenge
    /// The host plays; its random bytes.
    case accept(random: [UInt8])
    /// The host does not play.
    case decline(DeclineReason)
    /// The joiner's random bytes.
    case reveal(random: [UInt8])
    /// The joiner takes its challenge back.
    case cancel
    /// The sender has only so many of its own entries, and asks for more.
    case lost(count: UInt64)
    /// An entry of the receiver's log, which it asked for.
    case kept(line: [UInt8])

    /// The longest note that is read, in bytes; longer is only one with an entry in it.
    static let longest = 1024
    private static let keptWord = Array("kept ".utf8)

    /// Whether a note of the other side is a challenge, of whatever version.
    package static func isChallenge(_ bytes: [UInt8]) -> Bool {
        switch try? MatchNote(bytes) {
        case .challenge, .unknownChallenge: true
        default: false
        }
    }

    /// The note's line.
    package var bytes: [UInt8] {
        var words = WordWriter()
        switch self {
        case .challenge(let challenge):
            words.add("challenge")
            words.add("1")
            words.add(challenge.rules.name)
            words.add(challenge.rules.version)
            words.add(hex: challenge.options)
            words.add(challenge.clock?.description ?? "")
            words.add(hex: challenge.commitment)
        case .unknownChallenge:
            words.add("challenge")
        case .accept(let random):
            words.add("accept")
            words.add(hex: random)
        case .decline(let reason):
            words.add("decline")
            words.add(reason.rawValue)
        case .reveal(let random):
            words.add("reveal")
            words.add(hex: random)
        case .cancel:
            words.add("cancel")
        case .lost(let count):
            words.add("lost")
            words.add(count)
        case .kept(let line):
            return Self.keptWord + line
        }
        return words.line
    }

    /// Reads a note.
    package init(_ bytes: [UInt8]) throws(Malformed) {
        if bytes.starts(with: Self.keptWord) {
            self = .kept(line: Array(bytes.dropFirst(Self.keptWord.count)))
            return
        }
        guard bytes.count <= Self.longest else { throw Malformed("The note is too long.") }
        var words = WordReader(bytes)
        switch String(decoding: try words.argument("note"), as: UTF8.self) {
        case "challenge":
            guard try words.number("version", as: UInt16.self) == 1 else {
                // What follows is that version's business.
                self = .unknownChallenge
                return
            }
            self = .challenge(try Challenge(from: &words))
        case "accept": self = .accept(random: try words.hex("HOSTRANDOM", count: 32))
        case "decline": self = .decline(try DeclineReason(from: &words))
        case "reveal": self = .reveal(random: try words.hex("JOINERRANDOM", count: 32))
        case "cancel": self = .cancel
        case "lost": self = .lost(count: try words.number("COUNT"))
        default: throw Malformed("There is no such note.")
        }
        try words.end()
    }
}

/// What the joiner wants to play, and its promise.
package struct Challenge: Sendable, Equatable {
    /// The rules' name and version.
    package var rules: RulesID
    /// The game's options.
    package var options: [UInt8]
    /// How much time each player has.
    package var clock: MoveClock?
    /// See ``FairStart/commitment(exporter:joinerRandom:cryptography:)``.
    package var commitment: [UInt8]

    /// Makes a challenge.
    package init(
        rules: RulesID, options: [UInt8], clock: MoveClock? = nil, commitment: [UInt8]
    ) {
        self.rules = rules
        self.options = options
        self.clock = clock
        self.commitment = commitment
    }

    fileprivate init(from words: inout WordReader) throws(Malformed) {
        rules = RulesID(
            name: try words.text("RULES", size: 1...32), version: try words.number("VERSION"))
        options = try words.hex("OPTIONS", count: 0...Opening.longestOptions)
        clock = try words.clock()
        commitment = try words.hex("COMMIT", count: 32)
    }
}

extension DeclineReason {
    fileprivate init(from words: inout WordReader) throws(Malformed) {
        let word = String(decoding: try words.argument("REASON"), as: UTF8.self)
        guard let reason = DeclineReason(rawValue: word), reason != .cancelled else {
            throw Malformed("There is no such reason.")
        }
        self = reason
    }
}
