// SPDX-License-Identifier: MIT

/// What is fed with random bytes. Each takes any bytes; what must not happen ends the process.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Frames, cut in any way.
    case frames
    /// One end of a session, in each of its states.
    case session
    /// Both sides of proving a code, by somebody who does not know it.
    case code
    /// A match's notes, packets and commands, before and after the fair start.
    case match
    /// Journals, as they are opened again and verified.
    case journal
    /// What is told of adverts, and their TXT records.
    case adverts
    /// What is typed or piped in.
    case commands
    /// Foreign text on the way to a terminal.
    case display
    /// The host's side of TLS, before the peer has shown a key.
    case tls

    /// Feeds it once.
    public func run(_ bytes: [UInt8]) {
        switch self {
        case .frames: fuzzFrames(bytes)
        case .session: fuzzSession(bytes)
        case .code: fuzzCode(bytes)
        case .match: fuzzMatch(bytes)
        case .journal: fuzzJournal(bytes)
        case .adverts: fuzzAdverts(bytes)
        case .commands: fuzzCommands(bytes)
        case .display: fuzzDisplay(bytes)
        case .tls: fuzzTLS(bytes)
        }
    }
}

/// Ends the process unless `truth` holds.
func require(_ truth: Bool, _ what: StaticString) {
    if !truth { fatalError("\(what)") }
}

/// Takes an input apart from the front; what is missing is 0.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The bytes up to the next line end, which is passed over.
    mutating func line() -> [UInt8] {
        let line = Array(rest.prefix { $0 != 0x0a })
        rest = rest.dropFirst(line.count + 1)
        return line
    }
}
