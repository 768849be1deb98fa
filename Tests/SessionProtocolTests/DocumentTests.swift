// SPDX-License-Identifier: MIT

import Foundation
import SessionProtocol
import TestSupport
import Testing

/// The examples in `docs/protocol.md`, read out of the document itself.
@Suite struct DocumentTests {
    static let messages: [String: SessionMessage] = [
        "hello": .hello(.test(.initiator)),
        "hello-resume": .hello(.testResume),
        "welcome": .welcome(.testWelcome),
        "refuse": .refuse(Refusal(.busy, text: "playing")),
        "refuse-resume": .refuse(Refusal(.noSuchSession, have: 2)),
        "packet": .packet(number: 1, [UInt8]("hi".utf8)),
        "have": .have(count: 1, hash: nil),
        "have-hash": .have(count: 2, hash: [UInt8](repeating: 0xab, count: 32)),
        "ping": .ping(0x1112_1314_1516_1719),
        "pong": .pong(0x1112_1314_1516_1719),
        "goodbye": .goodbye(.left, text: "ciao ☕"),
        "refuse-code": .refuse(Refusal(.codeNeeded)),
        "code-ask": .code([UInt8](repeating: 0xa1, count: 32)),
        "code-answer": .code(
            [UInt8](repeating: 0xb1, count: 32) + [UInt8](repeating: 0xb2, count: 64)),
        "code-none": .code([]),
        "code-proof": .code([UInt8](repeating: 0xa2, count: 64)),
        "note": .note([UInt8]("cancel".utf8)),
        "unknown": .unknown(kind: 0xf1, [0x11]),
    ]

    @Test func `every message has an example and every example a message`() throws {
        let names = try Self.blocks("vector").map(\.name).sorted()
        #expect(names == Self.messages.keys.sorted())
    }

    @Test(arguments: messages.keys.sorted())
    func `an example encodes and decodes both ways`(name: String) throws {
        let message = try #require(Self.messages[name])
        let block = try #require(try Self.blocks("vector").first { $0.name == name })
        let bytes = try block.lines.flatMap { try Self.bytes(ofHex: $0) }
        #expect(message.frame == bytes)
        let found = try frames(of: bytes, inPiecesOf: [bytes.count])
        let frame = try #require(found.first)
        #expect(found.count == 1)
        #expect(try SessionMessage(frame: frame.span) == message)
    }

    @Test func `two machines exchange the whole session byte for byte`() throws {
        let lines = try #require(try Self.blocks("exchange").first).lines
        func stream(_ letter: Character) throws -> [UInt8] {
            try lines.filter { $0.first == letter }.flatMap {
                try Self.bytes(ofHex: String($0.dropFirst()))
            }
        }
        var initiator = SessionMachine.make(.initiator)
        var responder = SessionMachine.make(.responder)
        var sent: (initiator: [UInt8], responder: [UInt8]) = ([], [])
        func carry(
            _ from: inout SessionMachine, to other: inout SessionMachine, log: inout [UInt8]
        ) -> [SessionEvent] {
            let bytes = from.nextOutput() ?? []
            log += bytes
            return other.hears(bytes)
        }
        _ = carry(&initiator, to: &responder, log: &sent.initiator)
        responder.accept()
        _ = carry(&responder, to: &initiator, log: &sent.responder)
        #expect(initiator.send([UInt8]("hi".utf8)) == .accepted(1))
        _ = carry(&initiator, to: &responder, log: &sent.initiator)
        responder.took(packets: 1)
        #expect(responder.send([UInt8]("ho".utf8)) == .accepted(1))
        _ = carry(&responder, to: &initiator, log: &sent.responder)
        initiator.close(.left)
        let end = carry(&initiator, to: &responder, log: &sent.initiator)
        #expect(sent.initiator == (try stream("I")))
        #expect(sent.responder == (try stream("R")))
        #expect(end == [.ended(.left(.left, text: ""))])
    }

    struct Block {
        var name: String
        var lines: [String]
    }

    /// The fenced blocks of the document whose info string begins with `kind`, without comments.
    static func blocks(_ kind: String) throws -> [Block] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
        var blocks: [Block] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = !isInside && line.hasPrefix("```\(kind)")
                let name = line.dropFirst(3 + kind.count).trimmingCharacters(in: .whitespaces)
                if isInside { blocks.append(Block(name: name, lines: [])) }
            } else if isInside {
                let hex = line.prefix { $0 != ";" }
                blocks[blocks.count - 1].lines.append(String(hex))
            }
        }
        return blocks
    }

    static func bytes(ofHex text: String) throws -> [UInt8] {
        let digits = text.filter { !$0.isWhitespace }
        return try stride(from: 0, to: digits.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return try #require(UInt8(digits[start...].prefix(2), radix: 16))
        }
    }
}
