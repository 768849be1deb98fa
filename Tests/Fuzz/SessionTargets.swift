// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport

/// The first two bytes say how the stream is cut, the rest is the stream: however it is cut, the
/// frames are the same.
func fuzzFrames(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let size = Int(input.byte()) + 1
    let largest: UInt32 = input.byte() % 2 == 0 ? 4_096 : 64
    let stream = Array(input.rest)
    let whole = frames(of: stream, inPiecesOf: max(1, stream.count), largest: largest)
    let pieces = frames(of: stream, inPiecesOf: size, largest: largest)
    require(whole == pieces, "the cutting changes the frames")
}

private struct Found: Equatable {
    var frames: [[UInt8]] = []
    var error: FrameError?
    var isClean = false
}

private func frames(of stream: [UInt8], inPiecesOf size: Int, largest: UInt32) -> Found {
    var decoder = FrameDecoder(largest: largest)
    var found = Found()
    var input = FuzzInput(stream)
    while !input.isEmpty, found.error == nil {
        let piece = input.take(size)
        var offset = 0
        do throws(FrameError) {
            while let frame = try decoder.next(of: piece.span, from: &offset) {
                switch frame {
                case .inChunk(let range): found.frames.append(Array(piece[range]))
                case .gathered(let bytes): found.frames.append(bytes)
                }
            }
        } catch {
            found.error = error
        }
        require(decoder.heldBytes <= Int(largest) + 4, "the decoder grows")
    }
    found.isClean = found.error == nil && decoder.atBoundary
    return found
}

/// The first byte says where the session stands. What follows are steps: a byte that says which,
/// and what it takes.
func fuzzSession(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let start = input.byte()
    var run = SessionRun(SessionRun.starts[Int(start) % SessionRun.starts.count])
    while !input.isEmpty {
        run.step(&input)
        run.check()
    }
    run.settle()
}

private struct SessionRun {
    var machine: SessionMachine
    var milliseconds: UInt64 = 0
    var hasEnded = false
    /// How much a machine may hold: packets, notes and their places in the queue, one frame.
    static let bound = 262_144 + 2 * 65_536 + 2 * 1_048_576 + 1_024

    static let starts: [SessionMachine] = [Role.initiator, .responder].flatMap { role in
        [Acknowledgement.whenTaken, .explicit].flatMap { mode in
            [make(role, mode), opened(role, mode), resuming(role, mode)]
        }
    }

    init(_ machine: SessionMachine) { self.machine = machine }

    var now: Instant { Instant(nanoseconds: 0).advanced(milliseconds: milliseconds) }

    mutating func step(_ input: inout FuzzInput) {
        let kind = input.byte()
        switch kind {
        case 0...199: machine.receive(input.take(Int(kind) + 1).span, at: now)
        case 200...209:
            let length = Int(input.byte()) << 8 | Int(input.byte())
            machine.receive(input.take(length).span, at: now)
        case 210...214: frame(&input)
        case 215: machine.accept(have: UInt64(input.byte()))
        case 216: machine.refuse(Refusal(.busy, text: "no", have: UInt64(input.byte())))
        case 217: send(input.take(Int(input.byte())))
        case 218: _ = machine.sendNote(input.take(Int(input.byte())))
        case 219: machine.took(packets: Int(input.byte()) - 1)
        case 220:
            machine.acknowledge(through: UInt64(input.byte()), hash: input.take(32))
        case 221:
            milliseconds += UInt64(input.byte()) << 8
            machine.tick(at: now)
        case 222: machine.close(GoodbyeCode(value: UInt16(input.byte())), text: "so long")
        case 223: machine.endOfStream(at: now)
        case 224: while let event = machine.nextEvent() { tell(event) }
        case 225: machine.failed(securing: "no")
        default: write()
        }
    }

    /// A frame with the right length, so that its kind and body are looked at.
    private mutating func frame(_ input: inout FuzzInput) {
        let body = input.take(Int(input.byte()) + 1)
        machine.receive(
            ([0, 0, UInt8(body.count >> 8), UInt8(body.count & 255)] + body).span, at: now)
    }

    private mutating func send(_ packet: [UInt8]) {
        let result = machine.send(packet)
        if case .accepted = result { require(!hasEnded, "a packet was taken after the end") }
    }

    private mutating func tell(_ event: SessionEvent) {
        require(!hasEnded, "something was told after the end")
        if case .ended = event { hasEnded = true }
        if case .hello = event { machine.accept() }
    }

    private mutating func write() {
        guard let output = machine.nextOutput() else { return }
        let found = frames(of: output, inPiecesOf: output.count, largest: 1_048_577)
        require(found.isClean, "the output is no row of whole frames")
    }

    func check() {
        require(machine.heldBytes <= Self.bound, "a machine grows")
        if machine.end != nil { require(machine.deadline == nil, "it waits after the end") }
    }

    mutating func settle() {
        write()
        while let event = machine.nextEvent() { tell(event) }
        require(hasEnded == (machine.end != nil), "the end is not told")
        milliseconds += 100_000
        machine.tick(at: now)
        milliseconds += 100_000
        machine.tick(at: now)
        require(machine.end != nil, "a silent peer is waited for")
    }

    private static func make(_ role: Role, _ mode: Acknowledgement) -> SessionMachine {
        SessionMachine(
            role: role, hello: .test(role), acknowledgement: mode, random: [UInt8](1...24),
            now: Instant(nanoseconds: 0))
    }

    /// The hello is done, and one packet each is under way.
    private static func opened(_ role: Role, _ mode: Acknowledgement) -> SessionMachine {
        var pair = Pair(make(.initiator, mode), make(.responder, mode))
        pair.settle()
        var machine = pair[role]
        _ = machine.send([1, 2, 3])
        _ = machine.nextOutput()
        while machine.nextEvent() != nil {}
        return machine
    }

    /// A session is taken up again that has three packets each way.
    private static func resuming(_ role: Role, _ mode: Acknowledgement) -> SessionMachine {
        var hello = Hello.test(role)
        hello.token = SessionToken([UInt8](1...16))
        hello.have = 3
        return SessionMachine(
            role: role, hello: hello, acknowledgement: mode,
            log: OutgoingLog(first: 2, packets: [[1], [2], [3]]), random: [UInt8](1...24),
            now: Instant(nanoseconds: 0))
    }
}
