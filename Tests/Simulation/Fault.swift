// SPDX-License-Identifier: MIT

/// What can go wrong, or be unusual, in a simulated match. Each seed draws its own subset.
package enum Fault: String, CaseIterable, Sendable {
    // What happens at a moment.
    /// A connection ends on both sides, somewhere in what is under way.
    case cut
    /// A connection ends on one side; the other hears nothing.
    case halfCut
    /// Nothing gets through, either way, for a while.
    case partition
    /// Nothing gets through one way for a while.
    case oneWay
    /// What is under way on every connection waits, and is let go in any order.
    case clog
    /// Packets are lost, so that what is under way comes late.
    case loss
    /// A process is killed between two events.
    case kill
    /// A process is killed between two effects.
    case killInside
    /// The power of a machine goes.
    case power
    /// The power goes between two effects.
    case powerInside
    /// The power goes while the disk works: writes are torn.
    case torn
    /// The disk refuses.
    case disk
    /// The disk is full.
    case full
    /// After the next end of the process an older copy of the journal is put back.
    case restore
    /// A second machine has a copy of key and journal, and plays on.
    case twin
    /// A byte of a journal is damaged.
    case rot
    /// A process stands still, and its clock with it or not.
    case suspend
    /// The clock of a process steps ahead.
    case step
    /// The player leaves and comes back.
    case quit
    /// A second process wants the same journal.
    case second
    // What is so from the beginning.
    /// Faults may strike before the match has begun.
    case early
    /// Reads give a few bytes at a time.
    case drip
    /// Writes take a few bytes at a time.
    case shortWrites
    /// One or two packets may be under way.
    case smallWindow
    /// The smallest frames that are allowed.
    case smallFrames
    /// Deadlines that are too early.
    case earlyTimers
    /// Bytes are long under way.
    case slow
    /// The system never notices a dead connection by itself.
    case patientSystem
    /// What a process wants to send goes out at once, not after all of its effects.
    case eagerWrites

    /// Those that strike at a moment, in an order that does not change.
    static let sudden: [Fault] = allCases.filter { !lasting.contains($0) }
    private static let lasting: [Fault] = [
        .early, .drip, .shortWrites, .smallWindow, .smallFrames, .earlyTimers, .slow,
        .patientSystem, .eagerWrites,
    ]
}

/// What stays wrong after everything else has healed.
package enum Affliction: String, CaseIterable, Sendable {
    /// Every connection is cut after a while.
    case cuts
    /// A second each way.
    case slow
    /// Nothing gets through.
    case partition
    /// Nothing gets through one way.
    case oneWay
    /// One machine's disk refuses everything.
    case disk
    /// One player never comes back.
    case gone
    /// One process is killed every few seconds.
    case kills
}
