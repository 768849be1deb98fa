// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// Two seats joined by connections that keep the order; every one is known to both sides by the
/// number that the guest has on the host's side.
struct SeatPair {
    typealias Seat = MatchSeat<Position>

    let ids = [InstanceID(value: 3), InstanceID(value: 8)]
    let keys = [FastCryptography(key: 0xa1), FastCryptography(key: 0xb2)]
    let first: [Seat.Connection] = [.dial(0), .guest(1)]
    var seats: [Seat] = []
    /// What each side wanted, oldest first.
    var effects: [[Seat.Effect]] = [[], []]
    var now = Instant(nanoseconds: 0)
    private var arriving: [[SessionEvent]] = [[], []]
    private var sent: [UInt64] = [0, 0]

    /// A guest (0) and a host (1) who have met; nothing is delivered.
    init() {
        let players = [keys[0].player(named: "Ann"), keys[1].player(named: "Bob")]
        for me in 0...1 {
            let engine = MatchEngine<Position>(
                role: me == 0 ? .initiator : .responder, local: players[me],
                remote: players[1 - me], exporter: [UInt8](repeating: 7, count: 32), options: [],
                asks: false, random: [UInt8](repeating: UInt8(me + 1), count: 32),
                cryptography: keys[me], now: now)
            seats.append(Seat(engine, instance: ids[me], random: 1))
        }
        for me in [1, 0] {
            carryOut(seats[me].begin(over: first[me], with: ids[1 - me], now: now), me)
        }
    }

    mutating func carryOut(_ wanted: [Seat.Effect], _ me: Int) {
        effects[me] += wanted
        for effect in wanted {
            switch effect {
            case .sendNote(let bytes, _): arriving[1 - me].append(.note(bytes))
            case .sendPacket(let bytes, _):
                sent[me] += 1
                arriving[1 - me].append(.packet(number: sent[me], bytes))
            case .acknowledge(let count, let hash, _):
                arriving[1 - me].append(.had(count: count, hash: hash))
            default: break
            }
        }
    }

    /// Delivers what waits, until nothing does or `isEnough`.
    mutating func deliver(until isEnough: (Self) -> Bool = { _ in false }) {
        while let me = arriving.firstIndex(where: { !$0.isEmpty }), !isEnough(self) {
            let event = arriving[me].removeFirst()
            carryOut(seats[me].received(event, over: first[me], now: now), me)
        }
    }

    /// What a side says when it dials.
    func hello(of me: Int, epoch: UInt16, number: UInt16) throws -> Hello {
        let engine = seats[me].engine
        let (match, seat) = try #require(engine.identity)
        var hello = Hello(
            application: "tictactoe", applicationVersions: VersionRange(1, 1), name: "",
            instance: ids[me])
        hello.token = SessionToken(match)
        hello.have = engine.stored.have
        hello.hash = engine.stored.hash
        hello.detail = MatchDetail(port: 1, seat: seat, epoch: epoch, number: number).bytes
        return hello
    }
}
