// SPDX-License-Identifier: MIT
// echo DIRECTORY PORT waits for peers; echo DIRECTORY PORT HOST says hello to one.

import OnlinePlay
import SessionProtocol

let words = CommandLine.arguments
let me = try Identity.load(directory: words[1])
let port = UInt16(words[2]) ?? 4_242
let hello = Hello(
    application: "echo", applicationVersions: VersionRange(1, 1), name: "Ann", instance: .random())

if words.count > 3 {
    let session = try await OnlineSession.connect(
        to: words[3], port: port, security: .identity(me), hello: hello)
    try await session.send(Array("hello".utf8))
    if let packet = try await session.next() {
        print(String(decoding: packet.bytes, as: UTF8.self))
    }
    await session.close()
} else {
    let listener = try OnlineListener(port: port, security: .identity(me), hello: hello)
    await listener.run { session in
        while let packet = try await session.next() { try await session.send(packet.bytes) }
    }
}
