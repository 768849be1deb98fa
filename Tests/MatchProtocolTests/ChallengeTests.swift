// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

@Suite struct ChallengeTests {
    /// A joiner whose challenge has reached a host that asks its player.
    private func asked() -> MatchPair<Position> {
        var random = SeededGenerator(seed: 5)
        var pair = MatchPair<Position>(random: (random.bytes(32), random.bytes(32)), asks: true)
        pair.settle()
        return pair
    }

    private func tick(_ pair: inout MatchPair<Position>, _ role: Role, at milliseconds: UInt64) {
        pair.now = Instant(nanoseconds: 0).advanced(milliseconds: milliseconds)
        pair.input(.tick, to: role)
    }

    @Test func `a host that asks begins nothing before its player has answered`() {
        var pair = asked()
        #expect(pair.host.told == [.challenged])
        #expect(pair.joiner.told.isEmpty)
        pair.command(.accept, from: .responder)
        pair.settle()
        pair.expectAgreement()
        #expect(pair.mover != nil)
    }

    @Test func `a declined joiner is told so, and both sides end`() {
        var pair = asked()
        pair.command(.decline, from: .responder)
        pair.settle()
        #expect(pair.host.told.last == .declined(.declined))
        #expect(pair.joiner.told == [.declined(.declined)])
        #expect(pair.joiner.engine.deadline == nil && pair.host.engine.deadline == nil)
    }

    @Test func `a challenge is late after 60 seconds and not before`() {
        var pair = asked()
        tick(&pair, .responder, at: 59_999)
        #expect(pair.host.told == [.challenged])
        tick(&pair, .responder, at: 60_000)
        pair.settle()
        #expect(pair.host.told.last == .declined(.late))
        #expect(pair.joiner.told == [.declined(.late)])
    }

    @Test func `a joiner gives up after 65 seconds and not before`() {
        var pair = asked()
        tick(&pair, .initiator, at: 64_999)
        #expect(pair.joiner.told.isEmpty)
        tick(&pair, .initiator, at: 65_000)
        pair.settle()
        #expect(pair.joiner.told == [.declined(.late)])
        #expect(pair.host.told.last == .declined(.cancelled))
    }

    @Test func `taking a challenge back while it is accepted begins no match`() {
        var pair = asked()
        pair.command(.accept, from: .responder)
        pair.command(.decline, from: .initiator)
        pair.settle()
        #expect(pair.joiner.told == [.declined(.cancelled)])
        #expect(pair.host.told == [.challenged, .declined(.cancelled)])
        #expect(pair.joiner.stored.isEmpty && pair.host.stored.isEmpty)
    }

    @Test func `a program that does not go on is left after 10 seconds`() {
        var random = SeededGenerator(seed: 5)
        var silent = MatchPair<Position>(random: (random.bytes(32), random.bytes(32)))
        tick(&silent, .responder, at: 9_999)
        #expect(silent.host.told.isEmpty)
        tick(&silent, .responder, at: 10_000)
        #expect(silent.host.told == [.ended(.tookTooLong)])

        var unopened = MatchPair<Position>(random: (random.bytes(32), random.bytes(32)))
        unopened.deliver(to: .responder)
        unopened.deliver(to: .initiator)
        tick(&unopened, .initiator, at: 10_000)
        #expect(unopened.joiner.told == [.ended(.tookTooLong)])
    }

    @Test func `a running game waits for ever`() {
        var pair = MatchPair<Position>.started()
        #expect(pair.joiner.engine.deadline == nil && pair.host.engine.deadline == nil)
        tick(&pair, .initiator, at: 86_400_000)
        #expect(!pair.joiner.hasEnded)
    }

    @Test func `a goodbye or a lost connection in a running game only parts the players`() {
        for input: MatchEngine<Position>.Input in [.parted, .peerLeft(.left)] {
            var pair = MatchPair<Position>.started()
            pair.input(input, to: .initiator)
            #expect(pair.joiner.results.isEmpty)
            #expect(!pair.joiner.hasEnded)
            #expect(!pair.joiner.engine.isInCompany)
        }
    }

    @Test func `an entry that cannot be stored ends the match with an error`() throws {
        var pair = MatchPair<Position>.started()
        pair.command(.say("hi"), from: .initiator)
        let effects = pair.joiner.engine.handle(.storeFailed, at: pair.now)
        #expect(effects.last == .close(.disk, text: "An entry could not be stored."))
        #expect(pair.joiner.engine.handle(.command(.resign), at: pair.now).isEmpty)
    }
}
