// SPDX-License-Identifier: MIT

/// What a player is told. Every front end shows the same events: the screen, plain lines and JSON.
///
/// Strings from the network (names, texts, messages) are as they came; whoever shows them makes
/// them harmless first. A key is a fingerprint of 52 letters.
public enum PlayerEvent: Sendable, Equatable {
    /// The port is open; sent again when anything in it changes.
    case hosting(Hosting)
    /// An open game on this network; sent again when it changes.
    case found(FoundGame)
    /// The game, as it was last seen, is no longer advertised.
    case gone(FoundGame)
    /// Somebody who was reached is asked to play: `id` is that of its advert, whether or not that
    /// was seen.
    case asking(id: String, name: String, key: String)
    /// Somebody wants to play and waits for accept or decline.
    case challenged(by: String, key: String, known: Bool)
    /// A game begins, or goes on.
    case started(GameStart)
    /// Who is to move ply `ply`; sent before every move on both sides. With a clock, what is left.
    case turn(you: Bool, ply: Int, left: TimeLeft? = nil)
    /// A move that is on both disks.
    case moved(ply: Int, mark: String, square: Int, board: String)
    /// An own move that the other side has not confirmed, or has not even been sent; told as moved
    /// later. For people only: it has no JSON line.
    case sending(square: Int)
    /// What the player wants, other than a move, is kept until the other side is back: `resign`,
    /// `offer`, `accept`, `decline` or `say`.
    case kept(String)
    /// How the connection fares. With a clock, what is left: the clock stands from when it is lost
    /// until it is restored. `silence` is how long nothing has been heard from the other side, in
    /// milliseconds; `nil` if nothing was ever, or if it is heard now.
    case link(LinkState, reason: String, left: TimeLeft? = nil, silence: UInt64? = nil)
    /// The time of one side is up, by the clock here; the other one may claim the game.
    case timeUp(of: Side)
    /// One side claims that the other's time is up. If that is accepted, the game is over.
    case claimed(by: Side)
    /// One side declines the other's claim: by its clock there was time left.
    case claimDeclined(by: Side)
    /// One side proposes `kind` (`rematch`, `draw`).
    case offered(kind: String, by: Side)
    /// The proposal was answered.
    case answered(kind: String, accepted: Bool)
    /// Chat.
    case said(by: Side, text: String)
    /// A game ended.
    case over(GameEnd)
    /// The other side would not play, or whoever challenged or was asked is gone; `code` is a stable
    /// word.
    case refused(code: String, message: String)
    /// Something that calls for care, or is to be known, told before it can do harm; `code` is a
    /// stable word: `kept`, a match that was kept; `waits`, its other player wants to go on with it;
    /// `port`, the usual port is taken; `other-key`, a name that is known under another key;
    /// `look-alike`, a name that is easily taken for one that is known, or for the own; `new-code`,
    /// the code is another one now.
    case warned(code: String, message: String)
    /// Something went wrong or was not allowed; `code` is a stable word.
    case failed(code: String, message: String)
    /// The last event.
    case closed(CloseReason)
}
