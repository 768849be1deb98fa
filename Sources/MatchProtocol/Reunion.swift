// SPDX-License-Identifier: MIT

package import SessionProtocol

/// How the two players of a match find each other again when the connection is lost.
///
/// A pure machine beside ``Lobby``: both sides dial, both let the other in, and whichever
/// connection completes first serves. Several may complete, and both sides must keep the same one.
/// So every hello and welcome says how many connections its side has had (its *epoch*) and every
/// hello the number of its dial (`docs/protocol.md` §5.6). A hello of a later epoch means that the
/// other side has lost what seems alive here, and is let in. Within an epoch the connection of the
/// larger instance stays, and of one initiator's the one dialled last. Another process of the other
/// side is let in unless it opened the journal earlier (its *run*) than the one played with.
package struct Reunion: Sendable {
    /// A connection this side is opening; numbered by the machine, and so on the wire.
    package typealias Dial = UInt16
    /// A connection that the other side opened; numbered by the caller.
    package typealias Guest = Int

    /// A connection to play over.
    package enum Connection: Sendable, Hashable {
        case dial(Dial)
        case guest(Guest)
    }

    /// What a side says of itself in its hello or welcome.
    package struct Party: Sendable, Hashable {
        /// Its process.
        package var instance: InstanceID
        /// How often its journal had been opened, by which of two processes the later one is known.
        package var run: UInt16
        /// How many connections it has had in this match and process.
        package var epoch: UInt16

        /// Makes the value.
        package init(instance: InstanceID, run: UInt16 = 0, epoch: UInt16) {
            self.instance = instance
            self.run = run
            self.epoch = epoch
        }
    }

    /// What the caller must do.
    package enum Effect: Sendable, Equatable {
        /// Dial every address known, as a side of this epoch.
        case dial(Dial, epoch: UInt16)
        /// Close the dial; nothing more of it is to be reported.
        case abandon(Dial)
        /// Answer the guest's hello with a welcome, as a side of this epoch.
        case accept(Guest, epoch: UInt16)
        case refuse(Guest, RefuseCode)
        /// Say goodbye with this code to the connection played over until now.
        case leave(GoodbyeCode)
        /// Play over this connection.
        case adopt(Connection)
    }

    /// The connection played over.
    package struct Current: Sendable {
        /// Which it is.
        package var connection: Connection
        /// Who the other side said it is.
        package var peer: Party
        /// Whether the larger instance dialled it.
        package var byLarger: Bool
        /// Which of its dialler's dials it is.
        package var number: Dial
    }

    /// While the loss is young a dial starts every second, in milliseconds.
    static let eager: UInt64 = 1_000
    /// How long a loss is young, in milliseconds.
    static let young: UInt64 = 30_000
    /// The longest pause between two dials, in milliseconds.
    static let longest: UInt64 = 15_000
    /// How much later the smaller instance begins, so that dials seldom cross; in milliseconds.
    static let courtesy: UInt64 = 500

    /// How many dials after one the dialler has given that one up: a dial a second, and each has 4
    /// seconds to connect.
    private static var abreast: Int16 { 4 }

    /// The own process.
    package let instance: InstanceID
    /// How many connections this side has had.
    package private(set) var epoch: UInt16
    /// The connection played over.
    package private(set) var current: Current?
    private var lastPeer: InstanceID?
    /// The dials under way.
    package private(set) var dials: [Dial] = []
    /// The number of the next one.
    package private(set) var nextDial: Dial = 1
    /// The number of the first one of this epoch.
    package private(set) var firstDial: Dial = 1
    private var lostAt: Instant
    private var pause = Self.eager
    private var random: UInt64

    /// When to call ``tick(now:)``, or `nil` if nothing is awaited.
    package private(set) var deadline: Instant?

    /// Begins apart, and with dialling, as a process does that takes a match up again.
    ///
    /// - Parameters:
    ///   - instance: The own process.
    ///   - random: For the jitter of the pauses.
    ///   - now: The time.
    package init(resuming instance: InstanceID, random: UInt64, now: Instant) {
        self.instance = instance
        self.random = random
        epoch = 0
        lostAt = now
        deadline = now
    }

    /// Begins with the connection over which the match was agreed.
    package init(
        playing connection: Connection, instance: InstanceID, with peer: InstanceID,
        random: UInt64, now: Instant
    ) {
        self.init(resuming: instance, random: random, now: now)
        deadline = nil
        epoch = 1
        lastPeer = peer
        current = Current(
            connection: connection, peer: Party(instance: peer, epoch: 0),
            byLarger: connection.isDial == (instance > peer), number: 0)
    }

    /// Whether a connection is played over.
    package var isTogether: Bool { current != nil }

    // MARK: Inputs

    /// Takes the end of a connection; only the one played over matters.
    package mutating func lost(_ connection: Connection, now: Instant) {
        guard current?.connection == connection else { return }
        current = nil
        lostAt = now
        pause = Self.eager
        let isSmaller = lastPeer.map { instance < $0 } ?? false
        deadline = isSmaller ? now.advanced(milliseconds: Self.courtesy) : now
    }

    /// Starts the dial that is due.
    package mutating func tick(now: Instant) -> [Effect] {
        guard current == nil, let due = deadline, due <= now else { return [] }
        let dial = nextDial
        nextDial &+= 1
        // Whoever hears of this one takes one of an earlier epoch for lost, even if it serves.
        let old = dials.filter { Int16(bitPattern: $0 &- firstDial) < 0 }
        dials.removeAll { old.contains($0) }
        dials.append(dial)
        if now >= lostAt.advanced(milliseconds: Self.young) {
            pause = min(pause + pause / 2, Self.longest)
            deadline = now.advanced(milliseconds: jittered(pause))
        } else {
            deadline = now.advanced(milliseconds: Self.eager)
        }
        return old.map(Effect.abandon) + [.dial(dial, epoch: epoch)]
    }

    /// Something new is known of where the other side is: the eager pace begins anew.
    package mutating func hint(now: Instant) {
        guard current == nil, now >= lostAt.advanced(milliseconds: Self.young) else { return }
        lostAt = now
        pause = Self.eager
        deadline = now
    }

    /// Takes the other side's hello; key, seat and match have been checked.
    ///
    /// - Parameters:
    ///   - guest: The connection that brought it.
    ///   - peer: Who the other side says it is.
    ///   - number: The number of the other side's dial.
    /// - Returns: What to do.
    package mutating func greeted(
        by guest: Guest, _ peer: Party, number: Dial
    ) -> [Effect] {
        let new = Current(
            connection: .guest(guest), peer: peer, byLarger: peer.instance > instance,
            number: number)
        guard isPreferred(new) else { return [.refuse(guest, .crossing)] }
        return [.accept(guest, epoch: epoch)] + adopt(new)
    }

    /// Takes a welcome on a dial.
    package mutating func welcomed(_ dial: Dial, _ peer: Party) -> [Effect] {
        guard let index = dials.firstIndex(of: dial) else { return [.abandon(dial)] }
        dials.remove(at: index)
        let new = Current(
            connection: .dial(dial), peer: peer, byLarger: instance > peer.instance, number: dial)
        return isPreferred(new) ? adopt(new) : [.abandon(dial)]
    }

    /// Takes the end of a dial that led to nothing.
    package mutating func failed(_ dial: Dial) {
        dials.removeAll { $0 == dial }
    }

    // MARK: Inside

    private func isPreferred(_ new: Current) -> Bool {
        guard let current else { return true }
        guard current.peer.instance == new.peer.instance else {
            // A word of a process that is gone, or was stopped, may come late: the one that opened
            // the journal after it must not have to go.
            return Int16(bitPattern: new.peer.run &- current.peer.run) >= 0
        }
        let age = Int16(bitPattern: new.peer.epoch &- current.peer.epoch)
        if age != 0 { return age > 0 }
        if new.byLarger != current.byLarger { return new.byLarger }
        // Of two dials under way the first to arrive serves; the dialler has not given it up before
        // it has begun so many more.
        return Int16(bitPattern: new.number &- current.number) > Self.abreast
    }

    private mutating func adopt(_ new: Current) -> [Effect] {
        let old = current
        current = new
        lastPeer = new.peer.instance
        epoch &+= 1
        firstDial = nextDial
        deadline = nil
        // A dial of the larger instance may yet complete on the other side, which then prefers it.
        let useless = new.connection.isDial || new.byLarger ? dials : []
        dials.removeAll { useless.contains($0) }
        let isElsewhere = old.map { $0.peer.instance != new.peer.instance } ?? false
        let leave = old.map { _ in Effect.leave(isElsewhere ? .elsewhere : .superseded) }
        return useless.map(Effect.abandon) + [leave].compactMap { $0 } + [.adopt(new.connection)]
    }

    /// Between three quarters and five quarters of a pause, so that two sides do not keep step.
    private mutating func jittered(_ pause: UInt64) -> UInt64 {
        // xorshift64 (Marsaglia 2003); a zero state would stay zero.
        random = random == 0 ? 1 : random
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return pause * 3 / 4 + random % (pause / 2)
    }
}

extension Reunion.Connection {
    fileprivate var isDial: Bool { if case .dial = self { true } else { false } }
}
