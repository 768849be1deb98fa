// SPDX-License-Identifier: MIT

package import SessionProtocol

/// How two players come to sit at one board: whom to dial, whom to let in, whom to turn away.
///
/// A pure machine. Inputs are the methods that return effects; the caller carries the effects out
/// in order and calls ``tick(now:)`` at ``deadline``. The seated connection is handed to a
/// ``MatchEngine``; if that ends before a game has started, ``unseated(_:peer:now:)`` goes on looking.
package struct Lobby: Sendable {
    /// A connection this side is opening; numbered by the lobby.
    package typealias Dial = Int
    /// A connection that somebody opened to this side; numbered by the caller.
    package typealias Guest = Int

    /// Whom this player wants.
    package enum Target: Sendable, Equatable {
        /// Whoever comes.
        case guests
        /// Whoever answers at one address.
        case address
        /// The open game of this name, or of the player whom the user calls so, whatever the case of
        /// its letters.
        case name(String)
        /// The first open game that completes a handshake.
        case anyOpen
        /// An open game that the person picks.
        case chosen
    }

    /// What never changes.
    package struct Configuration: Sendable {
        /// The own process.
        package var instance: InstanceID
        /// Whether others may come; if not, they are turned away.
        package var letsIn: Bool
        /// Whom to look for.
        package var target: Target
        /// Whether only known keys are let in.
        package var onlyKnown = false
        /// Whether guests are let in only with a code, or hosts taken only with one.
        package var needsCode = false
        /// Whether the player is asked about each guest.
        package var asks = false
        /// How long to look before giving up, in milliseconds; `nil`: until the player quits.
        package var patience: UInt64?

        /// Makes a configuration.
        package init(
            instance: InstanceID, letsIn: Bool, target: Target, onlyKnown: Bool = false,
            needsCode: Bool = false, asks: Bool = false, patience: UInt64? = nil
        ) {
            self.instance = instance
            self.letsIn = letsIn
            self.target = target
            self.onlyKnown = onlyKnown
            self.needsCode = needsCode
            self.asks = asks
            self.patience = patience
        }
    }

    /// Where a dial goes.
    package enum Destination: Sendable, Equatable {
        /// The address the player named.
        case address
        /// The addresses of an advert.
        case advert(InstanceID)
    }

    /// A connection that was chosen.
    package enum Connection: Sendable, Equatable {
        case dial(Dial)
        case guest(Guest)
    }

    /// What this player thinks of another one.
    package enum Standing: Sendable, Equatable {
        case new
        case known
        case blocked
    }

    /// What an advert says of a game's readiness.
    package enum Openness: Sendable, Equatable {
        case open
        case busy
    }

    /// Why nobody will be met any more.
    package enum Failure: Sendable, Equatable {
        /// No open game was found in time.
        case nobody
        /// No game of the wanted name was found in time.
        case noSuchName(String)
        /// The address did not answer; the text is the last dial's reason.
        case unreachable(String)
        /// The other side answered and would not play.
        case refused(Refusal)
        /// The other side broke the protocol, or speaks another one.
        case brokenPeer(String)
    }

    /// Why a dial did not lead to a session.
    package enum DialFailure: Sendable, Equatable {
        case unreachable(String)
        case refused(Refusal)
        case brokenPeer(String)
        /// The handshake showed another process or key than the advert.
        case stale
    }

    /// Why a seated connection ended before a game started.
    package enum Unseating: Sendable, Equatable {
        case declined(String)
        /// The other side plays with somebody else.
        case busy(String)
        /// The other side went away, or did nothing.
        case left(String)
        /// The connection broke.
        case lost(String)
        case brokenPeer(String)
    }

    /// What the caller must do.
    package enum Effect: Sendable, Equatable {
        case dial(Dial, Destination)
        /// Close the dial; nothing more of it is to be reported.
        case abandon(Dial)
        /// Welcome the guest; ``challenged(by:now:)`` tells that it wants to play.
        case accept(Guest)
        /// Let the guest prove that it knows the code; ``proved(by:_:now:)`` tells that it has.
        case ask(Guest)
        case refuse(Guest, RefuseCode)
        /// Tell a guest who was welcomed that there will be no game, and say goodbye.
        case turnAway(Guest, DeclineReason)
        /// Say goodbye to a guest who was welcomed and did nothing.
        case letGo(Guest)
        /// Play over this connection.
        case seat(Connection)
        case advertise(Openness)
        /// An advert did not hold what it said.
        case markStale(InstanceID)
        case fail(Failure)
        /// Tell the person that the choice did not work out; they may choose again.
        case report(Failure)
    }

    /// How long a dial runs alone before the next candidate is dialled beside it, in milliseconds.
    static let stagger: UInt64 = 500
    /// How long a candidate that failed is left alone the first time; doubled each time, up to
    /// ``longestPause``. In milliseconds.
    static let firstPause: UInt64 = 1_000
    static let longestPause: UInt64 = 15_000
    /// How often somebody who was asked for is dialled again because the connection broke before a
    /// game began: first at once, and then after this pause, in milliseconds.
    static let mostRenewals = 3
    static let renewalPause: UInt64 = 1_000
    /// How long a guest who has challenged waits for the board at most, in milliseconds; with it the
    /// player's minute to answer is over before the guest's patience is.
    static let longestHold: UInt64 = 4_000

    /// Dialling again whoever was reached.
    enum Renewal: Sendable, Equatable {
        case none
        case running
        case due(Instant)
    }

    enum State: Sendable, Equatable {
        case seeking
        case seated(Connection)
        case over
    }

    /// What was asked for at the start.
    package let configuration: Configuration
    /// Whether the player has picked a game, after which only what is picked is dialled.
    var hasChosen = false
    var state = State.seeking
    var candidates: [Candidate] = []
    var dials: [(dial: Dial, to: Destination)] = []
    /// The dial over which the code is being tried.
    var trying: Dial?
    var nextDial: Dial = 1
    /// Whom the dial that is seated reached, or the last one.
    var reached = Destination.address
    /// How often it was dialled again, and how that stands.
    var renewals = 0
    var renewal = Renewal.none
    /// How many were dialled at each place, of those that are still advertised or were last seen.
    var dialled: [String: Int] = [:]
    var nextStart = Instant(nanoseconds: 0)
    var giveUpAt: Instant?
    /// That an advertised game wants a code: what to tell when nothing came of the search.
    var lastRefusal: Refusal?
    /// Who was welcomed and is not seated, in the order of their coming; whoever accepts the
    /// connections keeps them few.
    var door: [Waiting] = []
    /// The guest at the board, until the player has said no to it.
    var seatedCaller: Caller?
    var askers = Askers()

    /// Makes a lobby that has not begun.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// When to call ``tick(now:)``, or `nil` if nothing is awaited.
    package var deadline: Instant? {
        [doorDeadline, searchDeadline].compactMap { $0 }.min()
    }

    private var searchDeadline: Instant? {
        guard state == .seeking, trying == nil else { return nil }
        switch renewal {
        case .due(let time): return time
        // What a dial comes to is told by itself.
        case .running: return nil
        case .none: break
        }
        let next = eligible().map { max($0.notBefore, dials.isEmpty ? $0.notBefore : nextStart) }
        return ((dials.isEmpty ? [giveUpAt].compactMap { $0 } : []) + next).min()
    }

    /// Whether the player is at a board with somebody.
    package var isSeated: Bool {
        if case .seated = state { true } else { false }
    }

    // MARK: Inputs

    /// Starts looking.
    package mutating func begin(now: Instant) -> [Effect] {
        giveUpAt = configuration.patience.map { now.advanced(milliseconds: $0) }
        var effects: [Effect] = configuration.letsIn ? [.advertise(.open)] : []
        if configuration.target == .address { effects.append(start(.address, now: now)) }
        return effects
    }

    /// Takes an advert, new or changed.
    ///
    /// Adverts cost nothing, and many of them must not keep a player waiting: those of players met
    /// before, which is what `isKnown` says, have their turn first, and then those at a `place` at
    /// which fewer were dialled.
    package mutating func found(
        _ id: InstanceID, name: String, isOpen: Bool, isKnown: Bool = false,
        petname: String? = nil, place: String = "", now: Instant
    ) -> [Effect] {
        guard id != configuration.instance else { return [] }
        if let index = candidates.firstIndex(where: { $0.id == id }) {
            candidates[index].name = name
            candidates[index].isOpen = isOpen
            candidates[index].isKnown = isKnown
            candidates[index].petname = petname
            candidates[index].place = place
        } else {
            candidates.append(
                Candidate(
                    id: id, name: name, isOpen: isOpen, isKnown: isKnown, petname: petname,
                    place: place, notBefore: now, pause: Self.firstPause))
        }
        return pursue(now: now)
    }

    /// Takes the end of an advert.
    package mutating func gone(_ id: InstanceID) {
        candidates.removeAll { $0.id == id }
        dialled = dialled.filter { place, _ in candidates.contains { $0.place == place } }
    }

    /// Does what is due.
    package mutating func tick(now: Instant) -> [Effect] {
        let effects = tendDoor(now: now)
        guard state == .seeking else { return effects }
        if case .due(let time) = renewal {
            return effects + (time <= now ? [renew(now: now)] : [])
        }
        return effects + pursue(now: now)
    }
}
