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
private final class Bot<G: BoardGame>: Sendable {
    /// Squares to play, in order, whenever it is this player's turn.
    typealias Script = @Sendable (PlayerEvent) -> PlayerCommand?

    let events = Lock<[PlayerEvent]>([])
    let table: Table<G>

    init(
        _ configuration: TableConfiguration, of game: G.Type = Position.self, loop: EventLoop,
        script: @escaping Script
    ) {
        let events = events
        let relay = Lock<Table<G>?>(nil)
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

/// Tic-tac-toe with the squares in its options played already.
private struct Begun: BoardGame {
    static let rules = RulesID(name: "begun", version: 1)
    private var position = Position()

    init(options: [UInt8], seed: [UInt8]) throws(InvalidOptions) {
        do throws(IllegalAction) {
            for (ply, number) in options.enumerated() {
                guard let square = Square(number: Int(number)) else { continue }
                try position.apply(square, by: ply.isMultiple(of: 2) ? .first : .second)
            }
        } catch {
            throw InvalidOptions(reason: error.reason)
        }
    }

    var turn: Turn { position.turn }
    mutating func apply(_ action: Square, by seat: Seat) throws(IllegalAction) {
        try position.apply(action, by: seat)
    }
    var termination: String { position.termination }
    var board: String { position.board }
    static func mark(of seat: Seat) -> String { Position.mark(of: seat) }
    static func action(square number: Int) -> Square? { Square(number: number) }
    static func square(of action: Square) -> Int { action.number }
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
            #expect(try stored.list(in: "\(directory)/nobody").isEmpty)
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/nobody"))
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

    @Test(.timeLimit(.minutes(2)), arguments: [[5], []])
    func `options set both sides' games up, and must be alike`(_ joinersOptions: [UInt8])
        async throws
    {
        let directory = FileManager.default.temporaryDirectory.path + "/table-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let loop = try EventLoop()
        defer { loop.stop() }
        let port = Lock<UInt16>(0)
        var hosting = try configuration(
            "Ann", in: directory, seeking: .guests,
            listening: TableConfiguration.Listening(port: 0, bind: "127.0.0.1"))
        hosting.options = [5]
        let host = Bot(hosting, of: Begun.self, loop: loop) { event in
            if case .hosting(let hosting) = event { port.withLock { $0 = hosting.port } }
            return nil
        }
        async let hostEnd = host.table.run()
        while port.withLock({ $0 }) == 0 { await Task.yield() }
        var joining = try configuration(
            "Bob", in: directory,
            seeking: .target(.address(host: "127.0.0.1", port: port.withLock { $0 }, key: nil)))
        joining.options = joinersOptions
        let joiner = Bot(joining, of: Begun.self, loop: loop) { event in
            if case .started = event { .quit } else { nil }
        }
        #expect(await joiner.table.run() == (joinersOptions == [5] ? .quit : .refused))
        await host.table.command(.quit)
        _ = await hostEnd
        let boards = joiner.told.compactMap {
            if case .started(let start) = $0 { start.board } else { nil }
        }
        #expect(boards == (joinersOptions == [5] ? ["....X...."] : []))
    }

    @Test(arguments: [[1], [UInt8](repeating: 1, count: 257)])
    func `options that the game does not take end the table at once`(_ options: [UInt8])
        async throws
    {
        var wrong = try configuration("Ann", in: "/nowhere", seeking: .guests)
        wrong.directory = nil
        wrong.options = options
        let loop = try EventLoop()
        defer { loop.stop() }
        let bot = Bot(wrong, loop: loop) { _ in nil }
        #expect(await bot.table.run() == .unavailable)
        guard case .failed("options", _)? = bot.told.first else {
            Issue.record("\(bot.told)")
            return
        }
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
