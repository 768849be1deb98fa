// SPDX-License-Identifier: MIT

package import SessionProtocol

/// What somebody who runs on the session's loop can do without waiting.
extension OnlineSession {
    /// Sends a packet if the window lets it go now. Call it on the session's loop.
    package func post(_ packet: [UInt8]) -> SendResult {
        core.send(packet)
    }

    /// When something last arrived, which need not be an event. Ask on the session's loop.
    package var heard: Instant { core.machine.heard }

    /// Says goodbye without waiting until that is written.
    package func post(goodbye code: GoodbyeCode, text: String) {
        let core = core
        core.loop.perform { core.command { $0.close(code, text: text) } }
    }
}
