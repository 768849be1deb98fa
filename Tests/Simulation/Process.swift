// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// One run of the program on a machine.
final class Process {
    typealias Seat = MatchSeat<Position>

    let index: Int
    let machine: Int
    let player: Int
    let instance: InstanceID
    var seat: Seat?
    private var journal: Journal<SimulatedDisk>?
    /// The journal's name and file: kept apart, as a look at the journal copies it.
    private(set) var name: JournalName?
    private(set) var file: String?
    var bot = Bot()
    /// The links it has an end of: link and side.
    var ends: [(link: Int, side: Int)] = []
    var nextGuest = 1
    /// Dials that have not led to a session.
    var dialling: [Seat.Dial] = []
    var isAlive = true
    var ending: Leaving?
    /// After so many more effects it is no more, by a kill or by a loss of power.
    var doom: (effects: Int, power: Bool)?
    /// Its clock is ahead of the world's by this, and it does nothing before that.
    var ahead: UInt64 = 0
    var frozenUntil: UInt64 = 0
    /// When its match's deadline is planned.
    var alarm = UInt64.max
    var isBotPlanned = false
    /// What the last effect that was carried out left to be done, for the rare events.
    var lastStore: LastStore?
    /// What became of the command that is being carried out.
    var wished = Wished.nothing
    var isRefilling = false
    var hasDropped = false

    enum LastStore { case own, theirs }
    enum Wished { case nothing, waiting, stored }

    init(index: Int, machine: Int, player: Int, instance: InstanceID) {
        self.index = index
        self.machine = machine
        self.player = player
        self.instance = instance
    }

    /// The same once more.
    var copy: Process {
        let copy = Process(index: index, machine: machine, player: player, instance: instance)
        copy.seat = seat
        copy.journal = journal
        (copy.name, copy.file) = (name, file)
        copy.bot = bot
        copy.ends = ends
        copy.nextGuest = nextGuest
        copy.dialling = dialling
        copy.isAlive = isAlive
        copy.ending = ending
        copy.doom = doom
        copy.ahead = ahead
        copy.frozenUntil = frozenUntil
        copy.alarm = alarm
        copy.isBotPlanned = isBotPlanned
        copy.lastStore = lastStore
        copy.wished = wished
        copy.isRefilling = isRefilling
        copy.hasDropped = hasDropped
        return copy
    }

    /// Takes a journal to store in, or lets it go.
    func keep(_ journal: Journal<SimulatedDisk>?) {
        name = journal?.name
        file = name?.file
        self.journal = journal
    }

    /// Stores something in the journal.
    func store(
        _ body: (inout Journal<SimulatedDisk>) throws(JournalError) -> Void
    ) throws(JournalError) {
        // Taken out and put back: a copy would be a second holder of its lock.
        guard var journal else { return }
        self.journal = nil
        defer { self.journal = journal }
        try body(&journal)
    }

    /// Removes the journal; what is removed in vain is removed the next time.
    func removeJournal() { try? journal?.remove() }

    /// The time on its own clock.
    func clock(_ now: UInt64) -> Instant { Instant(nanoseconds: now &+ ahead) }
}
