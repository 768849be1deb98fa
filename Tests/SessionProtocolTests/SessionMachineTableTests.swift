// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

/// Every state and every kind of input: what is told, what is said, and in which state it ends.
@Suite struct SessionMachineTableTests {
    /// The states; `open` from both ends, because what they do is to be alike.
    enum Place: CaseIterable {
        case awaitingHello, deciding, awaitingWelcome, openInitiator, openResponder, ended

        /// A machine there; an open one has sent packet 1 and received packet 1.
        var machine: SessionMachine {
            var machine: SessionMachine
            switch self {
            case .awaitingHello: machine = .make(.responder, acknowledgement: .explicit)
            case .awaitingWelcome: machine = .make(.initiator, acknowledgement: .explicit)
            case .deciding:
                machine = .make(.responder, acknowledgement: .explicit)
                _ = machine.hears(SessionMessage.hello(.test(.initiator)).frame)
            case .openInitiator, .openResponder:
                let role: Role = self == .openInitiator ? .initiator : .responder
                machine = .open(role, acknowledgement: .explicit)
                _ = machine.send([1])
                _ = machine.hears(SessionMessage.packet(number: 1, [1]).frame)
            case .ended:
                machine = .open(.initiator, acknowledgement: .explicit)
                machine.close(.left)
            }
            _ = machine.said()
            _ = machine.told()
            return machine
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What happens in the first three states, in `open`, and after the end.
        var expected: [String]
        var input: @Sendable (inout SessionMachine) -> Void

        init(
            _ name: String, _ awaitingHello: String, _ deciding: String, _ awaitingWelcome: String,
            _ open: String, after ended: String = "-",
            _ input: @escaping @Sendable (inout SessionMachine) -> Void
        ) {
            testDescription = name
            expected = [awaitingHello, deciding, awaitingWelcome, open, open, ended]
            self.input = input
        }

        /// A row whose input is a message.
        init(
            _ message: SessionMessage, _ awaitingHello: String, _ deciding: String,
            _ awaitingWelcome: String, _ open: String
        ) {
            let frame = message.frame
            self.init("\(message)", awaitingHello, deciding, awaitingWelcome, open) {
                $0.receive(frame.span, at: at(1))
            }
        }

        /// A row whose input is bytes.
        init(
            bytes: [UInt8], _ awaitingHello: String, _ deciding: String, _ awaitingWelcome: String,
            _ open: String
        ) {
            self.init("\(bytes)", awaitingHello, deciding, awaitingWelcome, open) {
                $0.receive(bytes.span, at: at(1))
            }
        }
    }

    /// "The peer broke the protocol", before and after the hello is done.
    static let broken = "ended broken"
    static let brokenOpen = "ended broken > goodbye 2"

    static let messageRows: [Row] = [
        Row(.hello(.test(.initiator)), "hello", broken, broken, brokenOpen),
        Row(.welcome(.testWelcome), broken, broken, "ready", brokenOpen),
        Row(.refuse(Refusal(.busy)), broken, broken, "ended refused 3", brokenOpen),
        Row(.packet(number: 1, [1]), broken, broken, broken, "-"),
        Row(.packet(number: 2, [1]), broken, broken, broken, "packet 2"),
        Row(.packet(number: 3, [1]), broken, broken, broken, brokenOpen),
        Row(.packet(number: .max, []), broken, broken, broken, brokenOpen),
        Row(.have(count: 0, hash: nil), broken, broken, broken, "-"),
        Row(.have(count: 1, hash: nil), broken, broken, broken, "had 1"),
        Row(.have(count: 2, hash: nil), broken, broken, broken, brokenOpen),
        Row(.have(count: .max, hash: nil), broken, broken, broken, brokenOpen),
        Row(.ping(5), broken, broken, broken, "- > pong 5"),
        Row(.pong(5), broken, broken, broken, "-"),
        Row(.goodbye(.left, text: ""), broken, broken, broken, "ended left 0"),
        Row(.goodbye(GoodbyeCode(value: 99), text: ""), broken, broken, broken, "ended left 99"),
        Row(.note([1]), broken, broken, broken, "note"),
        Row(.code([]), broken, broken, broken, brokenOpen),
        Row(
            .code([UInt8](repeating: 1, count: 32)), broken, broken, "- > code 0", brokenOpen),
        Row(.code([UInt8](repeating: 1, count: 64)), broken, broken, broken, brokenOpen),
        Row(.code([UInt8](repeating: 1, count: 96)), broken, broken, broken, brokenOpen),
        Row(.unknown(kind: 0x0b, [1]), "-", "-", "-", "-"),
        Row(.unknown(kind: 0x7f, []), "-", "-", "-", "-"),
        Row(.unknown(kind: 0xff, [1]), "-", "-", "-", "-"),
    ]

    static let malformedRows: [Row] =
        FrameKind.allCases.filter { $0 != .note }.map { kind in
            // One byte is a wrong body for every listed kind but note.
            Row(bytes: [0, 0, 0, 2, kind.rawValue, 1], broken, broken, broken, brokenOpen)
        } + [
            Row(bytes: [0, 0, 0, 0], broken, broken, broken, brokenOpen),
            Row(bytes: [0xff, 0xff, 0xff, 0xff], broken, broken, broken, brokenOpen),
            Row(bytes: [0, 0, 0x10, 0x01], broken, broken, broken, "-"),
            Row(bytes: [0, 0, 0, 9, 4], "-", "-", "-", "-"),
            Row(bytes: [0], "-", "-", "-", "-"),
            Row(bytes: [], "-", "-", "-", "-"),
        ]

