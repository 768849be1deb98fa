// SPDX-License-Identifier: MIT

public import SessionProtocol

extension MatchEngine {
    /// What can happen to a match.
    public enum Input: Sendable, Equatable {
        /// Comes first and once. In a new match it says that the session is ready, and company
        /// begins; an engine that was made to resume tells how the match stands.
        case begin
        /// A connection to the other side is ready, after which company begins once nothing of the
        /// own log is missing: its hello or welcome said that it has `have` own entries, the last of
        /// this hash. The session was handed the own entries up to number `sent`, or lets the next
        /// packet be number `sent` + 1.
        case met(have: UInt64, hash: [UInt8]?, sent: UInt64)
        /// A note of the other side.
        case note([UInt8])
        /// A packet of the other side's log.
        case packet(number: UInt64, [UInt8])
        /// The other side has stored the first `count` own entries; the hash of the last, if sent.
        case had(count: UInt64, hash: [UInt8]?)
        /// The player here wants something.
        case command(Command)
        /// The other side said goodbye. After the end of a game `GoodbyeCode.left` ends the match;
        /// otherwise a match that has begun is kept, unless the logs differ or the protocol was
        /// broken.
        case peerLeft(GoodbyeCode)
        /// The connection is gone without a goodbye, or was given up here. A match that has begun is
        /// kept.
        case parted
        /// The connection is gone, and another is about to take its place: nothing is told, and the
        /// time of whoever is to move goes on, until the other is ready or ``parted`` says that
        /// there is none.
        case replaced
        /// The other side refused to go on with the match.
        case refused(RefuseCode)
        /// The last ``Effect/store(entry:by:number:)`` failed; what followed it was not done.
        case storeFailed
        /// Time has passed.
        case tick
    }

    /// What a player may want.
    public enum Command: Sendable, Equatable {
        /// Plays an action.
        case play(G.Action)
        /// Gives the game up.
        case resign
        /// Proposes something; if the other side already did, accepts that.
        case offer(OfferKind)
        /// Says yes to the challenge or the offer that waits.
        case accept
        /// Says no to it; for a joiner that waits, takes the challenge back.
        case decline
        /// Says something: 1 to 500 bytes of UTF-8.
        case say(String)
        /// Claims that the other player's time is up.
        case claim
    }

    /// What is to be done. If a store fails, nothing after it in the same list is done, and the
    /// engine is told ``Input/storeFailed``.
    public enum Effect: Sendable, Equatable {
        /// Send a note.
        case sendNote([UInt8])
        /// Store an entry durably before the next effect; `by` is its author's seat in the match.
        case store(entry: [UInt8], by: Seat, number: UInt64)
        /// Send an own entry, which has just been stored, as the log's next packet.
        case sendPacket([UInt8])
        /// Store, durably before the next effect, that the player wishes an own entry with these
        /// words (KIND and arguments), which cannot be signed yet. The next own entry with the same
        /// words takes its place.
        case storeDraft([UInt8])
        /// Store, durably before the next effect, that the first draft was given up.
        case dropDraft
        /// Send *have*: the other side's entries are stored and allowed up to this one.
        case acknowledge(through: UInt64, hash: [UInt8])
        /// Tell the player.
        case tell(MatchEvent<G>)
        /// Say goodbye on this connection and close it; the match goes on without.
        case hangUp(GoodbyeCode, text: String)
        /// Say goodbye, if there is a connection, and close; nothing follows.
        case close(GoodbyeCode, text: String)
    }
}
