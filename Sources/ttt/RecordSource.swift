// SPDX-License-Identifier: MIT

import Glibc
import MatchProtocol
import OnlinePlay
import TurnBasedPlay

/// A record as a person names it: the path of a file, or the beginning of the name of a match that
/// `ttt games` lists.
struct RecordSource {
    /// The path of the file.
    let path: String
    /// What is in it.
    let bytes: [UInt8]

    /// Reads it; a file comes before a match of the same name.
    init(_ word: String) throws(Failure) {
        let file = open(word, O_RDONLY | O_CLOEXEC)
        guard file < 0 else {
            defer { close(file) }
            path = word
            bytes = try Self.contents(of: file, path: word)
            return
        }
        let reason = errno
        guard reason == ENOENT, !word.utf8.contains(UInt8(ascii: "/")) else {
            throw Failure(
                "\(word) cannot be opened: \(systemMessage(reason)).",
                reason == ENOENT ? .usage : .disk)
        }
        (path, bytes) = try Self.match(word)
    }

    /// Whether it claims to be the record of a match.
    var isRecord: Bool { bytes.starts(with: "ttt-journal ".utf8) }

    private static func contents(of file: Int32, path: String) throws(Failure) -> [UInt8] {
        errno = 0
        guard let bytes = readAll(file, limit: GameDirectory.largest) else {
            let reason = errno == 0 ? "it is too large" : systemMessage(errno)
            throw Failure("\(path) cannot be read: \(reason).", .disk)
        }
        return bytes
    }

    private static func match(_ word: String) throws(Failure) -> (path: String, bytes: [UInt8]) {
        let games = try Settings.games()
        var found: [String] = []
        do throws(StoreError) {
            if let directory = try GameDirectory.existing(games), !word.isEmpty {
                found = try directory.list().filter {
                    JournalName(file: $0) != nil && $0.hasPrefix(word.lowercased())
                }
                if found.count == 1, let bytes = try directory.read(found[0]) {
                    return ("\(games)/\(found[0])", bytes)
                }
            }
        } catch {
            throw Failure(error.description, .disk)
        }
        guard found.count > 1 else {
            throw Failure("'\(word)' is neither a file nor a match in \(games).", .usage)
        }
        throw Failure("\(found.count) matches begin with '\(word)'; type more of it.", .usage)
    }
}
