// SPDX-License-Identifier: MIT

public import SessionProtocol

extension MatchEngine {
    /// What can happen to a match.
    public enum Input: Sendable, Equatable {
        /// The session is ready; comes first and once.
        case begin
        /// A note of the other side.
        case note([UInt8])
        /// A packet of the other side's log.
        case packet(number: UInt64, [UInt8])
        /// The other side has stored the first `count` own entries; the hash of the last, if sent.
        case had(count: UInt64, hash: [UInt8]?)
        /// The player here wants something.
        case command(Command)
        /// The other side said goodbye.
        case peerLeft(GoodbyeCode)
        /// The connection is gone without a goodbye.
        case linkLost
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
        /// Send *have*: the other side's entries are stored and allowed up to this one.
        case acknowledge(through: UInt64, hash: [UInt8])
        /// Tell the player.
        case tell(MatchEvent<G>)
        /// Say goodbye and close; nothing follows.
        case close(GoodbyeCode, text: String)
    }
}
