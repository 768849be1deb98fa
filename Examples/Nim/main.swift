// SPDX-License-Identifier: MIT
// nim DIRECTORY plays with the open game on this network, or opens one and waits;
// nim DIRECTORY HOST:PORT plays with the one there. Type 1, 2 or 3, or anything else to leave.

import MatchEvents
import MatchProtocol
import OnlinePlay
import TurnBasedPlay

let words = CommandLine.arguments
let directory = words[1]
var generator = SystemRandomNumberGenerator()
let target = words.count < 3 ? nil : JoinTarget(words[2], usualPort: 4_243, scheme: "nim")
var configuration = TableConfiguration(
    name: RandomName.make(using: &generator), identity: try Identity.load(directory: directory),
    directory: directory, stateDirectory: directory + "/games", service: "_nim._tcp",
    seeking: target.map { .target($0) } ?? .anyOpen,
    listening: target == nil ? TableConfiguration.Listening() : nil,
    accept: .all, patience: nil, responder: nil)
configuration.usualPort = 4_243

let table = Table<Nim>(configuration, loop: try EventLoop.shared) { event in
    switch event {
    case .hosting(let game): print("waiting at", game.addresses.first ?? "?")
    case .started(let game): print("against \(game.opponent); you are \(game.you):", game.board)
    case .turn(let you, _, _): print(you ? "your turn" : "the other's turn")
    case .moved(_, let mark, let stones, let board): print("\(mark) takes \(stones):", board)
    case .over(let game): print(game.winner ?? "nobody", "wins")
    case .refused(_, let message), .failed(_, let message), .warned(_, let message): print(message)
    default: break
    }
}
// Reading a line blocks a thread, which must not be the loop's.
Task.detached { [table] in
    while let line = readLine(), let number = Int(line) {
        await table.command(.move(square: number))
    }
    await table.command(.quit)
}
print("closed:", await table.run())
