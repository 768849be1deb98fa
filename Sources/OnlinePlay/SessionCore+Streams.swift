// SPDX-License-Identifier: MIT

import SessionProtocol

extension SessionCore {
    /// How many chunks one session may read in a turn, so that the others get theirs.
    private static let chunksATurn = 8

    /// Reads what is there. Edge-triggered: who stops before `.notNow` must come back by itself.
    func read() {
        for _ in 0..<Self.chunksATurn {
            guard phase == .running || phase == .finishing else { return }
            switch input.read(into: loop.chunk) {
            case .moved(let count):
                received(UnsafeRawBufferPointer(rebasing: loop.chunk[..<count]))
            case .notNow:
                return
            case .end:
                if phase == .finishing { return closeStreams() }
                machine.endOfStream(at: loop.turn)
                return machineMoved()
            case .failed(let reason):
                if phase == .finishing { return closeStreams() }
                machine.failed(reading: reason)
                return machineMoved()
            }
        }
        hasMoreToRead = true
        loop.settleLater(self)
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        // What comes after the end is read only so that the system need not reset the connection.
        guard phase == .running else { return }
        if ticketOfAdmission != 0, !isReady { listener?.spoke(self) }
        let now = loop.turn
        if let tls {
            let outcome = tls.receive(bytes, scratch: loop.scratch) { plain in
                machine.receive(plain.assumingMemoryBound(to: UInt8.self).span, at: now)
            }
            switch outcome {
            case .going: break
            case .finished: machine.endOfStream(at: now)
            case .failed(let reason): machine.failed(securing: reason)
            }
        } else {
            machine.receive(bytes.assumingMemoryBound(to: UInt8.self).span, at: now)
        }
        machineMoved()
    }

    /// Writes what there is to be written, as far as the stream takes it.
    func write() {
        var failure: String?
        if let tls {
            repeat {
                encrypt(tls)
                tls.withCiphertext(scratch: loop.scratch) { push($0, &failure) }
            } while failure == nil && tls.pending == 0 && tls.canEncrypt && machine.hasOutput
            // Failed while it was written to; whoever reads is told so itself.
            if tls.hasFailed, phase == .running, failure == nil { failure = "TLS has failed" }
        } else {
            machine.withPendingOutput { push($0, &failure) }
        }
        if let failure { writingFailed(failure) }
    }

    /// Moves the machine's output into TLS, unless enough of it waits there already.
    private func encrypt(_ tls: TLSChannel) {
        guard tls.canEncrypt, tls.pending == 0, machine.hasOutput else { return }
        machine.withPendingOutput { bytes in
            tls.encrypt(UnsafeRawBufferPointer(rebasing: bytes.prefix(65_536)))
        }
    }

    /// Writes until the stream takes no more, and returns how much it took.
    private func push(_ bytes: UnsafeRawBufferPointer, _ failure: inout String?) -> Int {
        var taken = 0
        while taken < bytes.count {
            switch output.write(UnsafeRawBufferPointer(rebasing: bytes[taken...])) {
            case .moved(let count): taken += count
            case .notNow: return taken
            case .end:
                failure = "the stream has ended"
                return taken
            case .failed(let reason):
                failure = reason
                return taken
            }
        }
        return taken
    }

    private func writingFailed(_ reason: String) {
        if phase == .finishing { return closeStreams() }
        // The peer may have said goodbye before it closed; what it said is here already.
        read()
        guard phase == .running else { return }
        machine.failed(writing: reason)
        machineMoved()
    }

    /// The session is over: ends the streams as soon as the last words are written, and gives
    /// the peer the time to read them.
    func finish() {
        guard hasLastWords else { return closeStreams() }
        let waits = tls.map { $0.pending > 0 || $0.canEncrypt && machine.hasOutput }
        guard !hasFinishedOutput, !(waits ?? machine.hasOutput) else { return }
        if let tls {
            tls.close()
            var failure: String?
            tls.withCiphertext(scratch: loop.scratch) { push($0, &failure) }
        }
        hasFinishedOutput = true
        output.finish()
        finishEnd = loop.turn.advanced(milliseconds: OnlineLimits.linger)
        loop.setTimer(self, at: finishEnd)
        resumeClosers()
        read()
    }

    func closeStreams() {
        guard phase != .closed else { return }
        phase = .closed
        input.close()
        output.close()
        tls = nil
        loop.setTimer(self, at: nil)
        resumeClosers()
        listener?.sessionClosed(self)
        leaveListener()
    }
}
