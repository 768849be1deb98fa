// SPDX-License-Identifier: MIT

import SessionProtocol

extension MatchSeat {
    /// Gives the engine an input; what it wants goes to the connection played over.
    mutating func feed(_ input: MatchEngine<G>.Input, now: Instant) -> [Effect] {
        let wished = engine.handle(input, at: now)
        if reunion == nil, hasStarted, let current, let firstPeer {
            reunion = Reunion(
                playing: current, instance: instance, with: firstPeer, random: random, now: now)
        }
        let effects: [Effect] = wished.compactMap { effect in
            switch effect {
            case .store(let entry, let seat, let number):
                return .store(entry: entry, by: seat, number: number)
            case .storeDraft(let body): return .storeDraft(body)
            case .dropDraft: return .dropDraft
            case .tell(let event): return .tell(event)
            case .sendNote(let bytes): return current.map { .sendNote(bytes, $0) }
            case .sendPacket(let bytes): return current.map { .sendPacket(bytes, $0) }
            case .acknowledge(let count, let hash):
                return current.map { .acknowledge(through: count, hash: hash, $0) }
            case .hangUp(let code, let text), .close(let code, let text):
                return current.map { .close($0, code, text: text) }
            }
        }
        return taken.isEmpty ? effects : effects + overtaken()
    }

    /// Gives up the dials that say less than is stored by now: whoever answers one of them knows
    /// less, and might write anew what is here already.
    private mutating func overtaken() -> [Effect] {
        let have = engine.stored.have
        let old = taken.filter { $0.value.have != have }.keys.sorted()
        for dial in old {
            taken[dial] = nil
            reunion?.failed(dial)
        }
        return old.map(Effect.abandon)
    }

    /// Carries out what the way back wants; `hello` is the other side's, if one has just come.
    mutating func perform(
        _ effects: [Reunion.Effect], _ hello: Hello?, now: Instant
    ) -> [Effect] {
        var result: [Effect] = []
        for effect in effects {
            switch effect {
            case .dial(let dial, let epoch):
                guard let greeting = greeting(epoch: epoch, number: dial) else { continue }
                taken[dial] = (greeting.log.last, greeting.have)
                if !toldTrying, hushed == nil {
                    result.append(.trying)
                    toldTrying = true
                }
                result.append(.dial(dial, greeting))
            case .abandon(let dial):
                taken[dial] = nil
                result.append(.abandon(dial))
            case .accept(let guest, let epoch):
                guard let greeting = greeting(epoch: epoch, number: 0) else { continue }
                result.append(.accept(guest, greeting))
            case .refuse(let guest, let code): result.append(.refuse(guest, Refusal(code)))
            case .leave(let code):
                if let current { result.append(.close(current, code, text: "")) }
                result += feed(.replaced, now: now)
                current = nil
            case .adopt(let connection):
                result += adopt(connection, hello, now: now)
            }
        }
        return result
    }

    private mutating func adopt(
        _ connection: Connection, _ hello: Hello?, now: Instant
    ) -> [Effect] {
        current = connection
        var sent = engine.outgoing.last
        if case .dial(let dial) = connection {
            sent = taken.removeValue(forKey: dial)?.last ?? sent
        }
        toldTrying = false
        toldMissing = []
        crossedSince = nil
        hushed = nil
        patienceEnd = nil
        let have = hello?.have ?? 0
        return [.look(false)] + feed(.met(have: have, hash: hello?.hash, sent: sent), now: now)
    }

    /// The connection played over has ended.
    mutating func ended(_ end: SessionEnd, now: Instant) -> [Effect] {
        guard hasStarted else {
            if case .left(let code, _) = end { return feed(.peerLeft(code), now: now) }
            return feed(.parted, now: now)
        }
        let effects: [Effect]
        switch end {
        case .left(.elsewhere, _): return [.goneElsewhere]
        case .left(.superseded, _):
            if !engine.isOver, let began = quietSince(now) { return hush(since: began, now: now) }
            effects = feed(.parted, now: now)
        case .protocolError(let text): return [.brokenPeer(text)]
        case .left(let code, _): effects = feed(.peerLeft(code), now: now)
        case .closed, .refused, .lost, .readError, .writeError: effects = feed(.parted, now: now)
        }
        guard let connection = current, !engine.isOver else { return effects }
        current = nil
        reunion?.lost(connection, now: now)
        if engine.isGameOver { patienceEnd = now.advanced(milliseconds: Self.patience) }
        return effects + [.look(true)]
    }

    /// The other side plays over a newer connection, which is about to be ready here as well: that
    /// is not worth a word unless it fails.
    private mutating func hush(since began: Instant, now: Instant) -> [Effect] {
        let effects = feed(.replaced, now: now)
        guard let connection = current else { return effects }
        current = nil
        firstHush = began
        hushed = began.advanced(milliseconds: Self.hush)
        reunion?.lost(connection, now: now)
        return effects
    }

    /// Tells that there is no connection, if the one awaited has not come.
    mutating func speak(now: Instant) -> [Effect] {
        guard let due = hushed, due <= now else { return [] }
        hushed = nil
        guard current == nil, !engine.isOver else { return [] }
        if engine.isGameOver { patienceEnd = now.advanced(milliseconds: Self.patience) }
        return feed(.parted, now: now) + [.look(true)]
    }

    /// When the quiet began, if the other side's word that another connection follows is believed
    /// now. Several may follow each other when a network heals: one second is for all of them.
    private func quietSince(_ now: Instant) -> Instant? {
        guard let firstHush, now < firstHush.advanced(milliseconds: Self.loud) else { return now }
        return now < firstHush.advanced(milliseconds: Self.hush) ? firstHush : nil
    }

    private func greeting(epoch: UInt16, number: Dial) -> Greeting? {
        guard let (match, own) = engine.identity, let token = SessionToken(match) else {
            return nil
        }
        let stored = engine.stored
        return Greeting(
            token: token, have: stored.have, hash: stored.hash,
            detail: MatchDetail(
                port: port, seat: own, run: run, epoch: epoch, number: number),
            log: engine.outgoing)
    }

    /// Whether a hello or welcome is the other player's, of this match, and of the same logs.
    func judge(_ hello: Hello, publicKey: [UInt8]?) -> Judgement {
        // The other player may take up what for this side is about to begin: not to be given up.
        if !hasStarted, !engine.isOver, publicKey == engine.opponentKey {
            return .refused(Refusal(.busy, text: "A match is just beginning here."))
        }
        guard let (match, own) = engine.identity, hello.token?.bytes == match,
            let detail = MatchDetail(hello.detail), detail.seat == own.other
        else { return .refused(Refusal(.noSuchSession)) }
        guard publicKey == engine.opponentKey else {
            return .refused(
                Refusal(.notKnown, text: "This match was begun under another key."))
        }
        guard engine.mayMeet(have: hello.have, hash: hello.hash) else {
            let text = "The two journals of this match differ."
            return .refused(Refusal(.forked, text: text))
        }
        return .known(detail)
    }

    /// What is thought of a hello or welcome.
    enum Judgement {
        case known(MatchDetail)
        case refused(Refusal)
    }
}

extension Reunion.Party {
    init(_ instance: InstanceID, _ detail: MatchDetail) {
        self.init(instance: instance, run: detail.run, epoch: detail.epoch)
    }
}
