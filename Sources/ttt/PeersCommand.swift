// SPDX-License-Identifier: MIT

import Glibc
import MatchEvents
import OnlinePlay
import TerminalUI

/// `ttt peers`: the players that were met, named or blocked.
struct PeersCommand {
    private let options: Options
    private let isUTF8: Bool

    init(_ options: Options, isUTF8: Bool) {
        self.options = options
        self.isUTF8 = isUTF8
    }

    func run() throws(Failure) -> Int32 {
        let directory = try Settings().directory
        var peers = try Self.wrapped { () throws(OnlineError) in
            try KnownPeers(directory: directory)
        }
        guard let verb = options.operands.first else { return try list(peers) }
        try change(&peers, verb, Array(options.operands.dropFirst()))
        return 0
    }

    // MARK: Changes

    private func change(
        _ peers: inout KnownPeers, _ verb: String, _ words: [String]
    ) throws(Failure) {
        guard let count = ["name": 2, "forget": 1, "block": 1, "unblock": 1][verb],
            words.count == count, let key = words.first
        else {
            throw Failure(
                "'ttt peers' takes nothing, name KEY NAME, forget KEY, block KEY or unblock KEY.",
                .usage)
        }
        let adds = verb == "block" || verb == "name" && !words[1].isEmpty
        let fingerprint = try fingerprint(key, in: peers, mayBeNew: adds)
        let petname = verb == "name" && !words[1].isEmpty ? try Settings.checked(words[1]) : ""
        let who = called(peers[fingerprint], fingerprint)
        var changed = peers
        try Self.wrapped { () throws(OnlineError) in
            switch verb {
            case "name": try changed.name(fingerprint, petname)
            case "block": try changed.block(fingerprint)
            case "unblock": try changed.unblock(fingerprint)
            default: try changed.forget(fingerprint)
            }
        }
        peers = changed
        switch verb {
        case "name" where petname.isEmpty: try Output.put("\(who) has its own name again.")
        case "name": try Output.put("\(who) is called \(shown(petname)) here.")
        case "block": try Output.put("\(who) is blocked: you do not play with each other.")
        case "unblock": try Output.put("\(who) is not blocked any more.")
        default: try Output.put("\(who) is forgotten, and new here the next time.")
        }
    }

    /// A player in a sentence.
    private func called(_ entry: KnownPeers.Entry?, _ fingerprint: Fingerprint) -> String {
        let name = entry?.petname ?? (entry?.firstSeen == 0 ? nil : entry?.name)
        return label(
            name: display(name ?? "The player", columns: 40, utf8: isUTF8),
            key: fingerprint.description, columns: 50)
    }

    /// The player that is meant: a fingerprint, or enough letters of that of somebody on the list.
    private func fingerprint(
        _ text: String, in peers: KnownPeers, mayBeNew: Bool
    ) throws(Failure) -> Fingerprint {
        if mayBeNew, let whole = Fingerprint(parsing: text) { return whole }
        let found = text.isEmpty ? [] : peers.matching(prefix: text)
        guard let first = found.first else {
            throw Failure("Nobody on the list has a key that begins with '\(text)'.", .usage)
        }
        guard found.count == 1 else {
            throw Failure(
                "\(found.count) keys on the list begin with '\(text)'; type more of it.", .usage)
        }
        return first.fingerprint
    }

    private static func wrapped<Value>(
        _ body: () throws(OnlineError) -> Value
    ) throws(Failure) -> Value {
        do throws(OnlineError) {
            return try body()
        } catch {
            throw Failure(error)
        }
    }

    // MARK: The list

    private func list(_ peers: KnownPeers) throws(Failure) -> Int32 {
        for entry in peers.entries {
            try Output.put(options.has(.json) ? summary(entry).jsonLine : line(entry))
        }
        if peers.entries.isEmpty, !options.has(.json) {
            Program.complain("Nobody is on the list.")
        }
        return 0
    }

    private func summary(_ entry: KnownPeers.Entry) -> PeerSummary {
        PeerSummary(
            key: entry.fingerprint.description, name: entry.name, petname: entry.petname,
            isBlocked: entry.isBlocked, first: entry.firstSeen, last: entry.lastSeen)
    }

    private func line(_ entry: KnownPeers.Entry) -> String {
        let name = entry.firstSeen == 0 ? "never met" : shown(entry.name)
        let petname = entry.petname.map { "  you call it \(shown($0))" } ?? ""
        return "\(entry.fingerprint)  \(name)\(petname)" + (entry.isBlocked ? "  blocked" : "")
    }

    private func shown(_ name: String) -> String {
        let name = display(name, columns: 40, utf8: isUTF8)
        return name.isEmpty ? "nameless" : name
    }
}
