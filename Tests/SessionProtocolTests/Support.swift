// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport

/// A moment, in milliseconds from the start of a test.
func at(_ milliseconds: UInt64) -> Instant {
    Instant(nanoseconds: 0).advanced(milliseconds: milliseconds)
}

/// A length as it stands in a frame.
func header(_ length: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> UInt32($0)) }
}

/// The frames of a stream that arrives in pieces of the given sizes, the last one repeated.
func frames(
    of stream: [UInt8], inPiecesOf sizes: [Int], largest: UInt32 = 4_096
) throws -> [[UInt8]] {
    var decoder = FrameDecoder(largest: largest)
    var found: [[UInt8]] = []
    var rest = stream[...]
    var sizes = sizes[...]
    var size = 1
    while !rest.isEmpty {
        size = sizes.popFirst() ?? size
        found += try frames(in: [UInt8](rest.prefix(size)), with: &decoder)
        rest = rest.dropFirst(size)
    }
    try decoder.end()
    return found
}

/// The frames that a chunk completes: kind and body.
func frames(in chunk: [UInt8], with decoder: inout FrameDecoder) throws(FrameError) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var offset = 0
    while let frame = try decoder.next(of: chunk.span, from: &offset) {
        switch frame {
        case .inChunk(let range): found.append([UInt8](chunk[range]))
        case .gathered(let bytes): found.append(bytes)
        }
    }
    return found
}

extension SessionMachine {
    /// Takes bytes and gives what is told because of them.
    mutating func hears(_ bytes: [UInt8], at now: Instant = at(0)) -> [SessionEvent] {
        receive(bytes.span, at: now)
        return told()
    }

    /// Everything that is to be told.
    mutating func told() -> [SessionEvent] {
        var events: [SessionEvent] = []
        while let event = nextEvent() { events.append(event) }
        return events
    }

    /// The messages that are to be written.
    mutating func said() -> [SessionMessage] {
        guard let bytes = nextOutput(),
            let frames = try? frames(of: bytes, inPiecesOf: [bytes.count], largest: .max)
        else { return [] }
        return frames.compactMap { try? SessionMessage(frame: $0.span) }
    }

    /// The machine of a role after `reached` steps of a session with the test hellos.
    static func make(
        _ role: Role, acknowledgement: Acknowledgement = .whenTaken,
        limits: SessionLimits = SessionLimits()
    ) -> SessionMachine {
        SessionMachine(
            role: role, hello: .test(role), limits: limits, acknowledgement: acknowledgement,
            random: [UInt8](1...24), now: at(0))
    }

    /// The same with the hello done, and nothing waiting.
    static func open(
        _ role: Role, acknowledgement: Acknowledgement = .whenTaken,
        limits: SessionLimits = SessionLimits()
    ) -> SessionMachine {
        var machine = make(role, acknowledgement: acknowledgement, limits: limits)
        switch role {
        case .initiator: _ = machine.hears(SessionMessage.welcome(.testWelcome).frame)
        case .responder:
            _ = machine.hears(SessionMessage.hello(.test(.initiator)).frame)
            machine.accept()
        }
        _ = machine.said()
        _ = machine.told()
        return machine
    }
}

extension Hello {
    /// What the responder of the tests answers to the initiator's hello.
    static var testWelcome: Hello {
        var welcome = Hello.test(.responder)
        welcome.applicationVersions = VersionRange(3, 3)
        welcome.token = SessionToken([UInt8](1...16))
        return welcome
    }

    /// The initiator's hello to resume a session of which it has three packets.
    static var testResume: Hello {
        var hello = Hello.test(.initiator)
        hello.token = SessionToken([UInt8](1...16))
        hello.have = 3
        hello.hash = [UInt8](repeating: 0xab, count: 32)
        hello.largestFrame = 65_536
        hello.detail = [0xff, 0x00]
        return hello
    }
}
