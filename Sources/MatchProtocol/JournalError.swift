// SPDX-License-Identifier: MIT

/// Why a journal is not open, or why nothing more goes into it.
package enum JournalError: Error, Sendable, Hashable {
    /// The disk refused. What was to be stored may be there or not; nothing is tried again.
    case store(StoreError)
    /// Another process has the match open.
    case inUse(path: String)
    /// There is no journal of this match and seat.
    case absent(JournalName)
    /// There is already a journal of this match and seat.
    case present(JournalName)
    /// The file is of a version of the format that is not known here; it was left as it is.
    case version(found: UInt32, known: UInt32)
    /// The rules of the match are not known here; the file was left as it is.
    case rules(found: RulesID, known: [RulesID])
    /// The rules do not know the options of the match; the file was left as it is.
    case options(found: RulesID, reason: String)
    /// The match was begun with another key than the own; the file was left as it is.
    case key
    /// Nothing in the file says what the match is; it was left as it is.
    case unusable(reason: String)
}

extension JournalError: CustomStringConvertible {
    /// One sentence for a person.
    package var description: String {
        switch self {
        case .store(let error): error.description
        case .inUse: "This match is open in another process."
        case .absent(let name): "There is no match \(name.matchDigits) here."
        case .present(let name): "The match \(name.matchDigits) has been begun before."
        case .version(let found, let known):
            "The journal has version \(found) of the format; this program knows version \(known)."
        case .rules(let found, let known):
            "The match is played by the rules \(found.text); this program knows "
                + "\(known.map(\.text).joined(separator: ", "))."
        case .options(let found, let reason):
            "The match is played with options that \(found.text) does not know: \(reason)"
        case .key: "The match was begun with another key than yours."
        case .unusable(let reason): "The journal cannot be used: \(reason)"
        }
    }
}

extension RulesID {
    fileprivate var text: String { "\(name) version \(version)" }
}
