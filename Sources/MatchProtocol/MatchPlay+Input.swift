// SPDX-License-Identifier: MIT

import SessionProtocol

/// How each phase takes the engine's inputs.
extension MatchPlay {
    /// What to do if the library does not sign.
    static var unsigned: [Effect] {
        let text = "An entry could not be signed."
        return [.tell(.ended(.failed(text))), .close(.shuttingDown, text: text)]
    }

    /// Why an own entry was not written.
    enum WriteFailure: Error {
        case refused(Refused)
        case unsigned
    }

    /// Takes what has happened since the fair start.
    mutating func handle(_ input: MatchEngine<G>.Input) throws(Malformed) -> [Effect] {
        switch input {
        case .packet(let number, let line): try receive(line, number: number)
        case .had(let count, let hash): try had(count: count, hash: hash)
        case .command(let command): perform(command)
        case .note: throw Malformed("The fair start is over.")
        case .tick: [.tell(.ended(.tookTooLong)), .close(.tookTooLong, text: "")]
        case .begin, .peerLeft, .linkLost, .storeFailed: []
        }
    }

    /// Writes an entry for the player here; a mistake is told and changes nothing.
    mutating func attempt(_ body: EntryBody) -> [Effect] {
        do throws(WriteFailure) {
            return try write(body)
        } catch {
            switch error {
            case .refused(let refused):
                return [.tell(.rejected(refused.code, message: refused.reason))]
            case .unsigned:
                return Self.unsigned
            }
        }
    }

    private mutating func perform(_ command: MatchEngine<G>.Command) -> [Effect] {
        let game = here.game?.number ?? 0
        let offer = here.offers[terms.you.other]
        switch command {
        case .play(let action):
            return attempt(.move(game: game, ply: here.game?.ply ?? 0, action: action.bytes))
        case .resign:
            return attempt(.resign(game: game))
        case .offer(let kind):
            if let offer, offer.kind == kind { return attempt(.accept(offer: offer.number)) }
            return attempt(.offer(game: game, kind))
        case .accept:
            return attempt(.accept(offer: offer?.number ?? 0))
        case .decline:
            return attempt(.decline(offer: offer?.number ?? 0))
        case .say(let text):
            return attempt(.say(text))
        }
    }
}

extension JoinerStart {
    /// Takes what happens before the host has answered.
    mutating func handle<G>(
        _ input: MatchEngine<G>.Input, at now: Instant
    ) throws(Malformed) -> StartAction {
        switch input {
        case .begin: begin(at: now)
        case .note(let bytes): received(try MatchNote(bytes))
        case .command(.accept): accept(at: now)
        case .command(.decline): decline()
        case .command: .reject(.early, "No game has begun.")
        case .tick: timeout()
        case .packet, .had: throw Malformed("No match has begun.")
        case .peerLeft, .linkLost, .storeFailed: .none
        }
    }
}

extension HostStart {
    /// Takes what happens before the joiner has revealed.
    mutating func handle<G>(
        _ input: MatchEngine<G>.Input, at now: Instant
    ) throws(Malformed) -> StartAction {
        switch input {
        case .begin: begin(at: now)
        case .note(let bytes): received(try MatchNote(bytes), at: now)
        case .command(.accept): accept(at: now)
        case .command(.decline): decline()
        case .command: .reject(.early, "No game has begun.")
        case .tick: timeout()
        case .packet, .had: throw Malformed("No match has begun.")
        case .peerLeft, .linkLost, .storeFailed: .none
        }
    }
}
