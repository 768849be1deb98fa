// SPDX-License-Identifier: MIT

extension SessionMachine {
    /// Takes bytes from the stream.
    package mutating func receive(_ bytes: Span<UInt8>, at now: Instant) {
        guard !isOver, bytes.count > 0 else { return }
        self.now = now
        heard = now
        pinged = nil
        var offset = 0
        do {
            while let found = try decoder.next(of: bytes, from: &offset) {
                // What is unfinished after this chunk has begun with it.
                frameStart = nil
                switch found {
                case .inChunk(let range): try receive(frame: bytes.extracting(range))
                case .gathered(let frame): try receive(frame: frame.span)
                }
                if isOver { return }
            }
        } catch let error as FrameError {
            return violation(Self.describe(error))
        } catch let error as MessageError {
            return violation(error.reason)
        } catch {
            return violation("\(error)")
        }
        if decoder.atBoundary {
            frameStart = nil
        } else if frameStart == nil {
            frameStart = now
        }
    }

    /// The stream has ended; without a goodbye before it that is a loss, wherever it ended.
    package mutating func endOfStream(at now: Instant) {
        self.now = now
        finish(.lost(decoder.atBoundary ? "closed without a goodbye" : "cut inside a frame"))
    }

    /// What protects the stream, below the frames, was broken; `reason` says how. Before the hello is
    /// done the other side is none that speaks this protocol. Later it has shown that it is one: then
    /// it was somebody on the way who changed a byte, and the connection is lost.
    package mutating func failed(securing reason: String) {
        finish(isOpen ? .lost(reason) : .protocolError(reason))
    }

    /// Reading from the stream failed, as the system says in `reason`.
    package mutating func failed(reading reason: String) {
        finish(.readError(reason))
    }

    /// Writing to the stream failed, as the system says in `reason`.
    package mutating func failed(writing reason: String) {
        finish(.writeError(reason))
    }

    private mutating func receive(frame: Span<UInt8>) throws(MessageError) {
        let message = try SessionMessage(frame: frame)
        if case .unknown = message { return }
        switch state {
        case .open: try receive(message)
        case .awaitingHello(let local):
            guard case .hello(let peer) = message else { throw Self.untimely }
            received(hello: peer, as: local)
        case .awaitingWelcome(let local):
            switch message {
            case .welcome(let peer): try received(welcome: peer, as: local)
            case .refuse(let refusal): finish(.refused(refusal))
            case .code(let share): try received(share: share, as: local)
            default: throw Self.untimely
            }
        case .awaitingProof(let local, let expected):
            switch message {
            case .refuse(let refusal): finish(.refused(refusal))
            case .code(let tag): try received(proof: tag, expected: expected, as: local)
            default: throw Self.untimely
            }
        case .asked(let local, let peer):
            guard case .code(let answer) = message else { throw Self.untimely }
            try received(answer: answer, from: peer, as: local)
        case .deciding, .answered, .answering: throw Self.untimely
        case .ended: break
        }
    }

    private mutating func receive(_ message: SessionMessage) throws(MessageError) {
        switch message {
        case .packet(let number, let packet): try received(packet, number: number)
        case .have(let count, let hash): try received(have: count, hash: hash)
        case .ping(let number): pongOwed = number
        case .pong, .unknown: break
        case .note(let note):
            noteBytes += Self.cost(ofNote: note)
            guard noteBytes <= Self.waitingNotes else { throw MessageError("too many notes") }
            events.append(.note(note))
        case .goodbye(let code, let text): finish(.left(code, text: text))
        case .hello, .welcome, .refuse, .code: throw Self.untimely
        }
    }

    private mutating func received(_ packet: [UInt8], number: UInt64) throws(MessageError) {
        guard number > received else { return }
        guard number == received &+ 1 else { throw MessageError("a packet is missing") }
        guard received &- said < UInt64(SessionLimits.mostPackets),
            unsaidBytes < SessionLimits.mostBytes
        else {
            throw MessageError("packets beyond the window")
        }
        received = number
        unsaidBytes += packet.count
        untaken.append(UInt32(truncatingIfNeeded: packet.count))
        events.append(.packet(number: number, packet))
    }

    private mutating func received(have count: UInt64, hash: [UInt8]?) throws(MessageError) {
        let known = log.first &- 1
        guard count >= known else { throw MessageError("have fell") }
        guard count - known <= UInt64(sentCount) else {
            throw MessageError("have of what was not sent")
        }
        guard count > known else { return }
        for _ in known..<count {
            sentBytes -= log.dropFirst()
            sentCount -= 1
        }
        if acknowledgement == .explicit { events.append(.had(count: count, hash: hash)) }
        sendFromLog()
    }

    /// Bytes that may wait in notes before the connection is ended (`docs/protocol.md` §4.2).
    private static let waitingNotes = 65_536

    static var untimely: MessageError { MessageError("a message at the wrong time") }

    private static func describe(_ error: FrameError) -> String {
        switch error {
        case .empty: "a frame of no bytes"
        case .tooLarge(let length, let limit): "a frame of \(length) bytes, more than \(limit)"
        case .cut: "cut inside a frame"
        }
    }
}
