// SPDX-License-Identifier: MIT

import Glibc
package import MatchProtocol
import OnlinePlay

/// The journals of a user's matches in a directory of the file system.
///
/// Everything is opened within the directory that was checked at the start, no symbolic link is
/// followed, and nobody else can read what is made.
package final class GameDirectory: JournalStore, Sendable {
    /// An open file, or a lock on one; closed, or let go, with the object.
    package final class File: Sendable {
        fileprivate let descriptor: Int32
        fileprivate let path: String

        fileprivate init(descriptor: Int32, path: String) {
            self.descriptor = descriptor
            self.path = path
        }

        deinit { close(descriptor) }
    }

    package typealias Lock = File

    /// The largest file that is read, in bytes: a thousand times what a long match takes.
    package static let largest = 64 << 20

    /// Where it is.
    package var path: String { directory.path }

    private let directory: SecretDirectory

    /// Opens the directory, making it with mode 0700 if need be.
    package convenience init(path: String) throws(StoreError) {
        do throws(OnlineError) {
            self.init(try SecretDirectory(path: path))
        } catch {
            throw StoreError(.unsafe, path: path, error.description)
        }
    }

    /// Opens the directory; `nil` if there is none.
    package static func existing(_ path: String) throws(StoreError) -> GameDirectory? {
        do throws(OnlineError) {
            guard let directory = try SecretDirectory.existing(path) else { return nil }
            return GameDirectory(directory)
        } catch {
            throw StoreError(.unsafe, path: path, error.description)
        }
    }

    private init(_ directory: consuming SecretDirectory) {
        self.directory = directory
    }

    package func list() throws(StoreError) -> [String] {
        let copy = openat(directory.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw failure("list", path) }
        guard let stream = fdopendir(copy) else {
            defer { close(copy) }
            throw failure("list", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        guard errno == 0 else { throw failure("list", path) }
        return names
    }

    package func read(_ name: String) throws(StoreError) -> [UInt8]? {
        let file: Int32
        do throws(OnlineError) {
            guard let opened = try directory.openPrivate(name) else { return nil }
            file = opened
        } catch {
            throw StoreError(.unsafe, path: full(name), error.description)
        }
        defer { close(file) }
        errno = 0
        guard let bytes = readAll(file, limit: Self.largest) else {
            if errno == 0 { errno = EFBIG }
            throw failure("read", full(name))
        }
        return bytes
    }

    package func lock(_ name: String) throws(StoreError) -> Lock {
        let lock = try open(name, O_RDWR | O_CREAT, "lock")
        // Who else can open it can hold it.
        if let problem = SecretDirectory.problem(with: lock.descriptor, at: lock.path) {
            throw StoreError(.unsafe, path: lock.path, problem)
        }
        guard retrying({ flock(lock.descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
            guard errno == EWOULDBLOCK else { throw failure("lock", lock.path) }
            throw StoreError(
                .inUse, path: lock.path, "\(lock.path) is locked by another process.")
        }
        return lock
    }

    package func create(_ name: String) throws(StoreError) -> File {
        try open(name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, "make")
    }

    package func append(_ bytes: [UInt8], to file: File) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { rest in
                retrying { write(file.descriptor, rest.baseAddress, rest.count) }
            }
            guard count > 0 else { throw failure("write", file.path) }
            written += count
        }
    }

    package func sync(_ file: File) throws(StoreError) {
        guard fsync(file.descriptor) == 0 else { throw failure("write", file.path) }
    }

    package func rename(_ name: String, to other: String) throws(StoreError) {
        guard renameat(directory.descriptor, name, directory.descriptor, other) == 0 else {
            throw failure("write", full(other))
        }
    }

    package func remove(_ name: String) throws(StoreError) {
        guard unlinkat(directory.descriptor, name, 0) == 0 || errno == ENOENT else {
            throw failure("remove", full(name))
        }
    }

    package func syncDirectory() throws(StoreError) {
        guard fsync(directory.descriptor) == 0 else { throw failure("write", path) }
    }

    /// When a file was last written, in seconds since 1970; `nil` if there is none.
    package func lastWritten(_ name: String) -> Int64? {
        var status = stat()
        guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        return Int64(status.st_mtim.tv_sec)
    }

    private func open(
        _ name: String, _ flags: Int32, _ verb: String
    ) throws(StoreError) -> File {
        let all = flags | O_NOFOLLOW | O_CLOEXEC
        let descriptor = retrying { openat(directory.descriptor, name, all, 0o600) }
        guard descriptor >= 0 else { throw failure(verb, full(name)) }
        return File(descriptor: descriptor, path: full(name))
    }

    private func full(_ name: String) -> String { "\(path)/\(name)" }

    /// What `errno` says, as a sentence.
    private func failure(_ verb: String, _ path: String) -> StoreError {
        let number = errno
        let code: StoreError.Code =
            switch number {
            case ENOSPC, EDQUOT: .full
            case EEXIST: .exists
            case ELOOP, EACCES, EPERM: .unsafe
            default: .failed
            }
        return StoreError(
            code, path: path, "Could not \(verb) \(path): \(systemMessage(number)).")
    }
}
