// SPDX-License-Identifier: MIT

import OnlinePlay
import SessionProtocol
import TestSupport

/// What somebody says who does not know the code. The first byte says to whom: a host that has
/// asked, or a joiner that has a code, or one that has none. What follows are steps: a byte that
/// says which, and what it takes. Nobody is let in, and nobody lets such a host play.
func fuzzCode(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var run = CodeRun(input.byte())
    while !input.isEmpty {
        run.step(&input)
        run.check()
    }
    run.settle()
}

private struct CodeRun {
    enum Victim {
        case host
        case joinerWithCode
        case joinerWithout
    }

    let victim: Victim
    var machine: SessionMachine
    let pake: CPace
    var milliseconds: UInt64 = 0
    var wasAsked = false

    init(_ kind: UInt8) {
        victim = [.host, .joinerWithCode, .joinerWithout][Int(kind) % 3]
        let role: Role = victim == .host ? .responder : .initiator
        machine = SessionMachine(
            role: role, hello: .test(role), wantsProof: victim == .joinerWithCode,
            random: [UInt8](1...24), now: Instant(nanoseconds: 0))
        let pake = CPace(
            victim == .host ? .a : .b, password: Array("402193".utf8),
            channel: Array("ttt-code-v1".utf8), session: [UInt8](repeating: 7, count: 32),
            data: [1])
        guard let pake else { fatalError("libsodium draws no secret") }
        self.pake = pake
        guard victim == .host else { return }
        machine.receive(SessionMessage.hello(.test(.initiator)).frame.span, at: now)
        take()
    }

    var now: Instant { Instant(nanoseconds: 0).advanced(milliseconds: milliseconds) }

    mutating func step(_ input: inout FuzzInput) {
        let kind = input.byte()
        switch kind {
        case 0...99: machine.receive(input.take(Int(kind) + 1).span, at: now)
        case 100...199:
            // A code of a right size, so that it is looked at.
            var code = input.take([0, 32, 64, 96][Int(kind) % 4])
            code += [UInt8](repeating: 0, count: [0, 32, 64, 96][Int(kind) % 4] - code.count)
            receive(.code(code))
        case 200...204:
            var welcome = Hello.test(.responder)
            welcome.versions = VersionRange(1, 1)
            welcome.applicationVersions = VersionRange(1, 1)
            welcome.token = SessionToken([UInt8](1...16))
            receive(.welcome(welcome))
        case 205...209: receive(.hello(.test(.initiator)))
        case 210...214: receive(.refuse(Refusal(RefuseCode(value: UInt16(input.byte())))))
        case 215...219: receive(.packet(number: 1, input.take(4)))
        case 220: machine.endOfStream(at: now)
        case 221:
            milliseconds += UInt64(input.byte()) << 4
            machine.tick(at: now)
        default: _ = machine.nextOutput()
        }
        take()
    }

    private mutating func receive(_ message: SessionMessage) {
        machine.receive(message.frame.span, at: now)
    }

    /// Does what a session's owner does.
    private mutating func take() {
        while let event = machine.nextEvent() {
            switch event {
            case .hello: machine.ask(pake.share)
            case .answered(let answer):
                let tags = pake.tags(otherShare: Array(answer.prefix(32)), otherData: [2])
                require(tags?.other != Array(answer.dropFirst(32)), "a code was guessed")
                machine.refuse(Refusal(.wrongCode))
            case .asked(let share):
                require(victim == .joinerWithCode && !wasAsked, "asked for no reason")
                wasAsked = true
                guard let tags = pake.tags(otherShare: share, otherData: [2]) else {
                    machine.failed(securing: "the share of the code is none")
                    continue
                }
                machine.answer(pake.share + tags.own, expecting: tags.other)
            default: break
            }
        }
    }

    func check() {
        guard victim != .joinerWithout else { return }
        require(!machine.isOpen, "somebody is let in who does not know the code")
        if case .left = machine.end { fatalError("a goodbye is taken from a stranger") }
    }

    mutating func settle() {
        let isOpen = machine.isOpen
        milliseconds += 10_000
        machine.tick(at: now)
        take()
        require(machine.end != nil || isOpen, "somebody silent is waited for")
    }
}
