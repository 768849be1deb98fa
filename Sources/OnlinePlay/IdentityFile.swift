// SPDX-License-Identifier: MIT

import Glibc

/// The file with the 32-byte seed of a player's key.
struct IdentityFile: ~Copyable {
    private static let name = "identity"
    private let directory: SecretDirectory

    init(directory: String) throws(OnlineError) {
        self.directory = try SecretDirectory(path: directory)
    }

    /// The seed, made up if there is no file yet.
    func seed() throws(OnlineError) -> [UInt8] {
        if let seed = try read() { return seed }
        let temporary = try directory.writeTemporary(randomBytes(32), for: Self.name)
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
        if let seed = try read() { return seed }
        throw OnlineError(.secrets, "\(path) vanished while it was being made; try again.")
    }

    private var path: String { "\(directory.path)/\(Self.name)" }

    private func read() throws(OnlineError) -> [UInt8]? {
        guard let file = try directory.openPrivate(Self.name) else { return nil }
        defer { close(file) }
        guard let seed = readAll(file, limit: 32), seed.count == 32 else {
            throw OnlineError(
                .secrets,
                "\(path) is damaged: it must have 32 bytes. "
                    + "Put a copy back, or move it away to become somebody new.")
        }
        return seed
    }
}
