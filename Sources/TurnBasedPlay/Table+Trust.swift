// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import SessionProtocol

/// Who is let in: codes, and players met before.
extension Table {
    // MARK: The code

    /// When another code is due; while somebody is at the board nobody needs one.
    var codeDeadline: Instant? { lobby.isSeated ? nil : code?.keeper.renewalDue }

    /// Makes up another code, and tells it, if the one there is is spent.
    func renewCode() {
        let now = loop.now()
        guard !lobby.isSeated, let isOld = code.map({ $0.keeper.expiry <= now }),
            code?.renew(now: now) == true
        else { return }
        let why = isOld ? "The code had its time" : "Wrong codes were tried"
        tell(.warned(code: "new-code", message: "\(why): from now on it is another one."))
        hosting?.code = code?.passcode.digits
        tellHosting()
    }

    /// Lets a guest prove that it knows the code.
    func ask(_ guest: Lobby.Guest) {
        renewCode()
        guard let code, let session = sessions[.guest(guest)] else { return }
        self.code?.tries[guest] = HostCode.Try(number: code.keeper.number)
        session.ask(for: code.passcode, as: configuration.identity)
    }

    /// Judges a guest's try. All of it happens in one turn of the loop, so tries that come at once
    /// are counted like any others.
    func answered(by guest: Lobby.Guest, _ answer: [UInt8], _ session: OnlineSession) {
        guard end == nil, var code, let number = code.tries[guest]?.number,
            code.keeper.mayJudge(number, now: loop.now()), let peer = session.peer
        else { return turnAway(guest) }
        guard let proof = session.proof(for: answer) else {
            code.keeper.missed()
            self.code = code
            turnAway(guest)
            return renewCode()
        }
        self.code?.tries[guest]?.proof = proof
        perform(lobby.proved(by: guest, caller(peer, nil), now: loop.now()))
        setAlarm()
    }

    private func turnAway(_ guest: Lobby.Guest) {
        sessions.removeValue(forKey: .guest(guest))?.refuse(Refusal(.wrongCode))
        setAlarm()
    }

    // MARK: Players

    /// What is thought of who has this key.
    func standing(of fingerprint: Fingerprint?) -> Lobby.Standing {
        // Another process may have named or blocked somebody.
        try? knownPeers?.refresh()
        guard let fingerprint, let entry = knownPeers?[fingerprint] else { return .new }
        return entry.isBlocked ? .blocked : entry.isKnown ? .known : .new
    }

    /// Says so if a name that is known, or one's own, or one that looks like it, comes with another
    /// key.
    func warn(of peer: Peer, _ fingerprint: Fingerprint) {
        let remedy = configuration.hints.namesake(fingerprint)
        let who = "\(peer.name) (\(fingerprint.tag))"
        if let (other, name) = knownPeers?.namesake(of: fingerprint, called: peer.name) {
            let isSame = name.lowercased() == peer.name.lowercased()
            let how = isSame ? "same name, another key" : "the names only look alike"
            let text =
                "\(who) is not the \(name) you know (\(other.fingerprint.tag)): \(how)."
            tell(
                .warned(
                    code: isSame ? "other-key" : "look-alike", message: text.followed(by: remedy)))
        } else if fingerprint != configuration.identity.fingerprint,
            knownPeers?[fingerprint]?.petname == nil, areAlike(peer.name, configuration.name)
        {
            let text = "\(who) has a name like your own, and is somebody else."
            tell(.warned(code: "look-alike", message: text.followed(by: remedy)))
        }
    }
}
