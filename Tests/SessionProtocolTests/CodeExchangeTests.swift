// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

/// Between hello and welcome: the proof of a code, in every state.
@Suite struct CodeExchangeTests {
    static let share = [UInt8](repeating: 1, count: 32)
    static let answer = [UInt8](repeating: 2, count: 96)
    static let proof = [UInt8](repeating: 3, count: 64)

    /// The states that only a code leads to, and an initiator that waits for a welcome with one.
    enum Place: CaseIterable {
        case asked, answered, wanting, answering, awaitingProof, awaitingRefusal, proven

        var machine: SessionMachine {
            var machine: SessionMachine
            switch self {
            case .asked, .answered:
                machine = .make(.responder)
                _ = machine.hears(SessionMessage.hello(.test(.initiator)).frame)
                machine.ask(share)
                if self == .answered { _ = machine.hears(SessionMessage.code(answer).frame) }
            case .awaitingRefusal:
                machine = .make(.initiator)
                _ = machine.hears(SessionMessage.code(share).frame)
            default:
                machine = SessionMachine(
                    role: .initiator, hello: .test(.initiator), wantsProof: true,
                    random: [UInt8](1...24), now: at(0))
                guard self != .wanting else { break }
                _ = machine.hears(SessionMessage.code(share).frame)
                guard self != .answering else { break }
                machine.answer(answer, expecting: proof)
                guard self == .proven else { break }
                _ = machine.hears(SessionMessage.code(proof).frame)
            }
            _ = machine.said()
            _ = machine.told()
            return machine
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: [String]
        var input: @Sendable (inout SessionMachine) -> Void

        /// What happens to a responder that has asked and one that was answered; to an initiator
        /// that wants proof and to one that is answering, awaits the proof, awaits its refusal as
        /// it has no code, and has the proof.
        init(
            _ name: String, _ expected: [String],
            _ input: @escaping @Sendable (inout SessionMachine) -> Void
        ) {
            testDescription = name
            self.expected = expected
            self.input = input
        }

        init(_ message: SessionMessage, _ expected: [String]) {
            let frame = message.frame
            self.init("\(message)", expected) { $0.receive(frame.span, at: at(1)) }
        }
    }

    private static let broken = "ended broken"
    private static let spent = "ended refused 12"
    private static let allBroken = [broken, broken, broken, broken, spent, broken, broken]
    private static let allLost =
        [String](repeating: "ended lost", count: 4)
        + [spent, "ended lost", "ended lost"]
    private static let nothing = [String](repeating: "-", count: 7)

