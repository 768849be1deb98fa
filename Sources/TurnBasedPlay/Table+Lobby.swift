// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import ServiceDiscovery
import SessionProtocol

extension Table {
    /// Carries out what the lobby wants, in order.
    func perform(_ effects: [Lobby.Effect]) {
        for effect in effects {
            guard end == nil else { return }
            switch effect {
            case .dial(let dial, let destination): start(dial, to: destination)
            case .abandon(let dial): abandonLobby(dial)
            case .accept(let guest):
                let proof = code?.tries.removeValue(forKey: guest)?.proof
                sessions[.guest(guest)]?.accept(
                    detail: detail.bytes, proof: proof, staysVisitor: true)
            case .ask(let guest): ask(guest)
            case .refuse(let guest, let code):
                sessions.removeValue(forKey: .guest(guest))?
                    .refuse(Refusal(code, text: sentence(code)))
            case .turnAway(let guest, let reason):
                sessions[.guest(guest)]?.sendNote(MatchNote.decline(reason).bytes)
                sendAway(guest, .left)
            case .letGo(let guest): sendAway(guest, .tookTooLong)
            case .seat(.dial(let dial)):
                guard let session = lobbyDials[dial]?.session else { continue }
                lobbyDials[dial]?.session = nil
                sit(session, as: .initiator, over: .dial(0))
            case .seat(.guest(let guest)):
                guard let session = sessions[.guest(guest)] else { continue }
                session.letIn()
                sit(session, as: .responder, over: .guest(guest))
                if let event = opened.removeValue(forKey: guest) {
                    received(event, over: .guest(guest), session)
                }
            case .advertise(let openness): advertise(openness == .open ? .open : .busy)
            case .markStale(let id): discovery?.mark(id: hex(id), stale: true)
            case .fail(let failure): fail(failure)
            case .report(let failure): tell(event(for: failure))
            }
        }
    }

    /// Asks whom the player picks, and nobody else any more.
    func choose(_ id: InstanceID) {
        guard seat?.hasStarted != true else { return }
        let effects = lobby.choose(id, now: loop.now())
        if seat != nil, !lobby.isSeated {
            isAsking = false
            unseat(.left("Somebody else is asked."), peer: nil)
        }
        perform(effects)
    }

    /// Serves a session that somebody opened, from its hello to its end.
    func serve(_ session: OnlineSession) async {
        let guest = nextGuest
        nextGuest += 1
        let connection = Connection.guest(guest)
        while let event = await session.nextEvent() {
            switch event {
            case .hello(let hello) where end == nil:
                sessions[connection] = session
                greeted(by: guest, hello, session)
            case .hello: session.refuse(Refusal(.declined))
            case .answered(let answer): answered(by: guest, answer, session)
            default: received(event, over: connection, session)
            }
            if case .ended = event { break }
        }
        code?.tries[guest] = nil
        opened[guest] = nil
        lobby.left(guest)
        if sessions[connection] === session { sessions[connection] = nil }
    }

    private func greeted(by guest: Lobby.Guest, _ hello: Hello, _ session: OnlineSession) {
        if let token = hello.token {
            let key = session.peer?.publicKey
            let known = seat.map { $0.hasStarted && $0.engine.identity?.match == token.bytes }
            let isElsewhere = known != true && isKept(token)
            if isElsewhere { tellWhoWaits(session.peer, for: token.bytes) }
            let effects =
                isElsewhere
                ? [.refuse(guest, Refusal(.busy, text: "This match is not being played now."))]
                : seat?.greeted(by: guest, hello, publicKey: key, now: loop.now())
            perform(effects ?? [.refuse(guest, Refusal(.noSuchSession))])
        } else {
            let standing = standing(of: session.peer?.fingerprint)
            if isSeated(session.peer) {
                unseat(
                    .lost("The connection ended before a game began."), peer: hello.instance,
                    saying: .superseded)
            }
            if lobby.welcomes(standing) { perform(seat?.visited(now: loop.now()) ?? []) }
            perform(lobby.greeted(by: guest, caller(session.peer, hello), now: loop.now()))
        }
        setAlarm()
    }

    /// The peer as the lobby knows it.
    func caller(_ peer: Peer?, _ hello: Hello?) -> Lobby.Caller {
        Lobby.Caller(
            hello?.instance ?? peer?.instance ?? instance, standing(of: peer?.fingerprint),
            key: peer?.publicKey ?? [], place: peer?.address?.neighbourhood ?? [])
    }

    /// Takes what somebody does who was welcomed and is not seated: one challenge, which it may take
    /// back.
    private func atDoor(_ guest: Lobby.Guest, _ event: SessionEvent) {
        switch event {
        case .hello, .asked, .answered, .ready, .had: break
        case .ended: lobby.left(guest)
        case .note(let bytes) where opened[guest] == nil && MatchNote.isChallenge(bytes):
            opened[guest] = event
            perform(lobby.challenged(by: guest, now: loop.now()))
        case .note(let bytes) where opened[guest] != nil && bytes == MatchNote.cancel.bytes:
            sendAway(guest, .left)
        case .note, .packet: sendAway(guest, .protocolError)
        }
        setAlarm()
    }

    private func sendAway(_ guest: Lobby.Guest, _ code: GoodbyeCode) {
        lobby.left(guest)
        opened[guest] = nil
        sessions.removeValue(forKey: .guest(guest))?.post(goodbye: code, text: "")
    }

    /// Whether there is a journal of the match: who says that there is none lets the other side
    /// give the match up.
    private func isKept(_ token: SessionToken) -> Bool {
        guard let path = configuration.stateDirectory,
            let games = try? GameDirectory.existing(path)
        else { return false }
        return Seat.allCases.contains {
            games.lastWritten(JournalName(match: token.bytes, seat: $0).file) != nil
        }
    }

    /// Hands what happened to a session to the match that is played over it.
    func received(_ event: SessionEvent, over connection: Connection, _ session: OnlineSession) {
        guard sessions[connection] === session else { return }
        if case .guest(let guest) = connection, lobby.isAtDoor(guest) {
            return atDoor(guest, event)
        }
        hear()
        if let effects = seat?.received(event, over: connection, now: loop.now()) {
            perform(effects)
        }
        setAlarm()
    }
}

/// The instance as adverts write it.
func hex(_ id: InstanceID) -> String {
    let digits = String(id.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
