// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import MatchEvents
import OnlinePlay
import TerminalUI
import TurnBasedPlay

/// `ttt list`.
struct ListCommand {
    /// How long to look, in milliseconds.
    private static let time: UInt64 = 2_000

    private let options: Options
    private let isUTF8: Bool

    init(_ options: Options, isUTF8: Bool) {
        self.options = options
        self.isUTF8 = isUTF8
    }

    func run() throws(Failure) -> Int32 {
        let settings = try Settings()
        let (directory, ownName) = (settings.directory, settings.keptName)
        let result = wait { () async -> Result<[FoundGame], OnlineError> in
            do throws(OnlineError) {
                return .success(
                    try await OpenGames.find(
                        service: Settings.service, directory: directory,
                        responder: Settings.responder, ownName: ownName,
                        milliseconds: Self.time, loop: try EventLoop.shared))
            } catch {
                return .failure(error)
            }
        }
        let games: [FoundGame]
        do throws(OnlineError) {
            games = try result.get()
        } catch {
            throw Failure(error)
        }
        for game in games {
            if options.has(.json) {
                if let line = PlayerEvent.found(game).jsonLine { try Output.put(line) }
            } else {
                let name = label(name: display(game.name, columns: 40, utf8: isUTF8), key: game.key)
                try Output.put("\(name)  \(game.addresses.joined(separator: "  "))")
                if let caution = warning(of: game) { try Output.put("  Careful, it \(caution)") }
            }
        }
        guard !games.isEmpty else {
            throw Failure(
                """
                No open game was found on this network. 'ttt host' opens one; where multicast \
                is blocked, 'ttt join ADDRESS' works without it.
                """, .unavailable)
        }
        return 0
    }
}

/// Runs `body` and waits for it: for commands that do one thing and end.
private func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let mailbox = eventfd(0, Int32(EFD_CLOEXEC))
    let result = Lock<Value?>(nil)
    Task.detached {
        let value = await body()
        result.withLock { $0 = value }
        var one: UInt64 = 1
        write(mailbox, &one, 8)
    }
    while true {
        var count: UInt64 = 0
        read(mailbox, &count, 8)
        if let value = result.withLock({ $0 }) { return value }
    }
}
