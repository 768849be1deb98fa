// SPDX-License-Identifier: MIT
// The examples in the comments of the libraries, so that they are compiled; scripts/lint-sources
// compares them.

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol
import TurnBasedPlay

func connecting() async throws {
    let me = try Identity.load(directory: "/home/ann/.config/game")
    let hello = Hello(
        application: "game", applicationVersions: VersionRange(1, 1), name: "Ann",
        instance: .random())
    let session = try await OnlineSession.connect(
        to: "10.0.0.7", port: 4_242, security: .identity(me), hello: hello)
    try await session.send(Array("hello".utf8))
    for try await packet in session.packets { print(packet.bytes) }
    await session.close()
}

func listening() async throws {
    let me = try Identity.load(directory: "/home/ann/.config/game")
    let hello = Hello(
        application: "game", applicationVersions: VersionRange(1, 1), name: "Ann",
        instance: .random())
    let listener = try OnlineListener(port: 4_242, security: .identity(me), hello: hello)
    await listener.run(limit: 64) { session in
        while let packet = try await session.next() { try await session.send(packet.bytes) }
    }
}

func looping() async throws {
    let loop = try EventLoop()
    await withTaskExecutorPreference(loop) {
        print("on the loop's thread, also after an await")
    }
}

func identifying() throws {
    let me = try Identity.load(directory: "/home/ann/.config/game")
    print(me.fingerprint)
}

func moving() throws {
    let move = try OutgoingIdentity(directory: "/home/ann/.config/game")
    try move.write(to: "key.pem", passphrase: Array("correct horse".utf8))
    try move.finish()
}

func discovering() async {
    let discovery = ServiceDiscovery(type: "_nim._tcp", fallback: "/usr/libexec/ttt/ttt-mdns")
    discovery.browse(true)
    for await event in discovery.events { print(event) }
}

func playing<Nim: BoardGame>(_: Nim.Type, _ configuration: TableConfiguration) async throws {
    let table = Table<Nim>(configuration, loop: try EventLoop.shared) { event in print(event) }
    async let end = table.run()
    await table.command(.move(square: 2))
    print(await end)
}

func listingMatches<Nim: BoardGame>(_: Nim.Type, _ me: Identity) throws {
    let stored = StoredMatches(
        rules: [Nim.self], cryptography: OpenSSLCryptography(identity: me))
    for match in try stored.list(in: "/home/ann/.local/state/nim") where match.problem == nil {
        print(match.opponent ?? "?", match.state)
    }
}

func limiting(_ me: Identity, _ hello: Hello) throws -> OnlineListener {
    var limits = OnlineLimits()
    limits.session.silence = 5_000
    limits.session.windowPackets = 64
    limits.strangersPerAddress = 16
    return try OnlineListener(security: .identity(me), hello: hello, limits: limits)
}
