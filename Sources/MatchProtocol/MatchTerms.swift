// SPDX-License-Identifier: MIT

import SessionProtocol

/// What a match is played on, fixed by the fair start and the same for both players.
///
/// An object that never changes: a match has several views, which all point to it.
final class MatchTerms: Sendable {
    /// What both pin; the name is the local player's.
    let opening: Opening
    /// The common secret-free values.
    let start: FairStart
    /// The local player's seat.
    let you: Seat
    /// Hashes, signatures.
    let cryptography: any Cryptography

    /// Derives the terms from a finished fair start.
    init(
        role: Role, local: Player, remote: Player, exporter: [UInt8], challenge: Challenge,
        joinerRandom: [UInt8], hostRandom: [UInt8], cryptography: any Cryptography
    ) {
        start = FairStart(
            exporter: exporter, joinerRandom: joinerRandom, hostRandom: hostRandom,
            cryptography: cryptography)
        you = role == .initiator ? start.joiner : start.joiner.other
        var keys = PerSeat(both: remote.publicKey)
        keys[you] = local.publicKey
        opening = Opening(
            rules: challenge.rules, options: challenge.options, clock: challenge.clock,
            match: start.match, keys: keys,
            joiner: start.joiner, exporter: exporter, commitment: challenge.commitment,
            hostRandom: hostRandom, joinerRandom: joinerRandom, name: local.name)
        self.cryptography = cryptography
    }

    /// Takes the terms from an `open` entry, and makes sure that they follow from the fair start.
    init(opening: Opening, you: Seat, cryptography: any Cryptography) throws(Malformed) {
        start = FairStart(
            exporter: opening.exporter, joinerRandom: opening.joinerRandom,
            hostRandom: opening.hostRandom, cryptography: cryptography)
        let promised = FairStart.commitment(
            exporter: opening.exporter, joinerRandom: opening.joinerRandom,
            cryptography: cryptography)
        guard opening.commitment == promised, opening.joinerRandom != opening.hostRandom,
            opening.joiner == start.joiner, opening.match == start.match
        else { throw Malformed("The match does not follow from its fair start.") }
        self.opening = opening
        self.you = you
        self.cryptography = cryptography
    }

    /// Sets up game number `game`.
    func game<G: Game>(_ game: UInt32) throws(Refused) -> GameView<G> {
        do throws(InvalidOptions) {
            let seed = start.seed(ofGame: game, cryptography: cryptography)
            return try GameView(number: game, options: opening.options, seed: seed)
        } catch {
            throw Refused(.illegal, error.reason)
        }
    }
}
