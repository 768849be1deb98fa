// SPDX-License-Identifier: MIT

import Foundation
import MatchEvents
import MatchProtocol
import OnlinePlay
import SessionProtocol
import Testing
import TicTacToe

@testable import TurnBasedPlay

/// A player without a front end: what it was told, and what it does about it.
private final class Bot: Sendable {
    /// Squares to play, in order, whenever it is this player's turn.
    typealias Script = @Sendable (PlayerEvent) -> PlayerCommand?

    let events = Lock<[PlayerEvent]>([])
    let table: Table<Position>

    init(_ configuration: TableConfiguration, loop: EventLoop, script: @escaping Script) {
        let events = events
        let relay = Lock<Table<Position>?>(nil)
        table = Table(configuration, loop: loop) { event in
            events.withLock { $0.append(event) }
            guard let command = script(event), let table = relay.withLock({ $0 }) else { return }
            Task.detached(executorPreference: loop) { await table.command(command) }
        }
        let made = table
        relay.withLock { $0 = made }
    }

    var told: [PlayerEvent] { events.withLock { $0 } }

    var moves: [String] {
        told.compactMap {
            if case .moved(_, let mark, let square, _) = $0 { mark + "\(square)" } else { nil }
        }
    }

    var ends: [GameEnd] {
        told.compactMap { if case .over(let end) = $0 { end } else { nil } }
    }
}

/// Two tables on one loop, over real sockets and TLS, with no discovery.
@Suite struct TableTests {
    private func configuration(
        _ name: String, in directory: String, seeking: TableConfiguration.Seeking,
        listening: TableConfiguration.Listening? = nil
    ) throws -> TableConfiguration {
        var configuration = TableConfiguration(
            name: name, identity: try Identity.ephemeral(), directory: directory + "/" + name,
            stateDirectory: directory + "/" + name + "/games", service: "_tictactoe._tcp",
            seeking: seeking, listening: listening, accept: .all, patience: nil, responder: nil)
        configuration.isAdvertised = false
        return configuration
    }

    /// Plays the first free squares, offers or accepts one more game, then leaves.
    private static func script(_ event: PlayerEvent) -> PlayerCommand? {
        switch event {
        case .turn(true, let ply, _): .move(square: ply)
        case .offered("rematch", .opponent): .accept
        case .over(let end) where end.winner == "O": .quit
        default: nil
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `two tables play a match, store it and leave`() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/table-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let loop = try EventLoop()
        defer { loop.stop() }
        let port = Lock<UInt16>(0)
        let host = Bot(
            try configuration(
                "Ann", in: directory, seeking: .guests,
                listening: TableConfiguration.Listening(port: 0, bind: "127.0.0.1")),
            loop: loop
        ) { event in
            if case .hosting(let hosting) = event { port.withLock { $0 = hosting.port } }
            if case .over = event { return .offer(kind: "rematch") }
            return Self.script(event)
        }
        async let hostEnd = host.table.run()
        while port.withLock({ $0 }) == 0 { await Task.yield() }
        let joiner = Bot(
            try configuration(
                "Bob", in: directory,
                seeking: .target(
                    .address(host: "127.0.0.1", port: port.withLock { $0 }, key: nil))),
            loop: loop
        ) { event in
            if case .started(let start) = event, start.game == 2 { return .quit }
            return Self.script(event)
        }
        let joinerEnd = await joiner.table.run()
        #expect(joinerEnd == .quit)
        await host.table.command(.quit)
        #expect(await hostEnd == .quit)

        // Whoever starts the second game may have moved before the other left.
        #expect(host.moves.prefix(7) == ["X1", "O2", "X3", "O4", "X5", "O6", "X7"])
        #expect(joiner.moves.prefix(7) == host.moves.prefix(7))
        #expect(host.ends.map(\.winner) == ["X"] && joiner.ends.map(\.winner) == ["X"])
        #expect(host.ends.first?.score.you == joiner.ends.first?.score.opponent)
        #expect(host.told.last == .closed(.quit) && joiner.told.last == .closed(.quit))
        #expect(
            host.told.contains {
                if case .link(.lost, "left", _, let silence?) = $0 {
                    silence < 5_000
                } else {
                    false
                }
            })

        let stored = StoredMatches(
            rules: [Position.self],
            cryptography: OpenSSLCryptography(identity: try Identity.ephemeral()))
        for name in ["Ann", "Bob"] {
            let matches = try stored.list(in: "\(directory)/\(name)/games")
            #expect(matches.map(\.game) == [2])
            let seats = matches.compactMap(TableConfiguration.Seeking.init).map {
                if case .match(let match, let seat) = $0 {
                    JournalName(match: match, seat: seat).file
                } else {
                    ""
                }
            }
            #expect(seats == matches.map { "\($0.match).\($0.seat)" })
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `options are part of what both sides must have alike`() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/table-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let loop = try EventLoop()
        defer { loop.stop() }
        let port = Lock<UInt16>(0)
        var hosting = try configuration(
            "Ann", in: directory, seeking: .guests,
            listening: TableConfiguration.Listening(port: 0, bind: "127.0.0.1"))
        hosting.options = [1]
        let host = Bot(hosting, loop: loop) { event in
            if case .hosting(let hosting) = event { port.withLock { $0 = hosting.port } }
            return nil
        }
        async let hostEnd = host.table.run()
        while port.withLock({ $0 }) == 0 { await Task.yield() }
        let joiner = Bot(
            try configuration(
                "Bob", in: directory,
                seeking: .target(
                    .address(host: "127.0.0.1", port: port.withLock { $0 }, key: nil))),
            loop: loop
        ) { _ in nil }
        #expect(await joiner.table.run() == .refused)
        await host.table.command(.quit)
        #expect(await hostEnd == .quit)
        #expect(
            joiner.told.contains {
                if case .refused(_, let message) = $0 { message.contains("game") } else { false }
            })
    }

    @Test func `without hints no program is named`() async throws {
        let bare = try configuration("Ann", in: "/nowhere", seeking: .guests)
        var hinting = bare
        hinting.hints.nobody = "'nim host' opens one."
        hinting.hints.code = "Join with --code."
        let loop = try EventLoop()
        defer { loop.stop() }
        let refusal = Lobby.Failure.refused(Refusal(.codeNeeded))
        let tables = [bare, hinting].map { Table<Position>($0, loop: loop) { _ in } }
        var told: [PlayerEvent] = []
        for table in tables {
            told += [await table.event(for: .nobody), await table.event(for: refusal)]
        }
        let none = "No open game was found on this network."
        #expect(
            told == [
                .failed(code: "nobody", message: none),
                .refused(
                    code: "code",
                    message: "This game is played with a code, which the host's screen shows."),
                .failed(code: "nobody", message: none + " 'nim host' opens one."),
                .refused(code: "code", message: "Join with --code."),
            ])
    }

    @Test(.timeLimit(.minutes(2)))
    func `an address where nobody listens ends the table with its reason`() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/table-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let loop = try EventLoop()
        defer { loop.stop() }
        let bot = Bot(
            try configuration(
                "Bob", in: directory,
                seeking: .target(.address(host: "127.0.0.1", port: 1, key: nil))),
            loop: loop
        ) { _ in nil }
        #expect(await bot.table.run() == .unavailable)
        guard case .failed("unreachable", let message)? = bot.told.first else {
            Issue.record("\(bot.told)")
            return
        }
        #expect(message.contains("127.0.0.1"))
        #expect(bot.told.last == .closed(.failed))
    }
}
