// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import OnlinePlay
import Testing

@Suite struct IdentityTests {
    @Test func `an identity is made once and read ever after`() async throws {
        try await withTemporaryDirectory { directory in
            let inner = directory + "/not/there/yet"
            let first = try Identity.load(directory: inner)
            let again = try Identity.load(directory: inner)
            #expect(first.fingerprint == again.fingerprint)
            #expect(try mode(inner + "/identity") == 0o600)
            #expect(try mode(inner) == 0o700)
            #expect(try mode(directory + "/not") == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: inner) == ["identity"])
        }
    }

    @Test func `eight processes that start at once have one key`() async throws {
        try await withTemporaryDirectory { directory in
            let programs = try (0..<8).map { _ in
                try Program("echo-peer", ["id", directory + "/config"])
            }
            var lines: Set<String> = []
            for program in programs { lines.insert(await program.line()) }
            #expect(lines.count == 1)
            #expect(lines.first?.utf8.count == 52)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory + "/config")
            #expect(files == ["identity"])
            for program in programs { program.kill() }
        }
    }

    @Test func `a key that others can read is refused, with the remedy`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try Identity.load(directory: directory)
            chmod(directory + "/identity", 0o640)
            try check(directory, says: "chmod 600 '\(directory)/identity'")
        }
    }

    @Test(arguments: [0o777, 0o755, 0o750, 0o711, 0o701] as [mode_t])
    func `a directory that is open to others is refused, with the remedy`(_ mode: mode_t)
        async throws
    {
        try await withTemporaryDirectory { directory in
            chmod(directory, mode)
            try check(directory, says: "chmod 700 '\(directory)'")
            chmod(directory, 0o700)
        }
    }

    @Test func `a symbolic link, a directory and a damaged file are refused`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/identity"
            symlink("/etc/hostname", file)
            try check(directory, says: "symbolic link")
            unlink(file)
            mkdir(file, 0o700)
            try check(directory, says: "not a plain file")
            rmdir(file)
            for size in [0, 31, 33, 10_000] {
                _ = FileManager.default.createFile(
                    atPath: file, contents: Data(repeating: 1, count: size),
                    attributes: [.posixPermissions: 0o600])
                try check(directory, says: "\(file) is damaged")
            }
        }
    }

    @Test func `a directory's name may begin with a combining mark`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try Identity.load(directory: directory + "/\u{301}a/\u{301}b")
            #expect(try mode(directory + "/\u{301}a") == 0o700)
        }
    }

    @Test func `a place that cannot be written is an error that names it`() throws {
        try check("/proc/nowhere", says: "/proc/nowhere")
    }

    @Test func `a fingerprint is written and read as 52 letters`() throws {
        let identity = try Identity.ephemeral()
        let text = identity.fingerprint.description
        #expect(text.utf8.count == 52)
        #expect(Fingerprint(parsing: text) == identity.fingerprint)
        #expect(Fingerprint(parsing: text.uppercased()) == identity.fingerprint)
        #expect(Fingerprint(publicKey: identity.publicKey) == identity.fingerprint)
        #expect(identity.fingerprint.tag == text.prefix(4))
        let zeros = try #require(Fingerprint([UInt8](repeating: 0, count: 32)))
        #expect(zeros.description == String(repeating: "a", count: 52))
        let ones = try #require(Fingerprint([UInt8](repeating: 255, count: 32)))
        #expect(ones.description == String(repeating: "7", count: 51) + "q")
        for wrong in [
            "", String(text.dropLast()), text + "a", "1" + text.dropFirst(),
            String(repeating: "7", count: 52),
        ] {
            #expect(Fingerprint(parsing: wrong) == nil)
        }
    }

    @Test func `signatures are Ed25519's: alike for alike, 64 bytes`() throws {
        let identity = try Identity.ephemeral()
        let signature = try #require(identity.sign([1, 2, 3]))
        #expect(signature.count == 64)
        #expect(identity.sign([1, 2, 3]) == signature)
        #expect(identity.sign([1, 2]) != signature)
    }

    private func check(_ directory: String, says text: String) throws {
        let error = #expect(throws: OnlineError.self) { try Identity.load(directory: directory) }
        #expect(error?.code == .secrets)
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }

    private func mode(_ path: String) throws -> UInt32 {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }
}
