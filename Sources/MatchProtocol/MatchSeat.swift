// SPDX-License-Identifier: MIT

package import SessionProtocol

/// One player's side of a match: the engine, and the way back to the other side.
///
/// A pure machine that knows connections by name and has none: the caller carries bytes between
/// them and sessions, in the order of the effects. It outlives connections: when one is lost it
/// dials and lets the other side in until there is another (``Reunion``), and what the other side
/// has missed is sent again. Inputs are ``begin(over:with:now:)``, ``resume(now:)``,
/// ``greeted(by:_:publicKey:now:)``, ``welcomed(_:_:publicKey:now:)``,
/// ``failed(_:refusal:publicKey:now:)``,
/// ``received(_:over:now:)``, ``command(_:now:)``, ``hint(now:)``, ``storeFailed(now:)`` and
/// ``tick(now:)``.
package struct MatchSeat<G: Game>: Sendable {
    package typealias Connection = Reunion.Connection
    package typealias Guest = Reunion.Guest
    package typealias Dial = Reunion.Dial

    /// What a hello or welcome of this side says, and the log to go on from.
    package struct Greeting: Sendable, Equatable {
        /// The match id as the session's token.
        package var token: SessionToken
        /// How many entries of the other side are stored here, and the hash of the last.
        package var have: UInt64
        package var hash: [UInt8]?
        /// The own place in the match.
        package var detail: MatchDetail
        /// What the other side is not known to have of the own log.
        package var log: OutgoingLog
    }

    /// What the caller must do, in this order; after a store that fails nothing more of the list.
    package enum Effect: Sendable, Equatable {
        /// Store an entry durably before the next effect.
        case store(entry: [UInt8], by: Seat, number: UInt64)
        /// Store the words of a wish durably before the next effect.
        case storeDraft([UInt8])
        /// Store that the first wish was given up.
        case dropDraft
        case sendNote([UInt8], Connection)
        /// Send the next own entry.
        case sendPacket([UInt8], Connection)
        /// Send *have*.
        case acknowledge(through: UInt64, hash: [UInt8], Connection)
        /// Say goodbye and close.
        case close(Connection, GoodbyeCode, text: String)
        /// Answer a hello with a welcome.
        case accept(Guest, Greeting)
        case refuse(Guest, Refusal)
        /// Dial every address known and say hello.
        case dial(Dial, Greeting)
        /// Close the dial; nothing more of it is to be reported.
        case abandon(Dial)
        /// Advertise that the match can be taken up, and look for the other side; or stop it.
        case look(Bool)
        /// The other side is being dialled; told once each time there is no connection.
        case trying
        /// The other side stays away, for a reason that the player should know; each is told once
        /// each time there is no connection.
        case missing(Absence)
        /// Remove what is stored: the match never began for the other side, and cannot any more.
        case forget
        case tell(MatchEvent<G>)
        /// The other side says that another process of the same player goes on with the match.
        case goneElsewhere
        /// The other side's session broke the protocol; the text says how.
        case brokenPeer(String)
    }

    /// Why the other side may not come back.
    package enum Absence: Sendable, Hashable {
        /// The game is over, and it has not come back for a while.
        case sinceTheEnd
        /// It was there, and has no such match any more.
        case withoutTheMatch
        /// It was there, and keeps the match, but does not play it now.
        case atSomethingElse
        /// It was there again and again, and plays with a later process of the player here.
        case withAnother
    }

    /// The engine, for what only reads it.
    package internal(set) var engine: MatchEngine<G>
    /// The port on which this side can be dialled; 0 if none.
    package var port: UInt16 = 0
    let instance: InstanceID
    let run: UInt16
    let random: UInt64
    /// The way back, once the match has begun.
    package internal(set) var reunion: Reunion?
    /// The connection played over.
    package internal(set) var current: Connection?
    var firstPeer: InstanceID?
    /// What a dial took along: the last own entry, and what it says is stored of the other log.
    package internal(set) var taken: [Dial: (last: UInt64, have: UInt64)] = [:]
    var toldTrying = false
    var toldMissing: Set<Absence> = []
    /// Since when the other side has refused because it plays over another connection.
    var crossedSince: Instant?
    /// When whoever left after a game has been away so long that it has gone.
    var patienceEnd: Instant?
    /// How long that is, in milliseconds.
    static var patience: UInt64 { 30_000 }
    /// Until when the end of a connection is kept quiet, as another is about to follow.
    var hushed: Instant?
    /// How long that is, in milliseconds.
    static var hush: UInt64 { 1_000 }
    /// When that began last: in a time that looks like company nothing can be claimed.
    var firstHush: Instant?
    /// How long after it began it may be again, in milliseconds.
    static var loud: UInt64 { 10_000 }

    /// Makes the side of a player whose engine has not begun, or was made from a stored match.
    ///
    /// - Parameters:
    ///   - engine: The engine.
    ///   - instance: The own process.
    ///   - run: How often the match's journal was opened, this time included.
    ///   - random: For the jitter of the pauses.
    package init(
        _ engine: MatchEngine<G>, instance: InstanceID, run: UInt16 = 0, random: UInt64
    ) {
        self.engine = engine
        self.instance = instance
        self.run = run
        self.random = random
    }

    /// When to call ``tick(now:)``, or `nil` if nothing is awaited.
    package var deadline: Instant? {
        earlier(earlier(engine.deadline, reunion?.deadline), earlier(hushed, patienceEnd))
    }

    /// Whether there is a match that outlives its connections.
    package var hasStarted: Bool { engine.identity != nil }

    /// What to say when the player leaves now.
    package var goodbye: GoodbyeCode { engine.isRunning ? .keptForLater : .left }

    // MARK: Inputs

    /// Begins over the connection on which the two met.
    package mutating func begin(
        over connection: Connection, with peer: InstanceID, now: Instant
    ) -> [Effect] {
        current = connection
        firstPeer = peer
        return feed(.begin, now: now)
    }

    /// Takes a stored match up again, apart.
    package mutating func resume(now: Instant) -> [Effect] {
        reunion = Reunion(resuming: instance, random: random, now: now)
        if engine.isGameOver { patienceEnd = now.advanced(milliseconds: Self.patience) }
        return feed(.begin, now: now) + [.look(true)]
    }

    /// Takes the hello of somebody who wants to go on with a session.
    ///
    /// - Parameters:
    ///   - guest: The connection that brought the hello.
    ///   - hello: What it says.
    ///   - publicKey: The raw key that the connection proved.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func greeted(
        by guest: Guest, _ hello: Hello, publicKey: [UInt8]?, now: Instant
    ) -> [Effect] {
        switch judge(hello, publicKey: publicKey) {
        case .refused(let refusal):
            // After a fork neither journal can go on.
            let end = refusal.code == .forked ? feed(.refused(.forked), now: now) : []
            return [.refuse(guest, refusal)] + end
        case .known(let detail):
            guard var reunion else { return [.refuse(guest, Refusal(.noSuchSession))] }
            let party = Reunion.Party(hello.instance, detail)
            let effects = reunion.greeted(by: guest, party, number: detail.number)
            self.reunion = reunion
            return perform(effects, hello, now: now)
        }
    }

    /// Takes that somebody wants to begin a match.
    ///
    /// A match of which only the own opening is here, and whose connection is gone, has begun for
    /// nobody, as far as this side can know; it does not keep the next one waiting. It stays stored:
    /// the other side may know better. One that was taken up again keeps its place.
    package mutating func visited(now: Instant) -> [Effect] {
        guard firstPeer != nil, hasStarted, current == nil, engine.logs.theirs.count == 0 else {
            return []
        }
        return feed(.refused(.noSuchSession), now: now)
    }

    /// Takes the welcome on a dial.
    ///
    /// - Parameters:
    ///   - dial: The dial that was answered.
    ///   - welcome: What the other side says.
    ///   - publicKey: The raw key that the connection proved.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func welcomed(
        _ dial: Dial, _ welcome: Hello, publicKey: [UInt8]?, now: Instant
    ) -> [Effect] {
        switch judge(welcome, publicKey: publicKey) {
        case .refused(let refusal):
            // Who welcomes a match and says other things of it has not said that there is none.
            let isForked = refusal.code == .forked
            return [.abandon(dial)]
                + failed(dial, refusal: isForked ? refusal : nil, publicKey: publicKey, now: now)
        case .known(let detail):
            guard var reunion else { return [.abandon(dial)] }
            let party = Reunion.Party(welcome.instance, detail)
            let effects = reunion.welcomed(dial, party)
            self.reunion = reunion
            return perform(effects, welcome, now: now)
        }
    }

    /// Takes what happened to a connection; only the one played over matters.
    package mutating func received(
        _ event: SessionEvent, over connection: Connection, now: Instant
    ) -> [Effect] {
        guard connection == current else { return [] }
        switch event {
        case .hello, .asked, .answered, .ready: return []
        case .note(let bytes): return feed(.note(bytes), now: now)
        case .packet(let number, let bytes):
            return feed(.packet(number: number, bytes), now: now)
        case .had(let count, let hash): return feed(.had(count: count, hash: hash), now: now)
        case .ended(let end): return ended(end, now: now)
        }
    }

    /// Takes what the player wants.
    package mutating func command(_ command: MatchEngine<G>.Command, now: Instant) -> [Effect] {
        feed(.command(command), now: now)
    }

    /// Something new is known of where the other side is.
    package mutating func hint(now: Instant) {
        reunion?.hint(now: now)
    }

    /// The last store failed, and what followed it was not done.
    package mutating func storeFailed(now: Instant) -> [Effect] {
        feed(.storeFailed, now: now)
    }

    /// Does what is due.
    package mutating func tick(now: Instant) -> [Effect] {
        var effects = speak(now: now)
        if let due = patienceEnd, due <= now {
            patienceEnd = nil
            if engine.isGameOver { effects += miss(.sinceTheEnd) }
        }
        if let due = engine.deadline, due <= now { effects += feed(.tick, now: now) }
        if var reunion {
            let dials = reunion.tick(now: now)
            self.reunion = reunion
            effects += perform(dials, nil, now: now)
        }
        return effects
    }
}

/// The earlier of two moments that there may be.
private func earlier(_ a: Instant?, _ b: Instant?) -> Instant? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
}
