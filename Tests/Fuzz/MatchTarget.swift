// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// The first byte says where the match stands. What follows are lines, each an input of the
/// engine: its first letter says which.
func fuzzMatch(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var run = MatchRun(start: input.byte())
    _ = input.line()
    run.input(.begin)
    while !input.isEmpty {
        let line = input.line()
        guard let letter = line.first else { continue }
        run.step(letter, Array(line.dropFirst()))
    }
    run.milliseconds += 10_000_000
    run.input(.tick)
}

/// An engine whose peer signs whatever the input says.
private struct MatchRun {
    typealias Engine = MatchEngine<Position>

    var engine: Engine
    var milliseconds: UInt64 = 0
    /// Own entries by number, as they were signed.
    private var signed: [UInt64: [UInt8]] = [:]
    private var hasClosed = false
    private let peer: FastCryptography

    private static let ann = FastCryptography(key: 0xa1)
    private static let bob = FastCryptography(key: 0xb2)
    /// A match in which both have opened, and one with a clock.
    private static let begun: [KeptMatch<Position>] = [nil, MoveClock(seconds: 60, increment: 1)]
        .map { clock in
            var match = KeptMatch<Position>(
                random: ([UInt8](repeating: 3, count: 32), [UInt8](repeating: 4, count: 32)),
                clock: clock)
            match.settle()
            return match
        }

    init(start: UInt8) {
        let role: Role = start & 1 == 0 ? .initiator : .responder
        let own = role == .initiator ? Self.ann : Self.bob
        peer = role == .initiator ? Self.bob : Self.ann
        switch start >> 1 & 3 {
        case 0: engine = Self.new(role, asks: start & 8 == 0)
        case 1: engine = Self.begun[0][role].engine
        case 2: engine = Self.begun[1][role].engine
        default:
            let side = Self.begun[Int(start >> 3 & 1)][role]
            let opening = side.engine.opening
            let seat = side.engine.identity?.seat
            guard let opening, let seat,
                let resumed = Engine(
                    resuming: StoredMatch(seat: seat, opening: opening, entries: side.disk.entries),
                    local: own.player(named: "Me"), cryptography: own)
            else { fatalError("a stored match cannot be taken up") }
            engine = resumed
        }
    }

    private static func new(_ role: Role, asks: Bool) -> Engine {
        let keys = role == .initiator ? (ann, bob) : (bob, ann)
        return Engine(
            role: role, local: keys.0.player(named: "Me"), remote: keys.1.player(named: "You"),
            exporter: [UInt8](repeating: 7, count: 32), options: [], asks: asks,
            random: [UInt8](repeating: 5, count: 32), cryptography: keys.0,
            now: Instant(nanoseconds: 0))
    }

    mutating func step(_ letter: UInt8, _ rest: [UInt8]) {
        let text = String(decoding: rest, as: UTF8.self)
        let number = UInt64(text) ?? UInt64(rest.count)
        let logs = engine.logs
        switch letter {
        case UInt8(ascii: "n"): input(.note(rest))
        case UInt8(ascii: "p"): input(.packet(number: logs.theirs.count &+ 1, rest))
        case UInt8(ascii: "q"): input(.packet(number: number, rest))
        case UInt8(ascii: "e"): entry(rest, seen: logs.own)
        case UInt8(ascii: "E"): entry(rest, seen: .start)
        case UInt8(ascii: "k"): input(.note(Array("kept ".utf8) + rest))
        case UInt8(ascii: "h"): input(.had(count: logs.own.count, hash: logs.own.hash))
        case UInt8(ascii: "H"): input(.had(count: number, hash: rest.isEmpty ? nil : rest))
        case UInt8(ascii: "m"):
            input(.command(.play(Square(number: Int(clamping: number)) ?? Square.allCases[0])))
        case UInt8(ascii: "r"): input(.command(.resign))
        case UInt8(ascii: "o"): input(.command(.offer(rest.isEmpty ? .draw : .rematch)))
        case UInt8(ascii: "a"): input(.command(.accept))
        case UInt8(ascii: "d"): input(.command(.decline))
        case UInt8(ascii: "s"): input(.command(.say(text)))
        case UInt8(ascii: "c"): input(.command(.claim))
        case UInt8(ascii: "x"): input(.parted)
        case UInt8(ascii: "X"): input(.replaced)
        case UInt8(ascii: "y"): meet(have: logs.own.count, hash: logs.own.hash)
        case UInt8(ascii: "Y"): meet(have: number, hash: nil)
        case UInt8(ascii: "l"): input(.peerLeft(GoodbyeCode(value: UInt16(clamping: number))))
        case UInt8(ascii: "f"): input(.refused(RefuseCode(value: UInt16(clamping: number))))
        case UInt8(ascii: "F"): input(.storeFailed)
        default:
            milliseconds += min(number, 1 << 40)
            input(.tick)
        }
    }

    /// A connection, as a session would make it.
    private mutating func meet(have: UInt64, hash: [UInt8]?) {
        guard engine.mayMeet(have: have, hash: hash) else { return input(.refused(.forked)) }
        input(.met(have: have, hash: hash, sent: max(have, engine.logs.own.count)))
    }

    /// The peer's next entry, rightly numbered, chained and signed, whatever it says.
    private mutating func entry(_ words: [UInt8], seen: LogHead) {
        let theirs = engine.logs.theirs
        let seat = engine.identity?.seat.other ?? .second
        let head = [
            seat == .first ? "1" : "2", "\(theirs.count &+ 1)", "\(seen.count)",
            String(decoding: Hex.encoded(seen.hash), as: UTF8.self),
            String(decoding: Hex.encoded(theirs.hash), as: UTF8.self),
        ]
        let text = Array(head.joined(separator: " ").utf8) + [0x20] + words
        guard let signature = peer.sign(Array("ttt-entry-v1\n".utf8) + text) else { return }
        let line = text + [0x20] + Hex.encoded(signature)
        input(.packet(number: theirs.count &+ 1, line))
    }

    mutating func input(_ input: Engine.Input) {
        let now = Instant(nanoseconds: 0).advanced(milliseconds: milliseconds)
        let effects = engine.handle(input, at: now)
        require(!hasClosed || effects.isEmpty, "something is done after the end")
        for effect in effects {
            switch effect {
            case .close: hasClosed = true
            case .sendPacket(let line):
                guard let entry = try? Entry(line: line) else {
                    fatalError("an own entry is none")
                }
                let twin = signed.updateValue(line, forKey: entry.number)
                require(twin == nil || twin == line, "two entries have one number")
            case .store(let line, _, _):
                require((try? Entry(line: line)) != nil, "what is stored is no entry")
            case .acknowledge(let count, let hash):
                require(
                    count <= engine.logs.theirs.count && hash.count == 32,
                    "more is acknowledged than is here")
            default: break
            }
        }
    }
}
