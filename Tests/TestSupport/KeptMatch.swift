// SPDX-License-Identifier: MIT

package import MatchProtocol
package import SessionProtocol

/// A match whose two players keep it on disks, over connections that break.
///
/// Each side's effects are carried out as a session and a journal would; a side may crash between
/// any two of them, and its disk may be set back to an older state. A connection keeps the order;
/// when it is cut, what is under way is lost, and each side notices when it is told to.
package struct KeptMatch<G: Game>: Sendable {
    /// What a side has stored.
    package struct Disk: Sendable {
        /// Both logs, in the order of storing.
        package var entries: [Entry] = []
        /// Wishes that wait.
        package var drafts: [EntryBody] = []
    }

    /// One player.
    package struct Side: Sendable {
        /// The engine of the running process.
        package var engine: MatchEngine<G>
        /// What is stored.
        package var disk = Disk()
        /// Older states of the disk.
        package var backups: [Disk] = []
        /// What this process has been told.
        package var told: [MatchEvent<G>] = []
        /// What its connection has brought and is not delivered yet.
        package var arriving: [MatchEngine<G>.Input] = []
        /// The connection, by its number; `nil` if there is none by what the side knows.
        package var wire: Int?
        /// The number of the last own packet that was sent or need not be.
        package var sent: UInt64 = 0
        let player: Player
        let cryptography: FastCryptography
    }

    /// A dial with what it says, until it completes.
    package struct Dial: Sendable {
        var by: Role
        var have: UInt64
        var hash: [UInt8]?
        var log: OutgoingLog
    }

    /// The two sides, by their role in the first connection.
    package var joiner: Side
    package var host: Side
    /// What time it is.
    package var now = Instant(nanoseconds: 0)
    /// Every line that was ever signed, by seat and number, with all its forms.
    package private(set) var signed: [String: Set<[UInt8]>] = [:]
    /// Lines that were signed while the disk of either side held another one of that number.
    package private(set) var doublySigned: [[UInt8]] = []
    /// Why an engine gave the match up, if one did.
    package private(set) var end: MatchEnd?
    /// How many wishes were told as dropped.
    package private(set) var drops: UInt64 = 0
    /// Who asked for lost entries, by connection.
    package private(set) var refills: [Int: Set<Role>] = [:]
    private var wires = 0

    /// Begins a match; nothing is delivered yet.
    package init(random: (joiner: [UInt8], host: [UInt8]), clock: MoveClock? = nil) {
        let keys = (FastCryptography(key: 0xa1), FastCryptography(key: 0xb2))
        let ann = keys.0.player(named: "Ann")
        let bob = keys.1.player(named: "Bob")
        let exporter = [UInt8](repeating: 7, count: 32)
        joiner = Side(
            engine: MatchEngine(
                role: .initiator, local: ann, remote: bob, exporter: exporter, options: [],
                clock: clock, asks: false, random: random.joiner, cryptography: keys.0, now: now),
            player: ann, cryptography: keys.0)
        host = Side(
            engine: MatchEngine(
                role: .responder, local: bob, remote: ann, exporter: exporter, options: [],
                clock: clock, asks: false, random: random.host, cryptography: keys.1, now: now),
            player: bob, cryptography: keys.1)
        joiner.wire = 0
        host.wire = 0
        input(.begin, to: .responder)
        input(.begin, to: .initiator)
    }

    /// A side by its role in the first connection.
    package subscript(role: Role) -> Side {
        get { role == .initiator ? joiner : host }
        _modify { if role == .initiator { yield &joiner } else { yield &host } }
    }

    /// Gives one side an input and carries out what it asks for: all of it, or only the first
    /// `limit` effects, after which the process is gone.
    package mutating func input(
        _ input: MatchEngine<G>.Input, to role: Role, limit: Int = .max
    ) {
        let effects = self[role].engine.handle(input, at: now)
        for effect in effects.prefix(limit) { carryOut(effect, by: role) }
        if limit < effects.count { restart(role) }
    }

    /// Delivers the first thing that waits for one side; `false` if nothing does.
    @discardableResult
    package mutating func deliver(to role: Role, limit: Int = .max) -> Bool {
        guard !self[role].arriving.isEmpty else { return false }
        input(self[role].arriving.removeFirst(), to: role, limit: limit)
        return true
    }

    /// Delivers until nothing is under way.
    package mutating func settle() {
        while deliver(to: .initiator) || deliver(to: .responder) {}
    }

    // MARK: Faults

    /// The connection is gone, and this side notices.
    package mutating func part(_ role: Role) {
        self[role].wire = nil
        self[role].arriving = []
        input(.parted, to: role)
    }

    /// The connection is gone: nothing under way arrives, and both sides notice.
    package mutating func cut() {
        for role in Role.allCases where self[role].wire != nil { part(role) }
    }

    /// The process is gone, and another one goes on from the disk, perhaps from an older state.
    package mutating func restart(_ role: Role, from disk: Disk? = nil) {
        if let disk { self[role].disk = disk }
        self[role].wire = nil
        self[role].arriving = []
        self[role].told = []
        let side = self[role]
        guard let opening = side.engine.opening ?? self[role.other].engine.opening,
            let seat = side.engine.identity?.seat ?? self[role.other].engine.identity?.seat.other,
            let engine = MatchEngine<G>(
                resuming: StoredMatch(
                    seat: seat, opening: opening, entries: side.disk.entries,
                    drafts: side.disk.drafts),
                local: side.player, cryptography: side.cryptography)
        else { return }
        self[role].engine = engine
        input(.begin, to: role)
    }

    /// Keeps the disk as it is now.
    package mutating func backUp(_ role: Role) { self[role].backups.append(self[role].disk) }

    // MARK: Connections

    /// Begins to dial.
    package func dial(by role: Role) -> Dial {
        let engine = self[role].engine
        let stored = engine.stored
        return Dial(by: role, have: stored.have, hash: stored.hash, log: engine.outgoing)
    }

    /// Completes a dial: the other side is let in, or the logs differ.
    ///
    /// - Parameter limits: How many effects each side carries out of what it wants to do then.
    package mutating func complete(
        _ dial: Dial, limits: (caller: Int, callee: Int) = (.max, .max)
    ) {
        let (caller, callee) = (dial.by, dial.by.other)
        for role in [callee, caller] where self[role].wire != nil { part(role) }
        guard self[callee].engine.mayMeet(have: dial.have, hash: dial.hash) else {
            for role in Role.allCases { input(.refused(.forked), to: role) }
            return
        }
        wires += 1
        let welcome = self.dial(by: callee)
        for role in Role.allCases {
            self[role].wire = wires
            self[role].arriving = []
        }
        meet(callee, hearing: dial, with: welcome.log, limit: limits.callee)
        meet(caller, hearing: welcome, with: dial.log, limit: limits.caller)
    }

    /// What a session does at its start: sends of the log what the other side lacks.
    private mutating func meet(
        _ role: Role, hearing hello: Dial, with log: OutgoingLog, limit: Int
    ) {
        let wire = self[role].wire
        self[role].sent = max(hello.have, log.last)
        let lines = log.last > hello.have ? self[role].engine.lines.prefix(Int(log.last)) : []
        for (index, line) in lines.enumerated().dropFirst(Int(clamping: hello.have)) {
            self[role.other].arriving.append(.packet(number: UInt64(index) + 1, line))
        }
        guard self[role].wire == wire else { return }
        input(.met(have: hello.have, hash: hello.hash, sent: self[role].sent), to: role,
            limit: limit)
    }

    private mutating func carryOut(_ effect: MatchEngine<G>.Effect, by role: Role) {
        switch effect {
        case .store(let line, let seat, let number): store(line, seat, number, by: role)
        case .storeDraft(let words):
            guard let body = try? EntryBody(words: words) else { return }
            self[role].disk.drafts.append(body)
        case .dropDraft: self[role].disk.drafts.removeFirst()
        case .sendPacket(let line):
            self[role].sent += 1
            send(.packet(number: self[role].sent, line), from: role)
        case .sendNote(let bytes):
            if bytes.starts(with: "lost ".utf8), let wire = self[role].wire {
                refills[wire, default: []].insert(role)
            }
            send(.note(bytes), from: role)
        case .acknowledge(let count, let hash):
            send(.had(count: count, hash: hash), from: role)
        case .tell(let event):
            self[role].told.append(event)
            if case .ended(let reason) = event { end = end ?? reason }
            if case .dropped = event { drops += 1 }
        case .close(let code, _), .hangUp(let code, _):
            send(.peerLeft(code), from: role)
            self[role].wire = nil
        }
    }

    private mutating func send(_ input: MatchEngine<G>.Input, from role: Role) {
        guard let wire = self[role].wire, wire == self[role.other].wire else { return }
        self[role.other].arriving.append(input)
    }

    private mutating func store(_ line: [UInt8], _ seat: Seat, _ number: UInt64, by role: Role) {
        guard let entry = try? Entry(line: line) else { return }
        if seat == self[role].engine.identity?.seat {
            signed["\(seat.rawValue) \(number)", default: []].insert(line)
            let others = (joiner.disk.entries + host.disk.entries).contains {
                $0.seat == seat && $0.number == number && $0.line != line
            }
            if others { doublySigned.append(line) }
            if let index = self[role].disk.drafts.firstIndex(of: entry.body) {
                self[role].disk.drafts.remove(at: index)
            }
        }
        self[role].disk.entries.append(entry)
    }
}

extension Role {
    /// The other end.
    package var other: Role { self == .initiator ? .responder : .initiator }
}
