// SPDX-License-Identifier: MIT

package import SessionProtocol

/// What becomes of dials that lead to nothing, and what is told of a side that stays away.
extension MatchSeat {
    /// Takes the end of a dial that led to nothing.
    ///
    /// - Parameters:
    ///   - dial: The dial.
    ///   - refusal: The refusal, if somebody was there who refused.
    ///   - publicKey: The raw key that the connection proved: nobody else's refusal counts.
    ///   - now: The time.
    /// - Returns: What to do.
    package mutating func failed(
        _ dial: Dial, refusal: Refusal?, publicKey: [UInt8]?, now: Instant
    ) -> [Effect] {
        reunion?.failed(dial)
        taken[dial] = nil
        guard let refusal, publicKey == engine.opponentKey, !engine.isOver else { return [] }
        let effects = feed(.refused(refusal.code), now: now)
        if refusal.code == .noSuchSession, engine.isOver { return [.forget] + effects }
        guard current == nil, let absence = absence(refusal.code, now: now) else { return effects }
        return effects + miss(absence)
    }

    /// What a refusal says of the other side that the player should know.
    private mutating func absence(_ code: RefuseCode, now: Instant) -> Absence? {
        if code != .crossing { crossedSince = nil }
        switch code {
        case .noSuchSession: return .withoutTheMatch
        // While the match is beginning there it is not told: it is soon over.
        case .busy: return engine.logs.theirs.count > 0 ? .atSomethingElse : nil
        case .crossing:
            // By then a connection that only seems to stand would have been given up.
            let since = crossedSince ?? now
            crossedSince = since
            return now >= since.advanced(milliseconds: Self.patience) ? .withAnother : nil
        default: return nil
        }
    }

    /// Says why the other side may not come back, once.
    mutating func miss(_ absence: Absence) -> [Effect] {
        toldMissing.insert(absence).inserted ? [.missing(absence)] : []
    }
}
