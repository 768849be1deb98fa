// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import SessionProtocol

/// A process for tests that need one of its own:
///
///     echo-peer listen         echoes over plaintext; prints its port first
///     echo-peer id DIRECTORY   prints the fingerprint of the identity there
@main struct EchoPeer {
    static func main() async throws {
        let words = CommandLine.arguments
        if words.count == 3, words[1] == "id" {
            print(try Identity.load(directory: words[2]).fingerprint)
        } else if words == [words[0], "listen"] {
            try await listen()
        } else {
            exit(64)
        }
    }

    static func listen() async throws {
        let hello = Hello(
            application: "test", applicationVersions: VersionRange(1, 3), name: "echo",
            instance: InstanceID(value: 7))
        let listener = try OnlineListener(security: .plaintext, hello: hello)
        let line = "\(listener.port)\n"
        _ = write(1, line, line.utf8.count)
        await listener.run(limit: 1_000) { session in
            while let packet = try await session.next() { try await session.send(packet.bytes) }
        }
    }
}
