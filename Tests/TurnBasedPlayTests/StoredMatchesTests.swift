// SPDX-License-Identifier: MIT

import Glibc
import MatchEvents
import MatchProtocol
import OnlinePlay
import SessionProtocol
import Synchronization
import TestSupport
import Testing
import TicTacToe
import TurnBasedPlay

/// Asks the library about each signature once.
private final class RememberingCryptography: Cryptography {
    private let library: OpenSSLCryptography
    private let known = Mutex<[[UInt8]: Bool]>([:])

    init(_ library: OpenSSLCryptography) { self.library = library }

    func sha256(_ bytes: [UInt8]) -> [UInt8] { library.sha256(bytes) }

    func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { library.hmac(key: key, bytes) }

    func sign(_ bytes: [UInt8]) -> [UInt8]? { library.sign(bytes) }

    func verify(_ signature: [UInt8], of bytes: [UInt8], by publicKey: [UInt8]) -> Bool {
        let question = sha256(signature + publicKey + bytes)
        if let answer = known.withLock({ $0[question] }) { return answer }
        let answer = library.verify(signature, of: bytes, by: publicKey)
        known.withLock { $0[question] = answer }
        return answer
    }
}

/// Journals with the real library, on a real disk.
@Suite struct StoredMatchesTests {
    private struct Party {
        let identity: Identity
        let cryptography: OpenSSLCryptography

        init() throws {
            identity = try Identity.ephemeral()
            cryptography = OpenSSLCryptography(identity: identity)
        }

        func seating(_ name: String) -> MatchPair<Position>.Seating {
            .init(Player(name: name, publicKey: identity.publicKey), cryptography)
        }
    }

    private let (ann, bob): (Party, Party)
    private let temporary: TemporaryDirectory
    private let directory: GameDirectory
    private let matches: StoredMatches

    init() throws {
        (ann, bob) = (try Party(), try Party())
        temporary = try TemporaryDirectory()
        directory = try GameDirectory(path: temporary.path)
        matches = StoredMatches(rules: [Position.self], cryptography: try Party().cryptography)
    }

    /// A match in which Ann opens and squares are played in turn.
    private func match(_ squares: [Int], seed: UInt64 = 1) throws -> MatchPair<Position> {
        var random = SeededGenerator(seed: seed)
        var pair = MatchPair<Position>(
            random: (random.bytes(32), random.bytes(32)), joiner: ann.seating("Ann"),
            host: bob.seating("Bob"))
        pair.settle()
        for square in squares {
            let action = try #require(Square(number: square))
            for role in [Role.initiator, .responder] {
                guard case .turn(true, _)? = pair[role].told.last else { continue }
                pair.command(.play(action), from: role)
                break
            }
            pair.settle()
        }
        return pair
    }

    /// Stores Ann's side and gives the file.
    private func store(_ pair: MatchPair<Position>) throws -> (JournalName, [UInt8]) {
        let stored = pair[.initiator].stored
        var journal = try Journal(
            creating: stored[0].line, by: stored[0].by, in: directory,
            cryptography: ann.cryptography)
        for entry in stored.dropFirst() { try journal.store(entry: entry.line) }
        return (journal.name, try #require(try directory.read(journal.name.file)))
    }

    @Test func `a finished match is listed, verified and opened again`() throws {
        let (name, bytes) = try store(try match([1, 4, 2, 5, 3]))
        guard case .authentic(let record) = matches.verify([bytes]) else {
            Issue.record("\(matches.verify([bytes]))")
            return
        }
        #expect(record.isFinished)
        #expect(record.games.first?.moves.map(\.square) == [1, 4, 2, 5, 3])
        let summary = try #require(try matches.list(in: directory).first)
        #expect(summary.match == name.matchDigits)
        #expect(summary.opponent == "Bob")
        #expect(summary.key == bob.identity.fingerprint.description)
        #expect(summary.state == (name.seat == .first ? .won : .lost))
        #expect(summary.score.you + summary.score.opponent == 1)
        #expect(summary.termination == "line")
        #expect(summary.problem == nil)
        let opened = try Journal.open(
            name, in: directory, rules: [Position.self], publicKey: ann.identity.publicKey,
            cryptography: ann.cryptography)
        #expect(opened.match.entries.count == record.games[0].moves.count + 4)
        // That it was opened is noted.
        #expect(try directory.read(name.file)?.starts(with: bytes + Array("run 1 ~".utf8)) == true)
    }

    @Test func `a running match says whose turn it is, a spoilt file what is wrong`() throws {
        let (running, _) = try store(try match([1, 4]))
        var (spoilt, bytes) = try store(try match([1, 4], seed: 9))
        bytes[bytes.count / 2] ^= 1
        try temporary.put(bytes, as: spoilt.file)
        try temporary.put([1], as: "notes")
        let all = try matches.list(in: directory)
        #expect(all.count == 2)
        let good = try #require(all.first { $0.match == running.matchDigits })
        #expect(good.state == (running.seat == .first ? .yourTurn : .theirTurn))
        #expect(all.first { $0.match == spoilt.matchDigits }?.problem?.hasPrefix("Line ") == true)
        spoilt = running
    }

    @Test func `every single flipped bit of a finished record is refused`() async throws {
        var (_, bytes) = try store(try match([1, 4, 2, 5, 3]))
        let matches = StoredMatches(
            rules: [Position.self], cryptography: RememberingCryptography(ann.cryptography))
        for bit in 0..<(bytes.count * 8) {
            let (index, bit) = bit.quotientAndRemainder(dividingBy: 8)
            // Others have a clock to watch.
            await Task.yield()
            bytes[index] ^= 1 << bit
            if case .refused = matches.verify([bytes]) {} else { Issue.record("byte \(index)") }
            bytes[index] ^= 1 << bit
        }
    }

    @Test func `verdicts are JSON objects of one line`() throws {
        let pair = try match([1, 4, 2, 5, 3])
        let (name, bytes) = try store(pair)
        let line = matches.verify([bytes]).jsonLine { Fingerprint(publicKey: $0)?.tag ?? "" }
        for part in [
            #""verdict":"authentic""#, #""match":"\#(name.matchDigits)""#,
            #""moves":[{"ply":1,"seat":1,"action":"1","square":1,"mark":"X"},"#,
            #""winner":1,"termination":"line","endedBy":["#, #""finished":true"#,
            #""name":"Ann","key":"\#(ann.identity.fingerprint.tag)""#,
        ] { #expect(line.contains(part), "\(part)\n\(line)") }
        let refused = matches.verify([[]]).jsonLine { _ in "" }
        #expect(refused.hasPrefix(#"{"verdict":"refused","file":1,"line":1,"#))
    }
}
