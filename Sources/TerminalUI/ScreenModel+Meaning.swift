// SPDX-License-Identifier: MIT

import MatchEvents

extension ScreenModel {
    /// What keys are for at the moment.
    enum Meaning: Equatable {
        case closed
        case typing
        case help
        case talk
        case question(Question)
        case challenge
        case offer(kind: String)
        case lobby
        case running
        case ended
    }

    /// For how long after the meaning of the keys has changed by itself no key decides anything, in
    /// milliseconds: nobody reads and answers in so short a time, so the key was meant for what was
    /// there before.
    static let blink: UInt64 = 400

    /// What keys are for now.
    var meaning: Meaning {
        if draft != nil { return .typing }
        if situation.closed != nil { return .closed }
        if showsHelp { return .help }
        if readsTalk { return .talk }
        if let question { return .question(question) }
        if situation.challenger != nil { return .challenge }
        if let offer = situation.offer, offer.by == .opponent { return .offer(kind: offer.kind) }
        if situation.start == nil { return .lobby }
        return situation.isRunning ? .running : .ended
    }

    /// In how many milliseconds keys decide again; `nil`: they do.
    var held: UInt64? {
        heldUntil > situation.now ? heldUntil - situation.now : nil
    }

    /// Lets no key decide for a moment if the meaning of the keys is not what it was.
    mutating func hold(unless before: Meaning) {
        if meaning != before { heldUntil = situation.now + Self.blink }
    }

    /// Lets no key decide for a moment if a question has come to light that was hidden.
    mutating func holdIfAsked(since before: Meaning) {
        switch meaning {
        case .challenge, .offer: hold(unless: before)
        default: break
        }
    }

    /// Whether a key could settle something that cannot be taken back; it was made lower case.
    static func decides(_ key: Key) -> Bool {
        switch key {
        case .enter, .escape, .click: true
        case .character(let scalar): "ynrdc 123456789".unicodeScalars.contains(scalar)
        default: false
        }
    }
}
