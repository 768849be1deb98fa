// SPDX-License-Identifier: MIT

import SessionProtocol
import TestSupport
import Testing

@Suite struct SessionHelloTests {
    /// What a responder does with a hello that differs from the tests' in one respect.
    private static func judged(_ change: (inout Hello) -> Void) -> SessionEvent? {
        var hello = Hello.test(.initiator)
        change(&hello)
        var responder = SessionMachine.make(.responder)
        return responder.hears(SessionMessage.hello(hello).frame).first
    }

    private static func refusal(_ change: (inout Hello) -> Void) -> RefuseCode? {
        guard case .ended(.refused(let refusal)) = judged(change) else { return nil }
        return refusal.code
    }

    @Test func `the highest version that both speak is chosen`() {
        let range = VersionRange(2, 3)
        #expect(range.highestCommon(with: VersionRange(0, 2)) == 2)
        #expect(range.highestCommon(with: VersionRange(1, 9)) == 3)
        #expect(range.highestCommon(with: VersionRange(4, 9)) == nil)
        guard
            case .hello(let hello) = Self.judged({ hello in
                hello.versions = VersionRange(0, 7)
                hello.applicationVersions = VersionRange(2, 9)
            })
        else {
            Issue.record("not told")
            return
        }
        #expect(hello.versions == VersionRange(1, 1))
        #expect(hello.applicationVersions == VersionRange(3, 3))
    }

    @Test func `a responder refuses what can never be a session, in the order of the protocol`() {
        #expect(Self.refusal { $0.versions = VersionRange(2, 9) } == .version)
        #expect(Self.refusal { $0.application = "chess" } == .application)
        #expect(Self.refusal { $0.applicationVersions = VersionRange(4, 9) } == .application)
        #expect(Self.refusal { $0.instance = Hello.test(.responder).instance } == .dialledSelf)
        #expect(
            Self.refusal {
                $0 = Hello.test(.responder)
                $0.versions = VersionRange(2, 2)
                $0.application = "chess"
            } == .version)
    }

    @Test func `both sides are told the same versions, the other's name and one token`() {
        var pair = Pair()
        pair.settle()
        var readies: [Hello] = []
        for case .ready(let hello) in Role.allCases.flatMap({ pair.events[$0] ?? [] }) {
            readies.append(hello)
        }
        #expect(readies.map(\.name) == ["Bob", "Ann"])
        #expect(readies.allSatisfy { $0.versions == VersionRange(1, 1) })
        #expect(readies.allSatisfy { $0.applicationVersions == VersionRange(3, 3) })
        #expect(readies.allSatisfy { $0.token == SessionToken([UInt8](1...16)) })
        #expect(pair.initiator.token == pair.responder.token)
    }

    @Test func `a refusal arrives with its code and text`() {
        var pair = Pair()
        pair.accepts = false
        pair.settle()
        pair.responder.refuse(Refusal(.busy, text: "later", have: 4))
        pair.settle()
        let end = SessionEnd.refused(Refusal(.busy, text: "later", have: 4))
        #expect(pair.initiator.end == end && pair.responder.end == end)
    }

    @Test func `a welcome to something else is a protocol error without a goodbye`() {
        let changes: [(inout Hello) -> Void] = [
            { $0.versions = VersionRange(2, 2) }, { $0.application = "chess" },
            { $0.applicationVersions = VersionRange(4, 4) }, { $0.have = 1 },
        ]
        for change in changes {
            var welcome = Hello.testWelcome
            change(&welcome)
            var initiator = SessionMachine.make(.initiator)
            _ = initiator.nextOutput()
            _ = initiator.hears(SessionMessage.welcome(welcome).frame)
            guard case .protocolError = initiator.end else {
                Issue.record("\(welcome) was taken")
                continue
            }
            #expect(initiator.nextOutput() == nil)
        }
    }

    @Test func `a welcome to another session than the one asked for is a protocol error`() {
        var initiator = SessionMachine(
            role: .initiator, hello: .testResume, random: [], now: at(0))
        var welcome = Hello.testWelcome
        welcome.token = SessionToken([UInt8](repeating: 1, count: 16))
        _ = initiator.hears(SessionMessage.welcome(welcome).frame)
        guard case .protocolError = initiator.end else {
            Issue.record("taken")
            return
        }
    }

    @Test func `the limit on frames rises when the hello is done, to what was announced`() {
        var hello = Hello.test(.responder)
        hello.largestFrame = 5_000
        var responder = SessionMachine(role: .responder, hello: hello, random: [], now: at(0))
        _ = responder.hears(SessionMessage.hello(.test(.initiator)).frame)
        responder.accept()
        _ = responder.told()
        let packet = [UInt8](repeating: 1, count: 4_991)
        #expect(
            responder.hears(SessionMessage.packet(number: 1, packet).frame)
                == [.packet(number: 1, packet)])
        _ = responder.hears(SessionMessage.packet(number: 2, packet + [1]).frame)
        #expect(responder.end == .protocolError("a frame of 5001 bytes, more than 5000"))
    }

    @Test func `a packet larger than the peer takes is not sent`() {
        var welcome = Hello.testWelcome
        welcome.largestFrame = 4_096
        var initiator = SessionMachine.make(.initiator)
        _ = initiator.hears(SessionMessage.welcome(welcome).frame)
        #expect(initiator.send([UInt8](repeating: 0, count: 4_088)) == .tooLarge(limit: 4_087))
        #expect(initiator.sendNote([UInt8](repeating: 0, count: 4_088)) == .tooLarge(limit: 4_087))
        #expect(initiator.send([UInt8](repeating: 0, count: 4_087)) == .accepted(1))
    }

    @Test func `every side sends a field and a kind that nobody knows`() {
        for role in Role.allCases {
            var machine = SessionMachine.make(role)
            if role == .responder {
                _ = machine.hears(SessionMessage.hello(.test(.initiator)).frame)
                machine.accept()
            }
            let bytes = machine.nextOutput() ?? []
            let found = (try? frames(of: bytes, inPiecesOf: [bytes.count])) ?? []
            #expect(found.count == 2)
            #expect(found.last.map { $0[0] >= 0xf0 } == true)
            // The field is the last one: its tag stands five bytes before the end.
            #expect(found.first.map { $0[$0.count - 5] >= 0xf0 } == true)
        }
    }
}
