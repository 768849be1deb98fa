// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@Suite struct FairStartTests {
    private let exporter = [UInt8](repeating: 7, count: 32)

    /// A fair coin leaves these bounds, of two standard deviations, for one seed in twenty; these
    /// sequences are the same in every run.
    private func expectFair(
        _ name: String, joiner: (inout SeededGenerator) -> [UInt8],
        host: (inout SeededGenerator) -> [UInt8]
    ) {
        var random = SeededGenerator(seed: 1)
        let cryptography = FastCryptography(key: 1)
        var joinerFirst = 0
        for _ in 0..<100_000 {
            let start = FairStart(
                exporter: exporter, joinerRandom: joiner(&random), hostRandom: host(&random),
                cryptography: cryptography)
            if start.joiner == .first { joinerFirst += 1 }
        }
        let share = Double(joinerFirst) / 100_000
        #expect((0.4969...0.5031).contains(share), "\(name): \(share)")
    }

    @Test func `the coin is fair`() {
        expectFair("both", joiner: { $0.bytes(32) }, host: { $0.bytes(32) })
    }

    @Test func `the coin is fair when one side's randomness is constant`() {
        let constant = [UInt8](repeating: 0, count: 32)
        expectFair("joiner constant", joiner: { _ in constant }, host: { $0.bytes(32) })
        expectFair("host constant", joiner: { $0.bytes(32) }, host: { _ in constant })
    }

    /// A host that has a challenge, and the challenge's commitment.
    private func challenged(
        random: [UInt8], commitment: [UInt8], asks: Bool = false
    ) -> MatchEngine<Position> {
        let (ann, bob) = (FastCryptography(key: 0xa1), FastCryptography(key: 0xb2))
        var host = MatchEngine<Position>(
            role: .responder, local: bob.player(named: "Bob"), remote: ann.player(named: "Ann"),
            exporter: exporter, options: [], asks: asks, random: random, cryptography: bob,
            now: Instant(nanoseconds: 0))
        _ = host.handle(.begin, at: Instant(nanoseconds: 0))
        let challenge = Challenge(rules: Position.rules, options: [], commitment: commitment)
        _ = host.handle(
            .note(MatchNote.challenge(challenge).bytes), at: Instant(nanoseconds: 0))
        return host
    }

    private func commitment(to random: [UInt8]) -> [UInt8] {
        FairStart.commitment(
            exporter: exporter, joinerRandom: random, cryptography: FastCryptography(key: 0))
    }

    @Test func `a host takes what was promised and nothing else`() {
        let (mine, theirs) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        var host = challenged(random: mine, commitment: commitment(to: theirs))
        var cheated = host
        let now = Instant(nanoseconds: 0)
        let good = host.handle(.note(MatchNote.reveal(random: theirs).bytes), at: now)
        #expect(!good.areRefusal)
        for byte in 0..<32 {
            var other = theirs
            other[byte] ^= 1
            var victim = cheated
            #expect(victim.handle(.note(MatchNote.reveal(random: other).bytes), at: now).areRefusal)
        }
        // The commitment itself as the revealed bytes.
        let mirrored = MatchNote.reveal(random: commitment(to: theirs)).bytes
        #expect(cheated.handle(.note(mirrored), at: now).areRefusal)
    }

    @Test func `a reveal of the host's own bytes is refused`() {
        let mine = [UInt8](repeating: 1, count: 32)
        var host = challenged(random: mine, commitment: commitment(to: mine))
        let reveal = MatchNote.reveal(random: mine).bytes
        #expect(host.handle(.note(reveal), at: Instant(nanoseconds: 0)).areRefusal)
    }

    @Test func `an accept with the joiner's own bytes is refused`() {
        let random = [UInt8](repeating: 3, count: 32)
        var pair = MatchPair<Position>(random: (random, random))
        pair.settle()
        #expect(pair.joiner.hasEnded)
        #expect(pair.joiner.stored.isEmpty)
    }

    @Test func `a commitment made on another connection does not fit`() {
        let theirs = [UInt8](repeating: 2, count: 32)
        let elsewhere = FairStart.commitment(
            exporter: [UInt8](repeating: 8, count: 32), joinerRandom: theirs,
            cryptography: FastCryptography(key: 0))
        var host = challenged(random: [UInt8](repeating: 1, count: 32), commitment: elsewhere)
        let reveal = MatchNote.reveal(random: theirs).bytes
        #expect(host.handle(.note(reveal), at: Instant(nanoseconds: 0)).areRefusal)
    }

    @Test func `all randomness in a match depends on both sides`() {
        let cryptography = FastCryptography(key: 1)
        let (a, b) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        func start(_ joiner: [UInt8], _ host: [UInt8], _ exporter: [UInt8]) -> FairStart {
            FairStart(
                exporter: exporter, joinerRandom: joiner, hostRandom: host,
                cryptography: cryptography)
        }
        let base = start(a, b, exporter)
        for other in [start(b, b, exporter), start(a, a, exporter), start(a, b, a)] {
            #expect(other.match != base.match)
            #expect(other.seed != base.seed)
            #expect(other.compare != base.compare)
        }
        #expect(
            base.seed(ofGame: 1, cryptography: cryptography)
                != base.seed(ofGame: 2, cryptography: cryptography))
    }

    @Test func `a challenge to another game, version, options or clock is declined`() throws {
        let (ann, bob) = (FastCryptography(key: 0xa1), FastCryptography(key: 0xb2))
        var host = MatchEngine<Position>(
            role: .responder, local: bob.player(named: "Bob"), remote: ann.player(named: "Ann"),
            exporter: exporter, options: [], asks: true, random: ann.publicKey,
            cryptography: bob, now: Instant(nanoseconds: 0))
        _ = host.handle(.begin, at: Instant(nanoseconds: 0))
        let zeros = String(repeating: "0", count: 64)
        for (challenge, reason) in [
            ("challenge 2", DeclineReason.rules), ("challenge 2 whatever comes", .rules),
            ("challenge 1 chess 1 - - \(zeros)", .rules),
            ("challenge 1 tictactoe 2 - - \(zeros)", .rules),
            ("challenge 1 tictactoe 1 00 - \(zeros)", .rules),
            ("challenge 1 tictactoe 1 00 60+1 \(zeros)", .rules),
            ("challenge 1 tictactoe 1 - 60+1 \(zeros)", .clock),
        ] {
            var copy = host
            let effects = copy.handle(
                .note(Array(challenge.utf8)), at: Instant(nanoseconds: 0))
            #expect(
                effects == [
                    .sendNote(Array("decline \(reason.rawValue)".utf8)),
                    .tell(.declined(reason)),
                    .close(.left, text: ""),
                ])
        }
    }

    @Test func `options that the own game does not know end the match before it begins`() {
        let ann = FastCryptography(key: 0xa1)
        var joiner = MatchEngine<Position>(
            role: .initiator, local: ann.player(named: "Ann"), remote: ann.player(named: "Bob"),
            exporter: exporter, options: [1], asks: false, random: exporter,
            cryptography: ann, now: Instant(nanoseconds: 0))
        let reason = "Tic-tac-toe has no options."
        #expect(
            joiner.handle(.begin, at: Instant(nanoseconds: 0)) == [
                .tell(.ended(.failed(reason))), .close(.shuttingDown, text: reason),
            ])
    }
}
