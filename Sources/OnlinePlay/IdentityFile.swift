// SPDX-License-Identifier: MIT

import Glibc

/// A file that is locked for as long as this lives.
final class LockedFile: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

/// The file with the 32-byte seed of a player's key.
///
/// Whoever uses the key holds a shared lock on it, and whoever takes it away an exclusive one: so
/// a key is not moved while a match is played with it.
struct IdentityFile: ~Copyable {
    private static let name = "identity"
    private let directory: SecretDirectory

    init(directory: String) throws(OnlineError) {
        self.directory = try SecretDirectory(path: directory)
    }

    /// The seed, made up if there is no file yet, and what keeps it here.
    func seed() throws(OnlineError) -> (seed: [UInt8], lock: LockedFile) {
        if let found = try read(LOCK_SH) { return found }
        try put(randomBytes(32))
        if let found = try read(LOCK_SH) { return found }
        throw OnlineError(.secrets, "\(path) vanished while it was being made; try again.")
    }

    /// The seed for somebody who is to take it away; `nil` if there is none.
    ///
    /// - Throws: ``OnlineError`` with code `inUse` if it is in use.
    func seedToTake() throws(OnlineError) -> (seed: [UInt8], lock: LockedFile)? {
        try read(LOCK_EX)
    }

    /// Puts a seed there if there is none; the caller reads which one is there.
    func put(_ seed: [UInt8]) throws(OnlineError) {
        let temporary = try directory.writeTemporary(seed, for: Self.name)
        // A link never replaces a file: of several processes the first one's key stays.
        let linked = linkat(directory.descriptor, temporary, directory.descriptor, Self.name, 0)
        let reason = errno
        unlinkat(directory.descriptor, temporary, 0)
        guard linked == 0 || reason == EEXIST else {
            throw OnlineError(
                .secrets, "\(path) cannot be made: \(systemMessage(reason)).")
        }
        guard fsync(directory.descriptor) == 0 else {
            throw OnlineError(.secrets, "\(path) cannot be made: \(systemMessage(errno)).")
        }
    }

    /// Removes the file, durably.
    func remove() throws(OnlineError) {
        guard unlinkat(directory.descriptor, Self.name, 0) == 0,
            fsync(directory.descriptor) == 0
        else {
            throw OnlineError(
                .secrets, "\(path) cannot be removed: \(systemMessage(errno)). Remove it yourself.")
        }
    }

    var path: String { "\(directory.path)/\(Self.name)" }

    private func read(
        _ kind: Int32
    ) throws(OnlineError) -> (seed: [UInt8], lock: LockedFile)? {
        guard let file = try directory.openPrivate(Self.name) else { return nil }
        let lock = LockedFile(file)
        guard retrying({ flock(file, kind | LOCK_NB) }) == 0 else {
            throw OnlineError(
                .inUse,
                kind == LOCK_EX
                    ? "A program that uses \(path) is running; end it first."
                    : "\(path) is being moved to another machine.")
        }
        guard isThere(file) else { return try read(kind) }
        guard let seed = readAll(file, limit: 32), seed.count == 32 else {
            throw OnlineError(
                .secrets,
                "\(path) is damaged: it must have 32 bytes. "
                    + "Put a copy back, or move it away to become somebody new.")
        }
        return (seed, lock)
    }

    /// Whether an open file is still the one with the name: it may have been taken away before it
    /// was locked.
    private func isThere(_ file: Int32) -> Bool {
        var (open, named) = (stat(), stat())
        guard fstat(file, &open) == 0,
            fstatat(directory.descriptor, Self.name, &named, AT_SYMLINK_NOFOLLOW) == 0
        else { return false }
        return open.st_ino == named.st_ino && open.st_dev == named.st_dev
    }
}
