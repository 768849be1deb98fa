// SPDX-License-Identifier: MIT

import Glibc

/// A directory that holds a user's secrets: nobody else may get at what is in it, not even at a
/// file's name, for who can open a file can lock it.
package struct SecretDirectory: ~Copyable, Sendable {
    /// Where it is.
    package let path: String
    /// The open directory, for the system calls that take one; closed with the value.
    package let descriptor: Int32

    /// Opens the directory, making it and its parents, durably and with mode 0700, if need be.
    ///
    /// - Throws: ``OnlineError`` with code `secrets` if it is not there or not the user's alone.
    package init(path: String) throws(OnlineError) {
        let reason = try Self.make(path)
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if opened < 0, errno == ENOENT, reason != 0 {
            throw OnlineError(.secrets, "\(path) cannot be made: \(systemMessage(reason)).")
        }
        try self.init(path: path, opened: opened)
    }

    /// Opens the directory; `nil` if there is none.
    ///
    /// - Throws: ``OnlineError`` with code `secrets` if it cannot be read or is not the user's alone.
    package static func existing(_ path: String) throws(OnlineError) -> SecretDirectory? {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if opened < 0, errno == ENOENT { return nil }
        return try SecretDirectory(path: path, opened: opened)
    }

    /// Takes over what `open` gave, and checks whose it is.
    private init(path: String, opened: Int32) throws(OnlineError) {
        // Once both properties are set, a throw runs deinit, which closes the descriptor.
        self.path = path
        descriptor = opened
        guard descriptor >= 0 else {
            throw OnlineError(.secrets, "\(path) cannot be opened: \(systemMessage(errno)).")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw OnlineError(.secrets, "\(path) belongs to another user; use one of your own.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw OnlineError(.secrets, "\(path) is open to others; run: chmod 700 '\(path)'")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Opens a file in the directory for reading and checks that it is private; `nil` if there
    /// is none. The caller closes the descriptor.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`.
    package func openPrivate(_ name: String) throws(OnlineError) -> Int32? {
        let file = openat(descriptor, name, O_RDONLY | Self.safely)
        if file < 0, errno == ENOENT { return nil }
        return try checked(file, name)
    }

    /// Opens a file in the directory that is there to be locked, making it if there is none. The
    /// lock lasts until the caller closes the descriptor.
    ///
    /// Never the directory: to lock a thing it is enough to have it open for reading, so what is
    /// locked must be what nobody else can open.
    ///
    /// - Throws: ``OnlineError`` with code `secrets`.
    func openLock(_ name: String) throws(OnlineError) -> Int32 {
        try checked(openat(descriptor, name, O_RDWR | O_CREAT | Self.safely, 0o600), name)
    }

    private static let safely = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK

    /// What `open` gave, if it is a private file.
    private func checked(_ file: Int32, _ name: String) throws(OnlineError) -> Int32 {
        let full = "\(path)/\(name)"
        guard file >= 0 else {
            if errno == ELOOP {
                throw OnlineError(
                    .secrets, "\(full) is a symbolic link; put the file itself there.")
            }
            throw OnlineError(.secrets, "\(full) cannot be opened: \(systemMessage(errno)).")
        }
        if let problem = Self.problem(with: file, at: full) {
            close(file)
            throw OnlineError(.secrets, problem)
        }
        return file
    }

    /// Why an open file is not private, with the remedy; `nil` if it is.
    package static func problem(with file: Int32, at path: String) -> String? {
        var status = stat()
        if fstat(file, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
            return "\(path) is not a plain file; move it away."
        }
        if status.st_uid != geteuid() { return "\(path) belongs to another user; move it away." }
        guard status.st_mode & 0o077 == 0 else {
            return "\(path) is open to others; run: chmod 600 '\(path)'"
        }
        return nil
    }

    /// Writes a new file under a name that nobody else uses, to be linked or renamed into place.
    func writeTemporary(_ bytes: [UInt8], for name: String) throws(OnlineError) -> String {
        let suffix = randomBytes(8).map { String($0, radix: 16) }.joined()
        let temporary = ".\(name).\(suffix)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = openat(descriptor, temporary, flags, 0o600)
        guard file >= 0 else {
            throw OnlineError(
                .secrets, "\(path)/\(name) cannot be written: \(systemMessage(errno)).")
        }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                retrying {
                    write(file, buffer.baseAddress.map { $0 + written }, bytes.count - written)
                }
            }
            guard count > 0 else { throw failure(removing: temporary, for: name) }
            written += count
        }
        guard fsync(file) == 0 else { throw failure(removing: temporary, for: name) }
        return temporary
    }

    private func failure(removing temporary: String, for name: String) -> OnlineError {
        let text = systemMessage(errno)
        unlinkat(descriptor, temporary, 0)
        return OnlineError(.secrets, "\(path)/\(name) cannot be written: \(text).")
    }

    /// Makes what is missing of a path; gives the error number of the first directory that could
    /// neither be made nor was there, which may be a reason that there is none, or 0.
    private static func make(_ path: String) throws(OnlineError) -> Int32 {
        var reason: Int32 = 0
        var index = path.startIndex
        while index < path.endIndex {
            // By bytes, as the system does it: a name may begin with a combining mark.
            let rest = path.utf8[index...].dropFirst()
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            let failed = try makeOne(path[..<end], in: path[..<index])
            // Some file systems refuse what is there; then the next one is there, or can be made.
            reason = failed == 0 || reason == 0 ? failed : reason
            index = end
        }
        return reason
    }

    /// Makes one directory if it is not there; a new one is made durable in its parent. Gives why
    /// it could not be made, or 0 if it is there.
    private static func makeOne(
        _ path: Substring, in parent: Substring
    ) throws(OnlineError) -> Int32 {
        guard mkdir(String(path), 0o700) == 0 else { return errno == EEXIST ? 0 : errno }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let name = parent.isEmpty ? (isAbsolute ? "/" : ".") : String(parent)
        let directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(directory) }
        guard directory >= 0, fsync(directory) == 0 else {
            let reason = systemMessage(errno)
            // What may be gone tomorrow must not be taken for made.
            rmdir(String(path))
            throw OnlineError(.secrets, "\(path) cannot be made: \(reason).")
        }
        return 0
    }
}

/// The bytes of an open file from its beginning; `nil` if it cannot be read or there are more than
/// `limit`.
package func readAll(_ file: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= limit {
        let count = retrying { read(file, &chunk, chunk.count) }
        if count < 0 { return nil }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
    return nil
}
