// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import OnlinePlay

@Suite struct IdentityMoveTests {
    private let passphrase = Array("correct horse battery".utf8)

    /// Runs `body` with an old and a new home and a file between them; says whose key is in the old.
    private func withHomes(
        _ body: (_ old: String, _ new: String, _ file: String, Fingerprint) throws -> Void
    ) throws {
        let directory = NSTemporaryDirectory() + "identity-move-\(UInt64.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let old = directory + "/old"
        let fingerprint = try Identity.load(directory: old).fingerprint
        try body(old, directory + "/new", directory + "/key.pem", fingerprint)
    }

    private func moveOut(_ old: String, _ file: String) throws {
        let move = try OutgoingIdentity(directory: old)
        try move.write(to: file, passphrase: passphrase)
        try move.finish()
    }

    /// Expects an error with this code.
    private func expect(
        _ code: OnlineError.Code, at location: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: OnlineError.self, sourceLocation: location) { try body() }
        #expect(error?.code == code, sourceLocation: location)
    }

    @Test func `an identity moves, and is then in one place`() throws {
        try withHomes { old, new, file, me in
            try moveOut(old, file)
            #expect(access(old + "/identity", F_OK) != 0)
            #expect(Identity.moved(in: file) == me)
            let (fingerprint, isRemoved) = try Identity.takeIn(
                from: file, to: new, passphrase: passphrase)
            #expect(fingerprint == me && isRemoved)
            #expect(access(file, F_OK) != 0)
            #expect(try Identity.load(directory: new).fingerprint == me)
            #expect(try Identity.load(directory: old).fingerprint != me)
        }
    }

    @Test func `the file tells nothing without the passphrase, and only its owner reads it`()
        throws
    {
        try withHomes { old, new, file, _ in
            let seed = try Data(contentsOf: URL(filePath: old + "/identity"))
            try moveOut(old, file)
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let text = try Data(contentsOf: URL(filePath: file))
            #expect(text.range(of: seed) == nil)
            #expect(String(decoding: text, as: UTF8.self).contains("ENCRYPTED PRIVATE KEY"))
            expect(.wrongPassphrase) {
                _ = try Identity.takeIn(from: file, to: new, passphrase: Array("wrong".utf8))
            }
            #expect(access(new + "/identity", F_OK) != 0 && access(file, F_OK) == 0)
        }
    }

    @Test func `an identity in use is not moved`() throws {
        try withHomes { old, _, file, me in
            let inUse = try Identity.load(directory: old)
            expect(.inUse) { _ = try OutgoingIdentity(directory: old) }
            #expect(inUse.fingerprint == me)
        }
        try withHomes { old, _, file, me in
            let move = try OutgoingIdentity(directory: old)
            expect(.inUse) { _ = try Identity.load(directory: old) }
            try move.write(to: file, passphrase: passphrase)
        }
    }

    @Test func `until it is finished nothing is gone, and a file is never replaced`() throws {
        try withHomes { old, _, file, me in
            _ = FileManager.default.createFile(atPath: file, contents: Data("mine".utf8))
            for path in [file, file + "/none/key.pem", old] {
                expect(.secrets) {
                    let move = try OutgoingIdentity(directory: old)
                    try move.write(to: path, passphrase: passphrase)
                }
            }
            let left = try String(contentsOfFile: file, encoding: .utf8)
            #expect(left == "mine")
            #expect(try Identity.load(directory: old).fingerprint == me)
        }
        try withHomes { old, _, file, me in
            do {
                let move = try OutgoingIdentity(directory: old)
                try move.write(to: file, passphrase: passphrase)
            }
            // As if it had been killed here.
            let again = try Identity.load(directory: old)
            #expect(again.fingerprint == me)
            #expect(Identity.moved(in: file) == me)
        }
    }

    @Test func `another identity is not overwritten, and the same one is no other`() throws {
        try withHomes { old, new, file, me in
            let other = try Identity.load(directory: new).fingerprint
            try moveOut(old, file)
            expect(.otherIdentity) {
                _ = try Identity.takeIn(from: file, to: new, passphrase: passphrase)
            }
            #expect(access(file, F_OK) == 0)
            #expect(try Identity.load(directory: new).fingerprint == other)
            _ = try Identity.takeIn(from: file, to: old, passphrase: passphrase)
            #expect(try Identity.load(directory: old).fingerprint == me)
        }
    }

    @Test func `who has no identity moves none, and makes none up`() throws {
        try withHomes { _, new, _, _ in
            expect(.secrets) { _ = try OutgoingIdentity(directory: new) }
            let files = try FileManager.default.contentsOfDirectory(atPath: new)
            #expect(files.isEmpty)
        }
    }

    @Test func `a file that is none, or was changed, is refused`() throws {
        try withHomes { old, new, file, _ in
            try moveOut(old, file)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let other = try #require(Fingerprint(publicKey: [UInt8](repeating: 7, count: 32)))
            let said = try #require(Identity.moved(in: file)).description
            for (number, changed) in [
                "", "nothing", text.replacingOccurrences(of: "ENCRYPTED ", with: ""),
                String(text.dropLast(60)),
                text.replacingOccurrences(of: said, with: other.description),
                String(repeating: "x", count: 20_000),
            ].enumerated() {
                let bad = file + "\(number)"
                try changed.write(toFile: bad, atomically: false, encoding: .utf8)
                expect(.secrets) {
                    _ = try Identity.takeIn(from: bad, to: new, passphrase: passphrase)
                }
            }
            #expect(access(new + "/identity", F_OK) != 0)
        }
    }

    @Test func `no changed bit makes it another key`() throws {
        let seed = [UInt8](repeating: 5, count: 32)
        let sealed = try #require(SealedKey.seal(seed, passphrase, words: "A key."))
        let end = try #require(sealed.lastIndex(of: UInt8(ascii: "-")))
        for _ in 0..<20 {
            var changed = sealed
            let index = Int.random(in: 250..<(end - 40))
            changed[index] = changed[index] == 65 ? 66 : 65
            if let opened = try? SealedKey.open(changed, passphrase) { #expect(opened == seed) }
        }
    }

    /// Made by `openssl pkcs8` under the same passphrase, with what could as well take hours.
    @Test(arguments: [
        """
        MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj6tWwrgFq8tAICA+gw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDFkmFx18h1SHsXGqYx3/UoEQIaa
        dgr7EcjsXtxiIhex3ZMLDiDzfFMswMOKTZ7OXCS4QQFtQ3IoNNN2FIch7rEac8V8
        TIiu/KUA0r9sMyBQwag=
        """,
        """
        MIGTME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAi3AgTT96fjsQICQAAC
        AQgCAQYwHQYJYIZIAWUDBAEqBBBwrpBcAmast7/MY+XsBtiMBECdPiwGT0zcT5s1
        VDkLenA5CLWAhVqox1TO9lWVVg6kvOE8JDVv29nR4Qzu8uf4RH3KK4/vq/0ZMKgz
        DoG9wWAh
        """,
    ])
    func `a key that was sealed in another way is not opened`(_ base64: String) throws {
        let label = "ENCRYPTED PRIVATE KEY-----"
        let text = "-----BEGIN \(label)\n\(base64)\n-----END \(label)\n"
        do {
            _ = try SealedKey.open(Array(text.utf8), passphrase)
            Issue.record("It was opened.")
        } catch {
            guard case .noKey = error else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
