// SPDX-License-Identifier: MIT

extension SessionMachine {
    /// Does what is due at `now`; calling it early or often is harmless.
    package mutating func tick(at now: Instant) {
        guard !isOver else { return }
        self.now = now
        guard case .open = state else {
            if let deadline, now >= deadline { finish(.lost("the hello took too long")) }
            return
        }
        if let frameEnd, now >= frameEnd {
            output.append(.goodbye(.tookTooLong, text: "a frame took too long"))
            return finish(.lost("a frame took too long"), keepingOutput: true)
        }
        if let haveAt, now >= haveAt {
            haveDue = true
            self.haveAt = nil
        }
        if let pinged {
            if now >= pinged.advanced(milliseconds: limits.answer) { finish(.lost("silent")) }
        } else if now >= heard.advanced(milliseconds: limits.silence) {
            ping &+= 1
            output.append(.ping(ping))
            pinged = now
        }
    }

    /// Whether the connection is over.
    package var isOver: Bool {
        @_effects(readonly) get { if case .ended = state { true } else { false } }
    }

    /// The peer broke the protocol: told to it if the hello is done.
    mutating func violation(_ reason: String) {
        if isOpen { output.append(.goodbye(.protocolError, text: reason)) }
        finish(.protocolError(reason), keepingOutput: true)
    }

    /// Ends the connection, once.
    mutating func finish(_ end: SessionEnd, keepingOutput: Bool = false) {
        guard !isOver else { return }
        let end = judged(end)
        state = .ended(end)
        if !keepingOutput { output.removeAll() }
        pongOwed = nil
        haveDue = false
        haveAt = nil
        frameStart = nil
        events.append(.ended(end))
    }
}
