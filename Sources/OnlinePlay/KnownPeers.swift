// SPDX-License-Identifier: MIT

import Glibc

/// The players that were met, named or blocked: a file `known_peers` with lines of text.
///
/// - `FINGERPRINT FIRST LAST NAME`: when the player was first and last met, in seconds since 1970,
///   and what it called itself then.
/// - `name FINGERPRINT NAME`: what the user calls the player.
/// - `block FINGERPRINT`: the user wants nothing of the player.
///
/// The key is the fingerprint; names prove nothing.
///
/// There are at most ``most`` players in the file, which has at most 1 MiB. When another one comes,
/// of those who are neither named nor blocked the one who was last met longest ago is forgotten.
public struct KnownPeers: Sendable {
    /// A player that was met, named or blocked.
    public struct Entry: Sendable, Equatable {
        /// Who it is.
        public let fingerprint: Fingerprint
        /// When it was first met, in seconds since 1970; 0 if it never was.
        public var firstSeen: Int64 = 0
        /// When it was last met, in seconds since 1970; 0 if it never was.
        public var lastSeen: Int64 = 0
        /// What it called itself; as it came, but for line ends.
        public var name = ""
        /// What the user calls it.
        public var petname: String?
        /// Whether the user wants nothing of it.
        public var isBlocked = false

        /// Whether it was met, or named by the user.
        public var isKnown: Bool { firstSeen != 0 || petname != nil }

        init(fingerprint: Fingerprint) {
            self.fingerprint = fingerprint
        }
    }

    /// The most players that are kept: more than anybody meets, unless strangers come in by the
    /// thousand under keys that they throw away.
    public static let most = 2_048

    /// The name of the file in its directory.
    package static let file = "known_peers"
    /// The largest file that is read or written, in bytes: ``most`` players, each met, named and
    /// blocked, with names of 64 bytes, take two thirds of it.
    static let longest = 1 << 20

    /// The file that is locked while the other one is changed.
    private static let lock = "known_peers.lock"

    /// How long a change waits, blocking its thread, for another process that is changing the file,
    /// in milliseconds.
    public var patience: UInt32 = 2_000

    /// Everybody, in the order of the file.
    public var entries: [Entry] { index.entries }
    /// The same, to be looked up.
    private(set) var index = PeerIndex([])
    private let directory: String
    /// Which file that was, to tell whether there is another one.
    private var version: FileVersion?

    /// Reads the file in `directory`; there need not be one, nor a directory, and none is made.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`. Damaged lines are passed over.
    public init(directory: String) throws(OnlineError) {
        self.directory = directory
        try read()
    }

    private mutating func read() throws(OnlineError) {
        guard let folder = try SecretDirectory.existing(directory) else {
            (index, version) = (PeerIndex([]), nil)
            return
        }
        let (entries, version) = try Self.read(folder)
        (index, self.version) = (PeerIndex(entries), version)
    }

    /// Reads the file anew if another process has changed it.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`; then everything is as it was.
    public mutating func refresh() throws(OnlineError) {
        if version != FileVersion(path: "\(directory)/\(Self.file)") { try read() }
    }

    /// What is known of a player.
    public subscript(fingerprint: Fingerprint) -> Entry? {
        index[fingerprint]
    }

    /// Whether this player was met before, or named by the user.
    public func contains(_ fingerprint: Fingerprint) -> Bool {
        self[fingerprint]?.isKnown ?? false
    }

    /// The player that an advert's salt and tag belong to, if it is known.
    public func fingerprint(salt: [UInt8], tag: [UInt8]) -> Fingerprint? {
        var tags = AdvertTags(salt: salt)
        for entry in entries where entry.isKnown && tags.isTag(tag, of: entry.fingerprint) {
            return entry.fingerprint
        }
        return nil
    }

    /// The players whose fingerprints begin with this text, whatever the case of its letters.
    public func matching(prefix: String) -> [Entry] {
        let prefix = prefix.lowercased()
        return entries.filter { $0.fingerprint.description.hasPrefix(prefix) }
    }

