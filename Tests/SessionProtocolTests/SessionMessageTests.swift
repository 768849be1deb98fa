// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@Suite struct SessionMessageTests {
    /// A hello's fields with some replaced, left out (`nil`) or added at the end.
    static func helloBody(_ changes: [UInt8: [UInt8]?] = [:], more: [UInt8] = []) -> [UInt8] {
        var fields: [(tag: UInt8, value: [UInt8])] = [
            (1, [0, 1, 0, 1]), (2, [0x74]), (3, [0, 1, 0, 1]), (4, []),
            (5, [1, 2, 3, 4, 5, 6, 7, 8]), (6, [UInt8](1...16)), (7, [0, 0, 0, 0, 0, 0, 0, 3]),
            (8, [UInt8](repeating: 7, count: 32)), (9, [0, 0, 0x10, 0]), (10, [1]), (0xf0, []),
        ]
        for (tag, value) in changes {
            fields.removeAll { $0.tag == tag }
            if let value { fields.append((tag, value)) }
        }
        return fields.flatMap {
            [$0.tag, UInt8($0.value.count >> 8), UInt8($0.value.count & 0xff)] + $0.value
        }
            + more
    }

    static func reads(_ frame: [UInt8]) -> Bool {
        (try? SessionMessage(frame: frame.span)) != nil
    }

    @Test(arguments: [1, 2] as [UInt8])
    func `a hello and a welcome of the right form are read`(kind: UInt8) {
        #expect(Self.reads([kind] + Self.helloBody()))
        #expect(Self.reads([kind] + Self.helloBody([8: nil, 10: nil])))
        #expect(
            Self.reads([kind] + Self.helloBody(more: [0x0b, 0, 2, 1, 2, 0xff, 0, 0, 0xff, 0, 0])))
        #expect(
            Self.reads([1] + Self.helloBody([6: nil, 7: [UInt8](repeating: 0, count: 8)])))
    }

    @Test(arguments: [1, 2] as [UInt8])
    func `a hello or welcome of a wrong form is an error`(kind: UInt8) {
        for tag in [1, 2, 3, 4, 5, 7, 9] as [UInt8] {
            #expect(!Self.reads([kind] + Self.helloBody([tag: nil])), "\(tag) missing")
        }
        for tag in 1...10 as ClosedRange<UInt8> {
            let twice: [UInt8] = [tag, 0, 4, 0, 1, 0, 1]
            #expect(!Self.reads([kind] + Self.helloBody(more: twice)), "\(tag) twice")
        }
        let wrong: [(UInt8, [UInt8])] = [
            (1, [0, 1, 0]), (1, [0, 1, 0, 1, 0]), (1, [0, 2, 0, 1]), (2, []),
            (2, [UInt8](repeating: 0x61, count: 65)), (2, [0xff]), (3, []), (3, [0, 9, 0, 1]),
            (4, [UInt8](repeating: 0x61, count: 65)), (4, [0xc3]), (5, [1]),
            (5, [UInt8](repeating: 1, count: 9)), (6, []), (6, [UInt8](repeating: 1, count: 17)),
            (7, [1]), (8, []), (8, [UInt8](repeating: 1, count: 31)), (9, [0, 0, 0x0f, 0xff]),
            (9, [1, 0, 0, 1]), (9, [0xff, 0xff, 0xff, 0xff]), (9, []),
            (10, [UInt8](repeating: 1, count: 256)),
        ]
        for (tag, value) in wrong {
            #expect(!Self.reads([kind] + Self.helloBody([tag: value])), "\(tag): \(value)")
        }
        for rest in [[0xf1], [0xf1, 0], [0xf1, 0, 1], [0xf1, 0xff, 0xff, 1]] as [[UInt8]] {
            #expect(!Self.reads([kind] + Self.helloBody(more: rest)), "left over: \(rest)")
        }
        #expect(!Self.reads([kind] + Self.helloBody([6: nil])), "have without a token")
    }

    @Test func `a welcome names its session and chooses one version of each`() {
        let none = [UInt8](repeating: 0, count: 8)
        #expect(!Self.reads([2] + Self.helloBody([6: nil, 7: none])))
        #expect(!Self.reads([2] + Self.helloBody([1: [0, 1, 0, 2]])))
        #expect(!Self.reads([2] + Self.helloBody([3: [0, 1, 0, 2]])))
    }

    @Test func `other messages of a wrong form are errors`() {
        let wrong: [[UInt8]] = [
            [], [3], [3, 1, 0, 1, 0], [3, 1, 0, 2, 0, 1, 1, 0, 2, 0, 1], [3, 2, 0, 1, 0x61],
            [3, 1, 0, 2, 0, 1, 3, 0, 1, 0], [3, 1, 0, 2, 0, 1, 2, 0, 1, 0xff],
            [3, 1, 0, 2, 0, 1, 2, 0, 201] + [UInt8](repeating: 0x61, count: 201),
            [4], [4, 0, 0, 0, 0, 0, 0, 1], [4, 0, 0, 0, 0, 0, 0, 0, 0, 9],
            [5], [5, 0, 0, 0, 0, 0, 0, 1], [5] + [UInt8](repeating: 0, count: 9),
            [5] + [UInt8](repeating: 0, count: 41),
            [6], [6] + [UInt8](repeating: 0, count: 7), [7] + [UInt8](repeating: 0, count: 9),
            [10, 1], [10] + [UInt8](repeating: 0, count: 31),
            [10] + [UInt8](repeating: 0, count: 97), [8], [8, 1, 0, 1, 0], [8, 2, 0, 1, 0x61],
            [8, 1, 0, 2, 0, 1, 2, 0, 1, 0xff],
        ]
        for frame in wrong { #expect(!Self.reads(frame), "\(frame)") }
    }

    @Test func `every kind byte but the listed ten is unknown`() throws {
        for kind in UInt8.min...UInt8.max where FrameKind(rawValue: kind) == nil {
            let frame = [kind, 1, 2]
            #expect(try SessionMessage(frame: frame.span) == .unknown(kind: kind, [1, 2]))
        }
    }

    @Test func `text that is too long is cut between characters`() throws {
        var hello = Hello.test(.initiator)
        hello.name = String(repeating: "a", count: 62) + "☕☕"
        hello.detail = [UInt8](repeating: 1, count: 300)
        hello.largestFrame = 1
        let frame = SessionMessage.hello(hello).frame
        guard case .hello(let read) = try SessionMessage(frame: [UInt8](frame[4...]).span) else {
            Issue.record("not a hello")
            return
        }
        #expect(read.name == String(repeating: "a", count: 62))
        #expect(read.detail.count == 255)
        #expect(read.largestFrame == 4_096)
        let refusal = Refusal(.busy, text: String(repeating: "☕", count: 100))
        #expect(Self.reads([UInt8](SessionMessage.refuse(refusal).frame.dropFirst(4))))
        let goodbye = SessionMessage.goodbye(.left, text: String(repeating: "☕", count: 100))
        #expect(Self.reads([UInt8](goodbye.frame.dropFirst(4))))
    }

    @Test func `random messages survive encoding and decoding`() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<5_000 {
            let message = Self.randomMessage(&random)
            let frame = [UInt8](message.frame.dropFirst(4))
            #expect(try SessionMessage(frame: frame.span) == message)
        }
    }

    private static func randomMessage(_ random: inout SeededGenerator) -> SessionMessage {
        let number = UInt64.random(in: 1...UInt64.max, using: &random)
        let bytes = random.bytes(Int.random(in: 0...99, using: &random))
        let text = String(number, radix: 36)
        switch Int.random(in: 0..<11, using: &random) {
        case 10: return .code(random.bytes(32 * Int.random(in: 0...3, using: &random)))
        case 0: return .packet(number: number, bytes)
        case 1: return .have(count: number, hash: number % 2 == 0 ? random.bytes(32) : nil)
        case 2: return .ping(number)
        case 3: return .pong(number)
        case 4: return .note(bytes)
        case 5: return .unknown(kind: UInt8.random(in: 11...255, using: &random), bytes)
        case 6: return .refuse(Refusal(RefuseCode(value: 700), text: text, have: number))
        case 7: return .goodbye(GoodbyeCode(value: 1), text: text)
        default:
            var hello = Hello(
                application: text, applicationVersions: VersionRange(2, 2), name: "",
                instance: InstanceID(value: number),
                largestFrame: UInt32.random(in: 4_096...16_777_216, using: &random))
            hello.token = SessionToken(random.bytes(16))
            hello.have = number
            hello.detail = bytes
            return number % 2 == 0 ? .hello(hello) : .welcome(hello)
        }
    }
}
