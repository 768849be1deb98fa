// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import SessionProtocol

/// Sentences and stable words for what the lobby says.
extension Table {
    func sentence(_ code: RefuseCode) -> String {
        switch code {
        case .busy: "The host plays with somebody else now."
        case .declined:
            "The other player does not want to play with you now. If that was a mistake, come again "
                + "in five minutes."
        case .notKnown: "Only players who were met before are let in."
        default: ""
        }
    }

    func fail(_ failure: Lobby.Failure) {
        tell(event(for: failure))
        switch failure {
        case .nobody, .noSuchName, .unreachable: finish(.unavailable, reason: .failed)
        case .refused: finish(.refused, reason: .failed)
        case .brokenPeer: finish(.brokenPeer, reason: .failed)
        }
    }

    func event(for failure: Lobby.Failure) -> PlayerEvent {
        switch failure {
        case .nobody:
            return .failed(
                code: "nobody",
                message: "No open game was found on this network."
                    .followed(by: configuration.hints.nobody))
        case .noSuchName(let name):
            return .failed(
                code: "nobody",
                message: "There is no open game called \(name) on this network.")
        case .unreachable(let text): return .failed(code: "unreachable", message: text)
        case .brokenPeer(let text):
            return .failed(
                code: "protocol", message: "The other side does not speak this protocol: \(text).")
        case .refused(let refusal):
            let isAboutCode = refusal.code == .codeNeeded && refusal.text.isEmpty
            return .refused(
                code: refusal.code.word,
                message: isAboutCode ? configuration.hints.code : refusal.sentence)
        }
    }
}

extension MatchSeat.Absence {
    /// A stable word for programs.
    var word: String {
        switch self {
        case .sinceTheEnd: "gone"
        case .withoutTheMatch: "forgotten"
        case .atSomethingElse: "busy"
        case .withAnother: "elsewhere"
        }
    }
}

extension RefuseCode {
    /// A stable word for programs.
    var word: String {
        switch self {
        case .version: "version"
        case .application: "application"
        case .busy: "busy"
        case .declined: "declined"
        case .crossing: "crossing"
        case .dialledSelf: "self"
        case .notKnown: "unknown"
        case .noSuchSession: "gone"
        case .full: "full"
        case .codeNeeded: "code"
        case .wrongCode: "wrong-code"
        default: "refused"
        }
    }
}

extension Refusal {
    /// A sentence for people: the other side's, or one that says what its code means.
    var sentence: String {
        guard text.isEmpty else { return text }
        return switch code {
        case .version: "The other side speaks another version of the protocol."
        case .application: "The other side plays something else."
        case .busy: "The other side plays with somebody else."
        case .declined: "The other player does not want to play now."
        case .crossing: "The other side is dialling this one."
        case .dialledSelf: "That is this very program."
        case .notKnown: "The other side lets in only players it knows."
        case .noSuchSession: "The other side has no such match."
        case .codeNeeded: "This game is played with a code."
        case .wrongCode:
            "That is not the code, or not any more: ask for the one that the host's screen shows now."
        case .full: "The other side has too many visitors; try again."
        default: "The other side will not play (code \(code.value))."
        }
    }
}

extension String {
    /// The sentence, and another one behind it if there is one.
    func followed(by hint: String) -> String { hint.isEmpty ? self : self + " " + hint }
}
