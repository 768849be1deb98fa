// SPDX-License-Identifier: MIT

import Glibc

/// Takes an identity to another machine: a move, not a copy, for a key on two machines is two
/// players with one name.
///
/// At no moment is the key nowhere: on the old machine it is removed once the file with it has
/// been written, made durable and read back; on the new one the file is, once the key is in its
/// place. A program that uses the key keeps it where it is.
///
/// ```swift
/// import OnlinePlay
///
/// let move = try OutgoingIdentity(directory: "/home/ann/.config/game")
/// try move.write(to: "key.pem", passphrase: Array("correct horse".utf8))
/// try move.finish()
/// ```
public struct OutgoingIdentity: ~Copyable {
    private let file: IdentityFile
    private let seed: [UInt8]
    private let lock: LockedFile

    /// Gets hold of the identity in `directory`.
    ///
    /// - Throws: ``OnlineError`` with code `inUse`, if a program uses it, or `secrets`.
    public init(directory: String) throws(OnlineError) {
        let file = try IdentityFile(directory: directory)
        guard let found = try file.seedToTake() else {
            throw OnlineError(.secrets, "There is no identity in \(directory).")
        }
        (seed, lock) = found
        self.file = file
    }

    /// Writes the identity, under a passphrase, into a new file, and reads it back.
    ///
    /// - Parameters:
    ///   - path: The file, which must not be there yet.
    ///   - passphrase: The passphrase.
    ///   - words: What the file says to people before the key: whose program takes it in, and how.
    /// - Throws: ``OnlineError`` with code `secrets`; then there is no such file, or the one that
    ///   was there before.
    public func write(
        to path: String, passphrase: [UInt8], words: String = "A player's key, under a passphrase."
    ) throws(OnlineError) {
        guard let sealed = SealedKey.seal(seed, passphrase, words: words) else {
            throw OnlineError(.secrets, "OpenSSL seals no key: \(TLSChannel.errorText()).")
        }
        try MovedFile.write(sealed, to: path)
        do throws(SealedKey.Failure) {
            let back = try SealedKey.open(MovedFile.read(path) ?? [], passphrase)
            guard back == seed else { throw .damaged }
        } catch {
            unlink(path)
            throw OnlineError(.secrets, "\(path) cannot be read back; nothing was moved.")
        }
    }

    /// Removes the identity from here. Only after ``write(to:passphrase:words:)``.
    public func finish() throws(OnlineError) {
        try file.remove()
    }
}

extension Identity {
    /// Takes in an identity that was moved, and removes the file with it.
    ///
    /// - Parameters:
    ///   - path: The file that ``OutgoingIdentity`` wrote.
    ///   - directory: Where the identity is to be; there must be no other.
    ///   - passphrase: The passphrase.
    /// - Returns: Who it is, and whether the file is gone.
    /// - Throws: ``OnlineError`` with code `wrongPassphrase`, `otherIdentity` if there is another
    ///   identity in the directory, or `secrets`; then nothing has changed.
    public static func takeIn(
        from path: String, to directory: String, passphrase: [UInt8]
    ) throws(OnlineError) -> (fingerprint: Fingerprint, isRemoved: Bool) {
        guard let text = MovedFile.read(path) else {
            throw OnlineError(.secrets, "\(path) cannot be read: \(systemMessage(errno)).")
        }
        let seed: [UInt8]
        do throws(SealedKey.Failure) {
            seed = try SealedKey.open(text, passphrase)
        } catch {
            switch error {
            case .noKey: throw OnlineError(.secrets, "\(path) has no player's key in it.")
            case .wrongPassphrase:
                throw OnlineError(.wrongPassphrase, "That is not the passphrase.")
            case .damaged: throw OnlineError(.secrets, "\(path) is damaged.")
            }
        }
        let file = try IdentityFile(directory: directory)
        try file.put(seed)
        let here = try file.seed()
        let identity = try Identity(seed: here.seed)
        guard here.seed == seed else {
            throw OnlineError(
                .otherIdentity,
                "\(file.path) is somebody else (\(identity.fingerprint.tag)) already.")
        }
        return (identity.fingerprint, unlink(path) == 0)
    }

    /// Whose key the file says it has, if it is one that was moved.
    public static func moved(in path: String) -> Fingerprint? {
        MovedFile.read(path).flatMap { SealedKey.fingerprint(of: $0) }
    }
}

/// The file by which an identity moves; it is wherever the user wants it.
private enum MovedFile {
    /// Writes a file that was not there, durably.
    static func write(_ bytes: [UInt8], to path: String) throws(OnlineError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = open(path, flags, 0o600)
        guard file >= 0 else {
            let reason = errno == EEXIST ? "it is there already" : systemMessage(errno)
            throw OnlineError(.secrets, "\(path) cannot be made: \(reason).")
        }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { rest in
                retrying { Glibc.write(file, rest.baseAddress, rest.count) }
            }
            guard count > 0 else { break }
            written += count
        }
        let isWritten = written == bytes.count && fsync(file) == 0
        let reason = systemMessage(errno)
        guard close(file) == 0, isWritten, syncDirectory(of: path) else {
            unlink(path)
            throw OnlineError(.secrets, "\(path) cannot be written: \(reason).")
        }
    }

    static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return readAll(file, limit: SealedKey.longest)
    }

    /// Makes the file's name durable.
    private static func syncDirectory(of path: String) -> Bool {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { $0 == path.startIndex ? "/" : path[..<$0] }
        let directory = open(String(parent ?? "."), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        return fsync(directory) == 0
    }
}