    static let rows: [Row] = [
        Row(.hello(.test(.initiator)), allBroken),
        Row(
            .welcome(.testWelcome),
            [broken, broken, "ended refused 11", broken, spent, broken, "ready"]),
        Row(
            .refuse(Refusal(.wrongCode)),
            [
                broken, broken, "ended refused 12", broken, spent, "ended refused 12",
                "ended refused 12",
            ]),
        Row(
            .refuse(Refusal(.full)),
            [
                broken, broken, "ended refused 9", broken, spent, "ended refused 9",
                "ended refused 9",
            ]),
        Row(
            .code([]),
            ["ended refused 11 > refuse 11", broken, broken, broken, spent, broken, broken]),
        Row(.code(share), [broken, broken, "asked", broken, spent, broken, broken]),
        Row(.code(answer), ["answered", broken, broken, broken, spent, broken, broken]),
        Row(.code(proof), [broken, broken, broken, broken, "-", broken, broken]),
        Row(
            .code([UInt8](repeating: 4, count: 64)),
            [broken, broken, broken, broken, spent, broken, broken]),
        Row(
            .code([3] + proof.dropLast(2) + [2]),
            [broken, broken, broken, broken, spent, broken, broken]),
        Row(.packet(number: 1, [1]), allBroken),
        Row(.have(count: 0, hash: nil), allBroken),
        Row(.ping(1), allBroken),
        Row(.pong(1), allBroken),
        Row(.note([]), allBroken),
        Row(.goodbye(.left, text: ""), allBroken),
        Row(.unknown(kind: 0xf0, [1]), nothing),
        Row("ask", nothing) { $0.ask(share) },
        Row("answer", ["-", "-", "-", "- > code 96", "-", "-", "-"]) {
            $0.answer(answer, expecting: proof)
        },
        Row("answer of a wrong size", nothing) { $0.answer(share, expecting: proof) },
        Row("accept", ["-", "ready > code 64, welcome, unknown", "-", "-", "-", "-", "-"]) {
            $0.accept(proof: proof)
        },
        Row("refuse", ["-", "ended refused 12 > refuse 12", "-", "-", "-", "-", "-"]) {
            $0.refuse(Refusal(.wrongCode))
        },
        Row("send", nothing) { #expect($0.send([1]) == .notReady) },
        Row("send note", nothing) { #expect($0.sendNote([1]) == .notReady) },
        Row("early tick", nothing) { $0.tick(at: at(4_999)) },
        Row("tick at 5 s", allLost) { $0.tick(at: at(5_000)) },
        Row("end of stream", allLost) { $0.endOfStream(at: at(1)) },
        Row("reading fails", allLost.map { $0 == spent ? spent : "ended read" }) {
            $0.failed(reading: "no")
        },
        Row("writing fails", allLost.map { $0 == spent ? spent : "ended write" }) {
            $0.failed(writing: "no")
        },
        Row("TLS fails", allBroken) { $0.failed(securing: "no") },
        Row(
            "close",
            ["ended closed 0", "ended closed 0 > refuse 4"]
                + [String](repeating: "ended closed 0", count: 5)
        ) { $0.close(.left) },
    ]

    @Test(arguments: rows)
    func `an input has its answer in every state of the exchange`(row: Row) {
        for (place, expected) in zip(Place.allCases, row.expected) {
            var machine = place.machine
            row.input(&machine)
            #expect(SessionMachineTableTests.summary(&machine) == expected, "\(place)")
        }
    }

    @Test func `a hello is asked once, and then not taken without an answer`() {
        var machine = Place.answered.machine
        machine.ask(Self.share)
        #expect(machine.said().isEmpty)
        machine = Place.asked.machine
        machine.accept(proof: Self.proof)
        machine.refuse(Refusal(.busy))
        #expect(machine.said().isEmpty && machine.end == nil)
    }

    @Test func `an end after the answer says what happened, and whom to ask for the code`() {
        let wordy = SessionMessage.refuse(Refusal(.busy, text: "busy")).frame
        let terse = SessionMessage.refuse(Refusal(.busy)).frame
        let ends: [(String, (inout SessionMachine) -> Void)] = [
            ("closed without a goodbye", { $0.endOfStream(at: at(1)) }),
            ("the hello took too long", { $0.tick(at: at(5_000)) }),
            ("busy", { $0.receive(wordy.span, at: at(1)) }),
            ("code 3", { $0.receive(terse.span, at: at(1)) }),
        ]
        for (reason, happen) in ends {
            var machine = Place.awaitingProof.machine
            happen(&machine)
            guard case .refused(let refusal) = machine.end else {
                Issue.record("\(reason)")
                continue
            }
            #expect(refusal.text.contains(reason) && refusal.text.contains("ask the host"))
        }
    }

    @Test func `the proof counts when it comes in one piece with the welcome`() {
        var machine = Place.awaitingProof.machine
        let bytes =
            SessionMessage.code(Self.proof).frame + SessionMessage.welcome(.testWelcome).frame
        #expect(machine.hears(bytes).count == 1)
        #expect(machine.isOpen)
    }

    /// Whether an initiator that expects `expected` is content with `proof`.
    private func isContent(with proof: [UInt8], expecting expected: [UInt8]) -> Bool {
        var machine = Place.answering.machine
        machine.answer(Self.answer, expecting: expected)
        _ = machine.hears(SessionMessage.code(proof).frame)
        return machine.end == nil
    }

    @Test func `a proof with one other bit is none`() {
        #expect(isContent(with: Self.proof, expecting: Self.proof))
        for bit in 0..<512 {
            var proof = Self.proof
            proof[bit / 8] ^= 1 << (bit % 8)
            #expect(!isContent(with: proof, expecting: Self.proof), "\(bit)")
        }
    }

    @Test func `a proof that is another altogether is none, however it ends`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<20 {
            let expected = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
            let other = (0..<63).map { _ in UInt8.random(in: 0...255, using: &random) }
            for byte in UInt8.min ... .max {
                #expect(!isContent(with: other + [byte], expecting: expected))
                let monotonous = [UInt8](repeating: byte, count: 64)
                #expect(!isContent(with: monotonous, expecting: expected))
            }
        }
    }

    @Test func `a second host in the same connection is not asked`() {
        var machine = Place.proven.machine
        _ = machine.hears(SessionMessage.code(Self.share).frame)
        guard case .protocolError = machine.end else {
            Issue.record("asked twice")
            return
        }
    }
}
