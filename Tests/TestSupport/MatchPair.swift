// SPDX-License-Identifier: MIT

package import MatchProtocol
package import SessionProtocol

/// Two engines joined by a link that keeps the order and delivers only when told to.
///
/// Each side's effects are carried out as a session would: packets get their numbers, and what is
/// told is kept.
package struct MatchPair<G: Game>: Sendable {
    /// One end.
    package struct Side: Sendable {
        /// The engine.
        package var engine: MatchEngine<G>
        /// What has been told.
        package var told: [MatchEvent<G>] = []
        /// Every entry stored, by author.
        package var stored: [(by: Seat, line: [UInt8])] = []
        /// What the other side has sent and is not delivered yet.
        package var arriving: [MatchEngine<G>.Input] = []
        var sent: UInt64 = 0
    }

    /// The joiner.
    package var joiner: Side
    /// The host.
    package var host: Side
    /// What time it is.
    package var now = Instant(nanoseconds: 0)

    /// Who plays, and what signs for them.
    package struct Seating: Sendable {
        var player: Player
        var cryptography: any Cryptography

        /// Makes the value.
        package init(_ player: Player, _ cryptography: any Cryptography) {
            self.player = player
            self.cryptography = cryptography
        }

        /// A player with fast signatures.
        package static func fast(_ name: String, key: UInt8) -> Seating {
            let cryptography = FastCryptography(key: key)
            return Seating(cryptography.player(named: name), cryptography)
        }
    }

    /// Makes both engines and begins.
    package init(
        random: (joiner: [UInt8], host: [UInt8]),
        exporter: [UInt8] = [UInt8](repeating: 7, count: 32), asks: Bool = false,
        joiner ann: Seating = .fast("Ann", key: 0xa1), host bob: Seating = .fast("Bob", key: 0xb2)
    ) {
        joiner = Side(
            engine: MatchEngine(
                role: .initiator, local: ann.player, remote: bob.player, exporter: exporter,
                options: [], asks: false, random: random.joiner, cryptography: ann.cryptography,
                now: now))
        host = Side(
            engine: MatchEngine(
                role: .responder, local: bob.player, remote: ann.player, exporter: exporter,
                options: [], asks: asks, random: random.host, cryptography: bob.cryptography,
                now: now))
        input(.begin, to: .responder)
        input(.begin, to: .initiator)
    }

    /// An end by its role.
    package subscript(role: Role) -> Side {
        get { role == .initiator ? joiner : host }
        _modify { if role == .initiator { yield &joiner } else { yield &host } }
    }

    /// Gives one end an input and carries out what it asks for.
    package mutating func input(_ input: MatchEngine<G>.Input, to role: Role) {
        let other: Role = role == .initiator ? .responder : .initiator
        for effect in self[role].engine.handle(input, at: now) {
            switch effect {
            case .sendNote(let bytes):
                self[other].arriving.append(.note(bytes))
            case .store(let entry, let seat, _):
                self[role].stored.append((seat, entry))
            case .sendPacket(let bytes):
                self[role].sent += 1
                self[other].arriving.append(.packet(number: self[role].sent, bytes))
            case .acknowledge(let count, let hash):
                self[other].arriving.append(.had(count: count, hash: hash))
            case .tell(let event):
                self[role].told.append(event)
            case .storeDraft, .dropDraft: break
            case .close(let code, _), .hangUp(let code, _):
                self[other].arriving.append(.peerLeft(code))
            }
        }
    }

    /// Gives one end a command.
    package mutating func command(_ command: MatchEngine<G>.Command, from role: Role) {
        input(.command(command), to: role)
    }

    /// Delivers the first thing that waits for one end; `false` if nothing does.
    @discardableResult
    package mutating func deliver(to role: Role) -> Bool {
        guard !self[role].arriving.isEmpty else { return false }
        input(self[role].arriving.removeFirst(), to: role)
        return true
    }

    /// Delivers until nothing is under way.
    package mutating func settle() {
        while deliver(to: .initiator) || deliver(to: .responder) {}
    }
}