    /// Notes that this player was met now, and what it calls itself.
    ///
    /// What another process has noted meanwhile stays.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`, or `inUse` if another process did not let go of
    ///   the file within ``patience``; then the file is as it was.
    public mutating func remember(_ fingerprint: Fingerprint, name: String) throws(OnlineError) {
        let now = Int64(time(nil))
        let isTaken = namesake(of: fingerprint, called: name) != nil
        try change(fingerprint) { entry in
            // Who was met under another name does not come to bear this one.
            if entry.firstSeen == 0 || !isTaken { entry.name = Self.oneLine(name) }
            if entry.firstSeen == 0 { entry.firstSeen = now }
            entry.lastSeen = now
        }
    }

    /// Notes what the user calls this player; an empty name: nothing any more.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`, or `inUse` if another process did not let go of
    ///   the file within ``patience``; then the file is as it was.
    public mutating func name(_ fingerprint: Fingerprint, _ petname: String) throws(OnlineError) {
        try change(fingerprint) { $0.petname = petname.isEmpty ? nil : Self.oneLine(petname) }
    }

    /// Notes that the user wants nothing of this player.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`, or `inUse` if another process did not let go of
    ///   the file within ``patience``; then the file is as it was.
    public mutating func block(_ fingerprint: Fingerprint) throws(OnlineError) {
        try change(fingerprint) { $0.isBlocked = true }
    }

    /// Notes that the user would play with this player again.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`, or `inUse` if another process did not let go of
    ///   the file within ``patience``; then the file is as it was.
    public mutating func unblock(_ fingerprint: Fingerprint) throws(OnlineError) {
        try change(fingerprint) { $0.isBlocked = false }
    }

    /// Forgets everything about this player, a block included.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`, or `inUse` if another process did not let go of
    ///   the file within ``patience``; then the file is as it was.
    public mutating func forget(_ fingerprint: Fingerprint) throws(OnlineError) {
        try rewrite(for: fingerprint) { entries in
            entries.removeAll { $0.fingerprint == fingerprint }
        }
    }

    private mutating func change(
        _ fingerprint: Fingerprint, _ change: (inout Entry) -> Void
    ) throws(OnlineError) {
        try rewrite(for: fingerprint) { entries in
            let index = entries.firstIndex { $0.fingerprint == fingerprint }
            if index == nil { entries.append(Entry(fingerprint: fingerprint)) }
            change(&entries[index ?? entries.count - 1])
        }
    }

    /// Reads the file anew, changes what it says of a player, and puts the new one in its place.
    private mutating func rewrite(
        for fingerprint: Fingerprint, _ change: (inout [Entry]) -> Void
    ) throws(OnlineError) {
        let folder = try SecretDirectory(path: directory)
        let lock = try locked(folder)
        defer { close(lock) }
        let before = try Self.read(folder).entries
        var after = before
        change(&after)
        let kept = Self.withRoom(after, for: fingerprint)
        let text = Array(kept.flatMap(Self.lines).joined().utf8)
        // A file that was too long already may still become shorter.
        guard kept.count <= max(Self.most, before.count), text.count <= Self.longest else {
            throw OnlineError(
                .secrets,
                "\(directory)/\(Self.file) is full of players that you have named or blocked; "
                    + "forget one to make room.")
        }
        let temporary = try folder.writeTemporary(text, for: Self.file)
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
        (index, version) = (PeerIndex(kept), FileVersion(path: "\(directory)/\(Self.file)"))
    }

    /// Keeps other processes from changing the file until the descriptor is closed.
    private func locked(_ folder: borrowing SecretDirectory) throws(OnlineError) -> Int32 {
        let file = try folder.openLock(Self.lock)
        for wait in 0...patience {
            if wait > 0 { poll(nil, 0, 1) }
            if retrying({ flock(file, LOCK_EX | LOCK_NB) }) == 0 { return file }
        }
        close(file)
        throw OnlineError(
            .inUse, "Another process is changing \(directory)/\(Self.file); try again.")
    }
}
