// SPDX-License-Identifier: MIT

import Foundation
import MatchProtocol
import SessionProtocol
import TestSupport
import Testing
import TicTacToe

/// The examples in `docs/protocol.md` §5, read out of the document itself.
@Suite struct DocumentTests {
    @Test func `the hashes are SHA-256 and HMAC-SHA256`() {
        // FIPS 180-4's example and RFC 4231's second.
        #expect(
            hex(sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(hmacSHA256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `the fair start gives the example's values`() throws {
        let values = try Example.fairStart()
        let cryptography = RecordedCryptography(signatures: [:])
        let start = FairStart(
            exporter: try values.bytes("exporter"), joinerRandom: try values.random(of: "reveal"),
            hostRandom: try values.random(of: "accept"), cryptography: cryptography)
        let key = hmacSHA256(
            key: try values.bytes("exporter"),
            try values.random(of: "reveal") + values.random(of: "accept"))
        #expect(hex(key) == values["k"])
        #expect(hex(hmacSHA256(key: key, Array("coin".utf8))) == values["coin"])
        #expect("\(start.joiner.rawValue)" == values["joiner-seat"])
        #expect(hex(start.match) == values["match"])
        #expect(hex(start.seed) == values["seed"])
        #expect("\(start.compare)" == values["compare"])
        #expect(
            hex(start.seed(ofGame: 1, cryptography: cryptography)) == values["seed-of-game-1"])
    }

    /// Each player does what the example says once it has stored what the example's SEEN says;
    /// what comes out must be the example, byte for byte, with what the rules add by themselves.
    @Test func `two engines write the example's match byte for byte`() throws {
        let lines = try Example.match()
        var pair = try Example.pair(signatures: lines.map(\.line))
        for note in try Example.fairStart().notes {
            let role: Role = note.hasPrefix("accept") ? .initiator : .responder
            #expect(pair[role].arriving.first == .note(Array(note.utf8)))
            pair.deliver(to: role)
        }
        var written: [Role: Int] = [:]
        for (role, line) in lines {
            let entry = try Entry(line: line)
            while pair[role].engine.logs.theirs.count < entry.seen.count {
                let delivered = pair.deliver(to: role)
                try #require(delivered)
            }
            // A host opens by itself, and after the joiner.
            while case .open = entry.body, pair[role].engine.logs.own.count == 0 {
                let delivered = pair.deliver(to: role)
                try #require(delivered)
            }
            if pair[role].engine.logs.own.count < entry.number {
                let command = try #require(entry.command)
                pair.command(command, from: role)
            }
            let own = pair[role].stored.filter { $0.by == entry.seat }.map(\.line)
            let index = written[role, default: 0]
            try #require(own.count > index, "\(String(decoding: line, as: UTF8.self))")
            #expect(own[index] == line)
            written[role] = index + 1
        }
        pair.settle()
        pair.expectAgreement()
        #expect(written == [.initiator: 10, .responder: 11])
        #expect(pair.joiner.results.map(\.termination) == ["line", "resign"])
    }
}

private func hex(_ bytes: [UInt8]) -> String { String(decoding: Hex.encoded(bytes), as: UTF8.self) }

extension Entry {
    /// The command that makes a player write this, if one does.
    fileprivate var command: MatchEngine<Position>.Command? {
        switch body {
        case .move(_, _, let bytes, _): Square(bytes: bytes).map { .play($0) }
        case .resign: .resign
        case .offer(_, let kind): .offer(kind)
        case .claim: .claim
        case .accept: .accept
        case .decline: .decline
        case .say(let text): .say(text)
        case .open, .end: nil
        }
    }
}

/// The example match of the document.
enum Example {
    struct FairStart {
        var values: [String: String] = [:]
        var notes: [String] = []

        subscript(name: String) -> String? { values[name] }

        func bytes(_ name: String) throws -> [UInt8] {
            let digits = try #require(values[name])
            return try #require(Hex.decoded(Array(digits.utf8)))
        }

        func random(of note: String) throws -> [UInt8] {
            let line = try #require(notes.first { $0.hasPrefix(note) })
            return try #require(Hex.decoded(Array(line.utf8.suffix(64))))
        }
    }

    static func fairStart() throws -> FairStart {
        var start = FairStart()
        for line in try block("fair-start") {
            let name = String(line.prefix { $0 != " " })
            let value = String(line.dropFirst(name.count + 1))
            if name == "note" { start.notes.append(value) } else { start.values[name] = value }
        }
        return start
    }

    static func match() throws -> [(role: Role, line: [UInt8])] {
        try block("match").map { line in
            (line.hasPrefix("J") ? .initiator : .responder, Array(line.utf8.dropFirst(2)))
        }
    }

    /// The example's players; they can sign what the example holds and nothing else.
    static func pair(signatures lines: [[UInt8]]) throws -> MatchPair<Position> {
        let start = try fairStart()
        var signatures: [[UInt8]: [UInt8]] = [:]
        for line in lines {
            let signed = Array("ttt-entry-v1\n".utf8) + line.dropLast(129)
            signatures[signed] = Hex.decoded(Array(line.suffix(128)))
        }
        let cryptography = RecordedCryptography(signatures: signatures)
        return MatchPair(
            random: (try start.random(of: "reveal"), try start.random(of: "accept")),
            exporter: try start.bytes("exporter"),
            joiner: .init(
                Player(name: "Ann", publicKey: try start.bytes("joiner")), cryptography),
            host: .init(Player(name: "Bob", publicKey: try start.bytes("host")), cryptography))
    }

    private static func block(_ name: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex(of: "```\(name)"))
        return lines[(begin + 1)...].prefix { $0 != "```" }.map { $0 }
    }
}
