// SPDX-License-Identifier: MIT

import Glibc

/// The players that were met before: a file `known_peers` with a line for each.
///
/// A line is `FINGERPRINT FIRST LAST NAME`: when the player was first and last met, in seconds
/// since 1970, and what it called itself then. The key is the fingerprint; names prove nothing.
public struct KnownPeers: Sendable {
    /// A player that was met.
    public struct Entry: Sendable, Equatable {
        /// Who it is.
        public let fingerprint: Fingerprint
        /// When it was first met, in seconds since 1970.
        public let firstSeen: Int64
        /// When it was last met, in seconds since 1970.
        public var lastSeen: Int64
        /// What it called itself; as it came, but for line ends.
        public var name: String
    }

    private static let file = "known_peers"
    /// More than anybody meets: 1 MiB.
    private static let longest = 1 << 20

    /// Everybody, in the order of the file.
    public private(set) var entries: [Entry] = []
    private let directory: String

    /// Reads the file in `directory`; there need not be one.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`. Damaged lines are passed over.
    public init(directory: String) throws(OnlineError) {
        self.directory = directory
        entries = try Self.read(SecretDirectory(path: directory))
    }

    /// Whether this player was met before.
    public func contains(_ fingerprint: Fingerprint) -> Bool {
        entries.contains { $0.fingerprint == fingerprint }
    }

    /// The player that an advert's salt and tag belong to, if it was met before.
    public func fingerprint(salt: [UInt8], tag: [UInt8]) -> Fingerprint? {
        entries.first { $0.fingerprint.advertTag(salt: salt) == tag }?.fingerprint
    }

    /// Notes that this player was met now, and what it calls itself.
    ///
    /// What another process has noted meanwhile stays.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`; then the file is as it was.
    public mutating func remember(_ fingerprint: Fingerprint, name: String) throws(OnlineError) {
        let folder = try SecretDirectory(path: directory)
        // The directory's own lock: it lasts until the descriptor is closed.
        flock(folder.descriptor, LOCK_EX)
        entries = try Self.read(folder)
        let now = Int64(time(nil))
        let line = String(name.map { $0.isNewline ? " " : $0 })
        if let index = entries.firstIndex(where: { $0.fingerprint == fingerprint }) {
            entries[index].lastSeen = now
            entries[index].name = line
        } else {
            entries.append(
                Entry(fingerprint: fingerprint, firstSeen: now, lastSeen: now, name: line))
        }
        let text = entries.map {
            "\($0.fingerprint) \($0.firstSeen) \($0.lastSeen) \($0.name)\n"
        }
        let temporary = try folder.writeTemporary(Array(text.joined().utf8), for: Self.file)
        guard renameat(folder.descriptor, temporary, folder.descriptor, Self.file) == 0 else {
            let reason = systemMessage(errno)
            unlinkat(folder.descriptor, temporary, 0)
            throw OnlineError(
                .secrets, "\(directory)/\(Self.file) cannot be written: \(reason).")
        }
        guard fsync(folder.descriptor) == 0 else {
            throw OnlineError(
                .secrets, "\(directory)/\(Self.file) cannot be written: \(systemMessage(errno)).")
        }
    }

    private static func read(_ folder: borrowing SecretDirectory) throws(OnlineError) -> [Entry] {
        guard let descriptor = try folder.openPrivate(file) else { return [] }
        defer { close(descriptor) }
        guard let bytes = readAll(descriptor, limit: longest) else {
            throw OnlineError(.secrets, "\(folder.path)/\(file) cannot be read; move it away.")
        }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = String(decoding: line, as: UTF8.self).split(
                separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard words.count >= 3, let fingerprint = Fingerprint(parsing: String(words[0])),
                let first = Int64(words[1]), let last = Int64(words[2])
            else { return nil }
            return Entry(
                fingerprint: fingerprint, firstSeen: first, lastSeen: last,
                name: words.count > 3 ? String(words[3]) : "")
        }
    }
}
