// SPDX-License-Identifier: MIT

public import MatchProtocol

extension Verdict {
    /// The verdict as one JSON object in one line; `fingerprint` writes a public key.
    public func jsonLine(fingerprint: ([UInt8]) -> String) -> String {
        var object = JSONObject()
        switch self {
        case .authentic(let record):
            object.set("verdict", "authentic")
            object.add(record, fingerprint)
        case .forked(let fork):
            object.set("verdict", "forked")
            object.set("seat", Int(fork.seat.rawValue))
            object.set("key", fingerprint(fork.publicKey))
            object.set("number", Int(clamping: fork.number))
            object.set("lines", fork.lines.map { String(decoding: $0, as: UTF8.self) })
        case .refused(let refusal):
            object.set("verdict", "refused")
            object.set("file", refusal.file + 1)
            object.set("line", refusal.line)
            object.set("message", refusal.reason)
        }
        return object.line
    }
}

extension JSONObject {
    fileprivate mutating func add(_ record: Record, _ fingerprint: ([UInt8]) -> String) {
        set("match", String(decoding: Hex.encoded(record.match), as: UTF8.self))
        set("rules", record.rules.name)
        set("version", Int(record.rules.version))
        set("options", String(decoding: Hex.encoded(record.options), as: UTF8.self))
        for seat in Seat.allCases {
            var player = JSONObject()
            player.set("seat", Int(seat.rawValue))
            player.set("name", record.player(seat).name)
            player.set("key", fingerprint(record.player(seat).publicKey))
            player.set("wins", record.wins(of: seat))
            append("players", player)
        }
        set("draws", record.draws)
        for game in record.games { append("games", JSONObject(game)) }
        set("finished", record.isFinished)
        set("cut", record.isCut)
    }

    private init(_ game: RecordedGame) {
        self.init()
        set("game", Int(game.number))
        set("first", Int(game.first.rawValue))
        for move in game.moves {
            var object = JSONObject()
            object.set("ply", Int(move.ply))
            object.set("seat", Int(move.by.rawValue))
            object.set("action", String(decoding: move.action, as: UTF8.self))
            if let square = move.square { object.set("square", square) }
            if let mark = move.mark { object.set("mark", mark) }
            append("moves", object)
        }
        set("board", game.board)
        set("outcome", game.result.map { $0.outcome == .draw ? "draw" : "win" })
        if case .win(let seat)? = game.result?.outcome { set("winner", Int(seat.rawValue)) }
        set("termination", game.result?.termination)
        set("endedBy", game.endedBy.map { Int($0.rawValue) })
        set("finished", game.isFinished)
    }
}
