// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol

/// How a match ends for this player, or comes to nothing.
extension Table {
    func declined(_ reason: DeclineReason) {
        let text =
            switch reason {
            case .declined: "\(opponent) does not want to play now."
            case .busy: "The other side plays with somebody else."
            case .rules: "The other side plays another game, or another version of its rules."
            case .clock: clockSentence
            case .late where wasAsked: "You did not answer \(opponent) within a minute."
            case .late: "\(opponent) did not answer within a minute."
            case .cancelled: "The other player took the challenge back."
            }
        // The lobby tells of whom this side asked; of the clock the player hears in any case.
        if reason == .clock, !isAsking {
            tell(.refused(code: "declined", message: text))
            wasAsked = false
        }
        // Who has said no itself need not be told.
        if reason == .declined {
            wasAsked = false
            hold.answered()
            lobby.playerDeclined(now: loop.now())
        }
        unseat(reason == .busy ? .busy(text) : .declined(text), peer: peerInstance)
    }

    /// The other player with the tag of the key, as far as it is known.
    private var opponent: String {
        guard let translator else { return "The other player" }
        return "\(translator.opponent) (\(translator.key.prefix(4)))"
    }

    /// Does not play with the clock of the other side, which the player did not ask for.
    func turnDown(_ text: String, peer: InstanceID) {
        // As above.
        if configuration.seeking == .anyOpen { tell(.refused(code: "declined", message: text)) }
        unseat(.declined(text), peer: peer)
    }

    /// Why two clocks do not fit; only the one who joined can do something about it.
    private var clockSentence: String {
        let connection = seat?.current
        let detail = connection.flatMap { sessions[$0]?.peer }.flatMap { MatchDetail($0.detail) }
        var isHost = false
        if case .guest? = connection { isHost = true }
        return ClockMismatch(
            own: configuration.clock, other: detail?.clock, isKnown: detail != nil, isHost: isHost
        ).sentence
    }

    func ended(_ reason: MatchEnd) {
        let hasStarted = seat?.hasStarted ?? false
        switch reason {
        case .left where hasStarted: finish(.left, reason: .left)
        case .lost where isResumed:
            let text = "The other side has no such match; no game had begun, and it is removed."
            fail(.unavailable, code: "gone", text)
        case .left:
            unseat(.left("\(opponent) left before a game began."), peer: peerInstance)
        case .lost:
            unseat(.lost("The connection ended before a game began."), peer: peerInstance)
        case .tookTooLong where isResumed:
            fail(.unavailable, code: "gone", "The other side does not go on with this match.")
        case .tookTooLong:
            unseat(
                .left("\(opponent) took too long."), peer: peerInstance, saying: .tookTooLong)
        case .protocolError(let text) where hasStarted:
            fail(.brokenPeer, code: "protocol", "The other side broke the protocol: \(text)")
        case .protocolError(let text):
            unseat(.brokenPeer(text), peer: peerInstance, saying: .protocolError)
        case .forked:
            fail(
                .refused, code: "forked",
                "Your journal of this match and the other player's differ; it cannot go on.")
        case .failed(let text): fail(.disk, code: "disk", text)
        }
    }

    /// Whether the peer is the one that sits there already, and no match has begun: then its
    /// connection broke, which is not known here yet.
    func isSeated(_ peer: Peer?) -> Bool {
        guard let seat, !seat.hasStarted, let seated = seat.current.flatMap({ sessions[$0]?.peer })
        else { return false }
        return seated.publicKey != nil && seated.publicKey == peer?.publicKey
            && seated.instance == peer?.instance
    }

    private var isResumed: Bool {
        if case .match = configuration.seeking { true } else { false }
    }

    private var peerInstance: InstanceID? {
        seat?.current.flatMap { sessions[$0]?.peer?.instance }
    }

    /// Nothing came of this session, which ends with this goodbye; look on.
    func unseat(
        _ reason: Lobby.Unseating, peer: InstanceID?, saying code: GoodbyeCode = .left
    ) {
        if let connection = seat?.current {
            sessions.removeValue(forKey: connection)?.post(goodbye: code, text: "")
        }
        for dial in Array(matchDials.keys) { abandon(dial) }
        // Whoever was asked must not go on looking at a question that is none any more.
        if wasAsked { tell(.refused(code: "left", message: reason.sentence)) }
        // What becomes of a search for anybody is told nowhere else.
        if isAsking, !lobby.isAskedFor { tell(refusal(for: reason)) }
        (wasAsked, isAsking) = (false, false)
        hold.ended(now: loop.now())
        seat = nil
        translator = nil
        // What was stored is of a match that has not begun; another has its own journal.
        journal = nil
        whereabouts = []
        discovery?.browse(needsBrowsing)
        perform(lobby.unseated(reason, peer: peer, now: loop.now()))
        // It may have been tried meanwhile, and the screen must not show one that is spent.
        renewCode()
        setAlarm()
    }
}

/// Why somebody who was asked does not play.
private func refusal(for reason: Lobby.Unseating) -> PlayerEvent {
    var code = "left"
    if case .declined = reason { code = "declined" }
    return .refused(code: code, message: reason.sentence)
}

extension Lobby.Unseating {
    /// A sentence for people.
    var sentence: String {
        switch self {
        case .declined(let text), .busy(let text), .left(let text), .lost(let text): text
        case .brokenPeer(let text): "The other side broke the protocol: \(text)"
        }
    }
}
