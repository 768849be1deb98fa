// SPDX-License-Identifier: MIT

/// What verifying has shown.
public enum Verdict: Sendable, Equatable {
    /// Everything is right; the record may still be unfinished.
    case authentic(Record)
    /// One key has signed two different entries of one number: whoever holds it is not honest, or
    /// played on from a copy.
    case forked(Fork)
    /// Something is not right, and nothing in the file is to be believed.
    case refused(Refusal)

    /// The proof of a fork.
    public struct Fork: Sendable, Equatable {
        /// The player's seat in the match.
        public var seat: Seat
        /// The key that signed both.
        public var publicKey: [UInt8]
        /// The number that both have.
        public var number: UInt64
        /// The two lines.
        public var lines: [[UInt8]]
    }

    /// Why a record is refused.
    public struct Refusal: Sendable, Equatable {
        /// Which of the files, from 0.
        public var file: Int
        /// The line in it, from 1, or `nil` if it is about the whole.
        public var line: Int?
        /// One sentence.
        public var reason: String
    }

    /// Verifies the journals of a match, one file or both players', offline.
    ///
    /// - Parameters:
    ///   - files: The files' bytes. Of two, the second adds what the first does not have.
    ///   - rules: The games that are known.
    ///   - cryptography: Hashes and checks signatures; nothing is signed.
    public static func verifying(
        _ files: [[UInt8]], rules: [any Game.Type], cryptography: any Cryptography
    ) -> Verdict {
        .refused(Refusal(file: 0, line: nil, reason: "This is not done yet."))
    }
}
