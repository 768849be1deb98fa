// SPDX-License-Identifier: MIT

import MatchProtocol
import SessionProtocol
import TestSupport
import TicTacToe

/// A file is opened, and verified, as it is; or it is first made right line by line, so that more
/// than its checks and signatures is looked at. What was opened once is right ever after.
func fuzzJournal(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let isRaw = input.byte() == UInt8(ascii: "r")
    let begun = BegunMatch.one
    let file = isRaw ? Array(input.rest) : begun.file(&input)
    _ = Verdict.verifying([file], rules: [Position.self], cryptography: begun.cryptography)
    _ = Verdict.verifying(
        [begun.whole, file], rules: [Position.self], cryptography: begun.cryptography)

    let disk = SimulatedDisk()
    disk.put(file, as: begun.name.file)
    guard var match = begun.open(disk) else { return }
    // Each opening is counted, and changes nothing else.
    match.run &+= 1
    require(begun.open(disk, damage: false) == match, "a mended journal is not right")
    let engine = MatchEngine<Position>(
        resuming: match, local: begun.player, cryptography: begun.cryptography)
    if var engine { _ = engine.handle(.begin, at: Instant(nanoseconds: 0)) }
}

/// A match with its first moves, from which files are made.
private struct BegunMatch: Sendable {
    let name: JournalName
    let lines: [[UInt8]]
    let player: Player
    let cryptography = FastCryptography(key: 0xa1)
    let other = FastCryptography(key: 0xb2)

    static let one = BegunMatch()

    init() {
        var match = KeptMatch<Position>(
            random: ([UInt8](repeating: 3, count: 32), [UInt8](repeating: 4, count: 32)))
        match.settle()
        for square in [Square.allCases[0], Square.allCases[4]] {
            for role in [Role.initiator, .responder] {
                match.input(.command(.play(square)), to: role)
            }
            match.settle()
        }
        let side = match.joiner
        guard let identity = side.engine.identity else { fatalError("no match began") }
        name = JournalName(match: identity.match, seat: identity.seat)
        lines = side.disk.entries.map(\.line)
        player = cryptography.player(named: "Ann")
    }

    /// The journal as it was written.
    var whole: [UInt8] {
        guarded(Array("ttt-journal 1 \(name.matchDigits) \(name.seat.rawValue)".utf8))
            + lines.flatMap { $0 + [0x0a] }
    }

    /// Lines made right: `o` is an own entry with these words, `t` one of the other log, `d` the
    /// next line of the played match, `=` a line as it stands, anything else a guarded line.
    func file(_ input: inout FuzzInput) -> [UInt8] {
        var file = Array(whole.prefix { $0 != 0x0a }) + [0x0a]
        var played = lines[...]
        var heads = PerSeat(both: LogHead.start)
        func add(_ line: [UInt8]) {
            file += line + [0x0a]
            guard let entry = try? Entry(line: line) else { return }
            heads[entry.seat] = LogHead(count: entry.number, hash: entry.hash(cryptography))
        }
        while !input.isEmpty {
            let line = input.line()
            let rest = Array(line.dropFirst())
            switch line.first {
            case UInt8(ascii: "d"): if let next = played.popFirst() { add(next) }
            case UInt8(ascii: "o"): add(entry(rest, by: name.seat, heads, cryptography))
            case UInt8(ascii: "t"): add(entry(rest, by: name.seat.other, heads, other))
            case UInt8(ascii: "="): file += rest + [0x0a]
            default: file += guarded(line)
            }
        }
        return file
    }

    private func entry(
        _ words: [UInt8], by seat: Seat, _ heads: PerSeat<LogHead>, _ key: FastCryptography
    ) -> [UInt8] {
        let (own, seen) = (heads[seat], heads[seat.other])
        let head = [
            "\(seat.rawValue)", "\(own.count &+ 1)", "\(seen.count)",
            String(decoding: Hex.encoded(seen.hash), as: UTF8.self),
            String(decoding: Hex.encoded(own.hash), as: UTF8.self),
        ]
        let text = Array(head.joined(separator: " ").utf8) + [0x20] + words
        return text + [0x20] + Hex.encoded(key.sign(Array("ttt-entry-v1\n".utf8) + text) ?? [])
    }

    private func guarded(_ text: [UInt8]) -> [UInt8] {
        text + [0x20, 0x7e] + Hex.encoded(cryptography.sha256(text)).prefix(8) + [0x0a]
    }

    /// What opening gives; with `damage` false the journal must be without.
    func open(_ disk: SimulatedDisk, damage: Bool = true) -> StoredMatch? {
        do throws(JournalError) {
            let opened = try Journal.open(
                name, in: disk, rules: [Position.self], publicKey: cryptography.publicKey,
                cryptography: cryptography)
            require(damage || opened.damage == nil, "a mended journal is damaged")
            return opened.match
        } catch {
            return nil
        }
    }
}