    static let otherRows: [Row] = [
        Row("end of stream", "ended lost", "ended lost", "ended lost", "ended lost") {
            $0.endOfStream(at: at(1))
        },
        Row("end inside a frame", "ended lost", "ended lost", "ended lost", "ended lost") {
            $0.receive(([0, 0] as [UInt8]).span, at: at(1))
            $0.endOfStream(at: at(1))
        },
        Row("read error", "ended read", "ended read", "ended read", "ended read") {
            $0.failed(reading: "x")
        },
        Row("write error", "ended write", "ended write", "ended write", "ended write") {
            $0.failed(writing: "x")
        },
        Row("TLS error", broken, broken, broken, "ended lost") { $0.failed(securing: "x") },
        Row("early tick", "-", "-", "-", "-") { $0.tick(at: at(4_999)) },
        Row("tick at 5 s", "ended lost", "ended lost", "ended lost", "-") {
            $0.tick(at: at(5_000))
        },
        Row("tick after silence", "ended lost", "ended lost", "ended lost", "- > ping") {
            $0.tick(at: at(15_001))
        },
        Row("accept", "-", "ready > welcome, unknown", "-", "-") { $0.accept() },
        Row("accept without the log", "-", "ended refused 8 > refuse 8", "-", "-") {
            $0.accept(log: OutgoingLog(first: 2))
        },
        Row("refuse", "-", "ended refused 3 > refuse 3", "-", "-") { $0.refuse(Refusal(.busy)) },
        Row("ask", "-", "- > code 32", "-", "-") { $0.ask([UInt8](repeating: 1, count: 32)) },
        Row("answer", "-", "-", "-", "-") {
            $0.answer(
                [UInt8](repeating: 1, count: 96), expecting: [UInt8](repeating: 1, count: 64))
        },
        Row("send", "-", "-", "-", "- > packet 2") { _ = $0.send([2]) },
        Row("send note", "-", "-", "-", "- > note") { _ = $0.sendNote([2]) },
        Row("took", "-", "-", "-", "-") { $0.took(packets: 1) },
        Row("acknowledge", "-", "-", "-", "- > have 1") { $0.acknowledge(through: 1) },
        Row("acknowledge what was not received", "-", "-", "-", "-") {
            $0.acknowledge(through: 2)
        },
        Row(
            "close", "ended closed 1", "ended closed 1 > refuse 4", "ended closed 1",
            "ended closed 1 > goodbye 1"
        ) { $0.close(.keptForLater) },
    ]

    @Test(arguments: messageRows + malformedRows + otherRows)
    func `an input has its answer in every state`(row: Row) {
        for (place, expected) in zip(Place.allCases, row.expected) {
            var machine = place.machine
            row.input(&machine)
            #expect(Self.summary(&machine) == expected, "\(place)")
        }
    }

    @Test(arguments: messageRows + malformedRows + otherRows)
    func `a machine that an input has ended does nothing more`(row: Row) {
        for place in Place.allCases {
            var machine = place.machine
            row.input(&machine)
            guard let end = machine.end else { continue }
            _ = Self.summary(&machine)
            for other in Self.messageRows + Self.malformedRows + Self.otherRows {
                other.input(&machine)
                #expect(Self.summary(&machine) == "-", "\(place), then \(other.testDescription)")
                #expect(machine.end == end && machine.deadline == nil)
            }
            #expect(machine.send([1]) == .ended && machine.sendNote([1]) == .ended)
        }
    }

    /// What was told, then `>` and what was said; `-` for nothing told.
    static func summary(_ machine: inout SessionMachine) -> String {
        let told = machine.told().map(word).joined(separator: ", ")
        let said = machine.said().map(word).joined(separator: ", ")
        return (told.isEmpty ? "-" : told) + (said.isEmpty ? "" : " > \(said)")
    }

    private static func word(_ event: SessionEvent) -> String {
        switch event {
        case .hello: "hello"
        case .asked: "asked"
        case .answered: "answered"
        case .ready: "ready"
        case .packet(let number, _): "packet \(number)"
        case .note: "note"
        case .had(let count, _): "had \(count)"
        case .ended(.left(let code, _)): "ended left \(code.value)"
        case .ended(.closed(let code)): "ended closed \(code.value)"
        case .ended(.refused(let refusal)): "ended refused \(refusal.code.value)"
        case .ended(.lost): "ended lost"
        case .ended(.protocolError): "ended broken"
        case .ended(.readError): "ended read"
        case .ended(.writeError): "ended write"
        }
    }

    private static func word(_ message: SessionMessage) -> String {
        switch message {
        case .hello: "hello"
        case .welcome: "welcome"
        case .refuse(let refusal): "refuse \(refusal.code.value)"
        case .packet(let number, _): "packet \(number)"
        case .have(let count, _): "have \(count)"
        case .ping: "ping"
        case .pong(let number): "pong \(number)"
        case .goodbye(let code, _): "goodbye \(code.value)"
        case .note: "note"
        case .code(let bytes): "code \(bytes.count)"
        case .unknown: "unknown"
        }
    }
}
