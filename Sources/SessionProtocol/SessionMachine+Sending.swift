// SPDX-License-Identifier: MIT

extension SessionMachine {
    /// Puts a packet into the log and sends it.
    package mutating func send(_ packet: [UInt8]) -> SendResult {
        if let failure = unsendable(packet.count) { return failure }
        guard canSend else { return .windowFull }
        log.append(packet)
        sendFromLog()
        return .accepted(log.last)
    }

    /// Sends bytes outside the log: not numbered, of this connection only. Notes are for short
    /// exchanges: the peer may end a connection on which more than 64 KiB of them wait.
    package mutating func sendNote(_ note: [UInt8]) -> SendResult {
        if let failure = unsendable(note.count) { return failure }
        guard output.count < limits.windowBytes else { return .windowFull }
        output.append(.note(note))
        return .accepted(0)
    }

    /// The application has taken the next `packets` packets, which in
    /// ``Acknowledgement/whenTaken`` mode means that they are stored.
    package mutating func took(packets: Int) {
        guard acknowledgement == .whenTaken else { return }
        store(packets)
        if have &- said >= Self.batchPackets || takenBytes >= Self.batchBytes { haveDue = isOpen }
    }

    /// The application has stored the packets up to this number, in ``Acknowledgement/explicit``
    /// mode; `hash` is its hash of the other side's log there. The peer is told at once.
    package mutating func acknowledge(through number: UInt64, hash: [UInt8]? = nil) {
        guard acknowledgement == .explicit, number > have, number <= received else { return }
        store(Int(clamping: number &- have))
        self.hash = hash
        haveDue = isOpen
    }

    /// Says goodbye and ends the connection; before the hello is done a responder refuses a
    /// waiting hello as declined, and otherwise nothing is said.
    package mutating func close(_ code: GoodbyeCode, text: String = "") {
        switch state {
        case .open:
            haveDue = have > said
            appendAnswers()
            output.append(.goodbye(code, text: text))
        case .deciding, .answered: output.append(.refuse(Refusal(.declined, text: text)))
        case .awaitingHello, .asked, .awaitingWelcome, .answering, .awaitingProof, .ended: break
        }
        finish(.closed(code), keepingOutput: true)
    }

    /// Sends as much of the log as the window lets go.
    mutating func sendFromLog() {
        while sentCount < log.count, sentCount < limits.windowPackets,
            sentBytes < limits.windowBytes
        {
            let packet = log[sentCount]
            output.append(.packet(number: log.first &+ UInt64(sentCount), packet))
            sentCount += 1
            sentBytes += packet.count
        }
    }

    /// Appends what answers the peer: *have* together with other output or when it is due, and a
    /// pong. A peer that does not read makes nothing grow: beyond a limit they wait.
    mutating func appendAnswers() {
        guard isOpen, output.count < Self.answersStop else { return }
        if haveDue || have > said && !output.isEmpty {
            output.append(.have(count: have, hash: hash))
            said = have
            unsaidBytes -= takenBytes
            takenBytes = 0
            haveDue = false
            haveAt = nil
        }
        if let number = pongOwed {
            output.append(.pong(number))
            pongOwed = nil
        }
    }

    private mutating func store(_ packets: Int) {
        for _ in 0..<max(0, min(packets, untaken.count)) {
            takenBytes += Int(untaken.popFirst() ?? 0)
            have &+= 1
        }
        if have > said, haveAt == nil, isOpen {
            haveAt = now.advanced(milliseconds: limits.acknowledgement)
        }
    }

    private func unsendable(_ size: Int) -> SendResult? {
        switch state {
        case .ended: .ended
        case .awaitingHello, .deciding, .asked, .answered, .awaitingWelcome, .answering,
            .awaitingProof:
            .notReady
        case .open: size > largestPacket ? .tooLarge(limit: largestPacket) : nil
        }
    }

    /// Taken packets and bytes at which a *have* is due at once.
    private static let batchPackets: UInt64 = 64
    private static let batchBytes = 65_536
    /// Output beyond which answers wait.
    private static let answersStop = 65_536
}
