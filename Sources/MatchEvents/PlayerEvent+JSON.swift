// SPDX-License-Identifier: MIT

import MatchProtocol

extension PlayerEvent {
    /// The event as one line of JSON, ASCII only, without a line end; `nil` for ``sending(square:)``.
    ///
    /// `event` comes first and names the case; the fields are those of the manual, in its order.
    public var jsonLine: String? {
        if case .sending = self { return nil }
        var object = JSONObject()
        object.set("event", jsonName)
        switch self {
        case .hosting(let hosting):
            object.set("name", hosting.name)
            object.set("port", Int(hosting.port))
            object.set("addresses", hosting.addresses)
            object.set("key", hosting.key)
            object.set("discovery", hosting.discovery)
            object.set("code", hosting.code)
        case .found(let game), .gone(let game):
            object.set("id", game.id)
            object.set("name", game.name)
            object.set("key", game.key)
            object.set("addresses", game.addresses)
            if let resembles = game.resembles { object.set("resembles", resembles) }
        case .asking(let id, let name, let key):
            object.set("id", id)
            object.set("name", name)
            object.set("key", key)
        case .challenged(let by, let key, let known):
            object.set("by", by)
            object.set("key", key)
            object.set("known", known)
        case .started(let start):
            object.set("match", start.match)
            object.set("game", start.game)
            object.set("you", start.you)
            object.set("opponent", start.opponent)
            object.set("key", start.key)
            object.set("known", start.known)
            object.set("compare", start.compare)
            object.set("board", start.board)
            object.set("resumed", start.resumed != nil)
            if let earlier = start.resumed {
                object.set("moves", earlier.moves)
                object.set("score", earlier.score.json)
            }
            if let clock = start.clock { object.set("clock", clock.json) }
        case .turn(let you, let ply, let left):
            object.set("you", you)
            object.set("ply", ply)
            if let left { object.set("left", left.json) }
        case .moved(let ply, let mark, let square, let board):
            object.set("ply", ply)
            object.set("mark", mark)
            object.set("square", square)
            object.set("board", board)
        case .sending: break
        case .kept(let wish): object.set("what", wish)
        case .link(let state, let reason, let left, let silence):
            object.set("state", state.rawValue)
            object.set("reason", reason)
            if let left { object.set("left", left.json) }
            if let silence { object.set("silence", Int(clamping: silence)) }
        case .timeUp(let side): object.set("of", side.rawValue)
        case .claimed(let side), .claimDeclined(let side): object.set("by", side.rawValue)
        case .offered(let kind, let by):
            object.set("kind", kind)
            object.set("by", by.rawValue)
        case .answered(let kind, let accepted):
            object.set("kind", kind)
            object.set("accepted", accepted)
        case .said(let by, let text):
            object.set("by", by.rawValue)
            object.set("text", text)
        case .over(let end):
            object.set("outcome", end.outcome)
            object.set("winner", end.winner)
            object.set("termination", end.termination)
            object.set("score", end.score.json)
        case .refused(let code, let message), .warned(let code, let message),
            .failed(let code, let message):
            object.set("code", code)
            object.set("message", message)
        case .closed(let reason):
            object.set("reason", reason.rawValue)
        }
        return object.line
    }

    private var jsonName: String {
        switch self {
        case .hosting: "hosting"
        case .found: "found"
        case .gone: "gone"
        case .asking: "asking"
        case .challenged: "challenged"
        case .started: "started"
        case .turn: "turn"
        case .moved: "move"
        case .sending: "sending"
        case .kept: "kept"
        case .link: "link"
        case .timeUp: "timeUp"
        case .claimed: "claimed"
        case .claimDeclined: "claimDeclined"
        case .offered: "offer"
        case .answered: "answered"
        case .said: "said"
        case .over: "over"
        case .refused: "refused"
        case .warned: "warning"
        case .failed: "error"
        case .closed: "closed"
        }
    }
}

extension MoveClock {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("seconds", Int(seconds))
        object.set("increment", Int(increment))
        return object
    }
}

extension TimeLeft {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("you", Int(clamping: you))
        object.set("opponent", Int(clamping: opponent))
        return object
    }
}

extension GameEnd {
    /// `win`, `draw` or `none`.
    public var outcome: String { winner != nil ? "win" : isDraw ? "draw" : "none" }
}

extension Score {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("you", you)
        object.set("opponent", opponent)
        object.set("draws", draws)
        return object
    }
}
