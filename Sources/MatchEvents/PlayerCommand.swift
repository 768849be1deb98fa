// SPDX-License-Identifier: MIT

/// What a player may ask.
public enum PlayerCommand: Sendable, Equatable {
    /// Play square `square`, from 1.
    case move(square: Int)
    /// Give the game up.
    case resign
    /// Propose `kind`: `rematch` or `draw`.
    case offer(kind: String)
    /// Say yes to the challenge or the offer that waits.
    case accept
    /// Say no to it.
    case decline
    /// Say yes or no to the challenge or the offer of the player with this key, and of nobody else.
    case answer(Bool, to: String)
    /// Claim that the other player's time is up.
    case claim
    /// Chat.
    case say(String)
    /// Join the open game with this advert id. Only where a person is shown a list; the JSON lines
    /// have no such request.
    case choose(id: String)
    /// Leave.
    case quit

    /// The numbers squares have outside the program.
    public static let squares = 1...9
    /// What may be proposed.
    public static let offerKinds = ["rematch", "draw"]
    /// The most bytes of UTF-8 that ``say(_:)`` carries (`docs/protocol.md` §5.2).
    public static let longestText = 500
}
