// SPDX-License-Identifier: MIT

import SessionProtocol

/// Both players' time for one game, as it is measured here (`docs/protocol.md` §5.7).
struct ClockFace: Sendable {
    /// What was agreed.
    let clock: MoveClock
    /// Whose program measures.
    private let you: Seat
    /// What is left, in nanoseconds, and of the other player's time the tolerance besides.
    private var left: PerSeat<UInt64>
    /// Whose time runs.
    private var runs = PerSeat(both: false)
    /// Of whose end of time was told.
    private var told = PerSeat(both: false)
    private var last: Instant

    /// For how long the other player's time is up here before it is claimed, in milliseconds. What is
    /// under way counts here as the other's time and not there, so that its measure is behind; who
    /// claims must wait for that, as nobody signs a loss with time left.
    static let tolerance: UInt64 = 2_000

    /// More than anybody waits, in milliseconds: keeps sums in range.
    private static let most: UInt64 = 1 << 43

    /// The face at the start of a game.
    init(_ clock: MoveClock, of you: Seat, at now: Instant) {
        self.clock = clock
        self.you = you
        last = now
        left = PerSeat(both: UInt64(clock.seconds) * 1_000_000_000)
        left[you.other] += Self.tolerance * 1_000_000
    }

    /// What is left of a player's time as it was last looked at, in milliseconds.
    func left(of player: Seat) -> UInt64 { left(of: player, at: last) }

    /// What is left of a player's time at a moment, in milliseconds.
    func left(of player: Seat, at now: Instant) -> UInt64 {
        var face = self
        face.pass(to: now)
        let rest = face.left[player] - min(face.left[player], tolerance(for: player))
        // A rest of a millisecond is one, so that only what is up is 0.
        return rest / 1_000_000 + (rest % 1_000_000 == 0 ? 0 : 1)
    }

    /// Whether a claim against the player is right, as far as can be told here.
    func isUp(_ player: Seat) -> Bool { left[player] == 0 }

    private func tolerance(for player: Seat) -> UInt64 {
        player == you ? 0 : Self.tolerance * 1_000_000
    }

    /// What to write in a move of the player.
    func leftAfterMove(_ player: Seat) -> UInt64 {
        left(of: player) + UInt64(clock.increment) * 1_000
    }

    /// When the next player's time is up.
    var deadline: Instant? {
        Seat.allCases.filter { runs[$0] && !told[$0] }.map { seat in
            let (end, isPast) = last.nanoseconds.addingReportingOverflow(left[seat])
            return Instant(nanoseconds: isPast ? .max : end)
        }.min()
    }

    /// Takes that time has passed.
    mutating func pass(to now: Instant) {
        let passed = now.nanoseconds - min(last.nanoseconds, now.nanoseconds)
        for seat in Seat.allCases where runs[seat] { left[seat] -= min(passed, left[seat]) }
        last = max(last, now)
    }

    /// Says whose time runs from now on.
    mutating func run(_ runs: PerSeat<Bool>) { self.runs = runs }

    /// Takes a move of the player: by what is written in it if that is all there is to go by.
    mutating func moved(_ player: Seat, written: UInt64? = nil) {
        if let written {
            left[player] = min(written, Self.most) * 1_000_000 + tolerance(for: player)
        } else {
            let increment = UInt64(clock.increment) * 1_000_000_000
            let rest = max(left[player], tolerance(for: player))
            // cannot trap: both are far below 2^63.
            left[player] = min(rest, Self.most * 1_000_000) + increment
        }
        told[player] = false
    }

    /// By the other player's measure there was time left: it gets the tolerance again.
    mutating func declined() {
        guard isUp(you.other) else { return }
        left[you.other] = tolerance(for: you.other)
        told[you.other] = false
    }

    /// Whose time is up and may be claimed, each told once.
    mutating func takeUp() -> [Seat] {
        let late = Seat.allCases.filter { runs[$0] && !told[$0] && left[$0] == 0 }
        for seat in late { told[seat] = true }
        return late
    }
}
