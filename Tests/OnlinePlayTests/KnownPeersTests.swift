// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import OnlinePlay
import Testing

@Suite struct KnownPeersTests {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "ttt-peers-\(UUID().uuidString)").path

    func fingerprint(_ byte: UInt8) throws -> Fingerprint {
        try #require(Fingerprint([UInt8](repeating: byte, count: 32)))
    }

    /// Does something to the file, and gives what another process then reads.
    func after(
        _ change: (inout KnownPeers) throws -> Void
    ) throws -> KnownPeers {
        var peers = try KnownPeers(directory: directory)
        try change(&peers)
        let read = try KnownPeers(directory: directory)
        #expect(read.entries == peers.entries)
        return read
    }

    @Test func `a player that was met, named and blocked is read as it was written`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (ann, bob) = (try fingerprint(1), try fingerprint(2))
        let peers = try after {
            try $0.remember(ann, name: "Ann B\nC")
            try $0.name(ann, "my  Ann")
            try $0.block(bob)
        }
        let entry = try #require(peers[ann])
        #expect(entry.name == "Ann B C" && entry.petname == "my  Ann" && !entry.isBlocked)
        #expect(entry.isKnown && peers.contains(ann))
        #expect(peers[bob]?.isBlocked == true && !peers.contains(bob))
        #expect(peers.matching(prefix: ann.description.prefix(4).uppercased()) == [entry])
    }

    @Test(arguments: ["\u{301}Bob", "\u{200d}Bob", "\u{fe0f}", "\u{301}", " \u{301}B  b "])
    func `a name may begin with what joins itself to the space before it`(name: String) throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let ann = try fingerprint(1)
        let peers = try after {
            try $0.remember(ann, name: name)
            try $0.name(ann, name)
        }
        #expect(peers[ann].map { Array($0.name.utf8) } == Array(name.utf8))
        #expect(peers[ann]?.petname.map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test func `who is named by hand is known without having been met`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let ann = try fingerprint(1)
        #expect(try after { try $0.name(ann, "Ann") }.contains(ann))
    }

    @Test func `who is forgotten is neither known nor blocked`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let ann = try fingerprint(1)
        let peers = try after {
            try $0.remember(ann, name: "Ann")
            try $0.block(ann)
            try $0.forget(ann)
        }
        #expect(peers.entries.isEmpty)
    }

    @Test func `who was met under another name is noticed, and never bears the known one`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (eve, bob) = (try fingerprint(1), try fingerprint(2))
        _ = try after { try $0.remember(eve, name: "Zed") }
        var peers = try after { try $0.remember(bob, name: "Bob") }
        for _ in 0..<2 {
            #expect(peers.namesake(of: eve, called: "Bob")?.entry.fingerprint == bob)
            #expect(peers.namesake(of: bob, called: "Bob") == nil)
            peers = try after { try $0.remember(eve, name: "Bob") }
            #expect(peers[eve]?.name == "Zed")
        }
    }

    @Test func `a name under another key is noticed until the user names the newcomer`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (ann, other) = (try fingerprint(1), try fingerprint(2))
        var peers = try after { try $0.remember(ann, name: "Ann") }
        #expect(peers.namesake(of: other, called: "aNN")?.entry.fingerprint == ann)
        #expect(peers.namesake(of: other, called: "\u{410}nn\u{200b}")?.name == "Ann")
        #expect(peers.namesake(of: nil, called: "A n n")?.entry.fingerprint == ann)
        #expect(peers.namesake(of: other, called: "Bob") == nil)
        let alike = [
            " Ann", "Ann ", "A\u{200b}nn", "Ann\u{202e}", "\u{0391}nn", "\u{0410}nn", "\u{ff21}nn",
            "An\u{0301}n",
        ]
        for name in alike {
            #expect(peers.namesake(of: other, called: name)?.entry.fingerprint == ann, "\(name)")
        }
        for name in ["Anna", "An", "\u{c1}n", "\u{200b}"] {
            #expect(peers.namesake(of: other, called: name) == nil, "\(name)")
        }
        #expect(peers.namesake(of: other, called: "") == nil)
        #expect(peers.namesake(of: ann, called: "Ann") == nil)
        peers = try after { try $0.name(ann, "Sister") }
        #expect(peers.namesake(of: other, called: "S1ster")?.entry.fingerprint == ann)
        #expect(peers.namesake(of: other, called: "S1ster")?.name == "Sister")
        peers = try after { try $0.name(other, "The other Ann") }
        #expect(peers.namesake(of: other, called: "Ann") == nil)
    }

    @Test func `who shows another's name and key in its own is noticed`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (bob, ann, other) = (try fingerprint(1), try fingerprint(2), try fingerprint(3))
        var peers = try after { try $0.remember(bob, name: "Bob") }
        let tag = "AEAQ"
        #expect(bob.tag == "aeaq")
        for name in [
            "Bob \(tag)", "Bob '\(tag)'", "Bob |\(tag)| hello", "\(tag) Bob", "(\(tag)) Bob!",
            "Bob (\(bob.tag)) \(ann.tag)", "my friend Bob - \(bob) -",
            "Bob \u{249c}\u{24a0}aq", "B\u{43e}b /\(tag)/",
        ] {
            #expect(peers.namesake(of: other, called: name)?.entry.fingerprint == bob, "\(name)")
        }
        for name in ["Ann \(tag)", tag, "Bob \(ann.tag)"] {
            #expect(peers.namesake(of: other, called: name) == nil, "\(name)")
        }
        peers = try after { try $0.name(bob, "Alexandria Montgomery") }
        let long = "Alexandria Montg\u{2026} -\(tag)-"
        #expect(peers.namesake(of: other, called: long)?.name == "Alexandria Montgomery")
    }

    @Test func `whose name is like one of before under another key is noticed`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (eve, bob) = (try fingerprint(1), try fingerprint(2))
        try write(["\(eve) 5 5 Bob (\(bob.tag))", "\(bob) 6 6 Bob"])
        let peers = try KnownPeers(directory: directory)
        #expect(peers.namesake(of: eve, called: "Bob")?.entry.fingerprint == bob)
    }

    // MARK: When it changes

    @Test func `what another process has changed is read, and nothing else`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (ann, bob) = (try fingerprint(1), try fingerprint(2))
        var peers = try KnownPeers(directory: directory)
        try peers.refresh()
        #expect(peers.entries.isEmpty)
        var other = peers
        try other.remember(ann, name: "Ann")
        try peers.refresh()
        #expect(peers[ann]?.name == "Ann")
        try other.block(ann)
        try peers.remember(bob, name: "Bob")
        #expect(peers[ann]?.isBlocked == true)
        try other.refresh()
        #expect(other[bob]?.name == "Bob" && other.namesake(of: ann, called: "Bob") != nil)
        // It is not even opened.
        chmod(directory + "/known_peers", 0o644)
        try peers.refresh()
        #expect(throws: OnlineError.self) { _ = try KnownPeers(directory: directory) }
        unlink(directory + "/known_peers")
        try peers.refresh()
        #expect(peers.entries.isEmpty && peers[ann] == nil)
    }

    @Test func `to ask after a name costs a fraction of reading the file`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let name = String(repeating: "Guest ", count: 9)
        try write(try (0..<512).map { "\(try stranger($0)) 5 6 \(name)\($0)" })
        var peers = try KnownPeers(directory: directory)
        let key = try fingerprint(9)
        let clock = ContinuousClock()
        // The least of several is what it costs when nobody else wants the processor.
        func least(_ body: () throws -> Void) rethrows -> Duration {
            try (0..<8).map { _ in try clock.measure(body) }.min() ?? .zero
        }
        let reading = try least { _ = try KnownPeers(directory: directory) }
        let asking = try least {
            try peers.refresh()
            #expect(peers[key] == nil && peers.namesake(of: key, called: "Bob " + name) == nil)
        }
        #expect(asking * 4 < reading, "\(asking) and \(reading)")
    }

    @Test func `an advert's tag is found among all players who are known`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try write(try (0..<300).map { "\(try stranger($0)) 5 6 Eve" } + ["block \(fingerprint(9))"])
        let peers = try KnownPeers(directory: directory)
        let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        for number in [0, 7, 299] {
            let key = try stranger(number)
            #expect(peers.fingerprint(salt: salt, tag: key.advertTag(salt: salt)) == key)
        }
        for key in [try fingerprint(9), try stranger(300)] {
            #expect(peers.fingerprint(salt: salt, tag: key.advertTag(salt: salt)) == nil)
        }
    }

    // MARK: Locks

    /// Locks a file or directory as another process would, until it is closed.
    private func lock(_ name: String, _ flags: Int32 = O_RDONLY) throws -> Int32 {
        let file = open(directory + "/" + name, flags, 0o600)
        try #require(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        return file
    }

    @Test(.timeLimit(.minutes(1)))
    func `who holds the directory holds up nobody`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let ann = try fingerprint(1)
        _ = try after { try $0.remember(ann, name: "Ann") }
        let held = try lock(".")
        defer { close(held) }
        #expect(try after { try $0.name(ann, "Sister") }[ann]?.petname == "Sister")
    }

    @Test(.timeLimit(.minutes(1)))
    func `while another process changes the file it is as it was`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let ann = try fingerprint(1)
        var peers = try after { try $0.remember(ann, name: "Ann") }
        let held = try lock("known_peers.lock", O_RDWR)
        for patience in [0, 20] as [UInt32] {
            peers.patience = patience
            let error = #expect(throws: OnlineError.self) { try peers.block(ann) }
            #expect(error?.code == .inUse)
            #expect(error?.description.contains("\(directory)/known_peers") == true)
            #expect(peers[ann]?.isBlocked == false)
        }
        close(held)
        try peers.block(ann)
        #expect(try KnownPeers(directory: directory)[ann]?.isBlocked == true)
    }

    @Test func `a lock that others can take is refused, and no link is followed`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let ann = try fingerprint(1)
        var peers = try after { try $0.remember(ann, name: "Ann") }
        let file = directory + "/known_peers.lock"
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        chmod(file, 0o644)
        var error = #expect(throws: OnlineError.self) { try peers.block(ann) }
        #expect(error?.description.contains("chmod 600 '\(file)'") == true)
        unlink(file)
        symlink(directory + "/elsewhere", file)
        error = #expect(throws: OnlineError.self) { try peers.block(ann) }
        #expect(error?.description.contains("symbolic link") == true)
        #expect(!FileManager.default.fileExists(atPath: directory + "/elsewhere"))
    }

    @Test func `damaged lines are passed over`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let key = try fingerprint(1)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let lines = [
            "", " ", "name", "name x y", "block", "block x", "\(key)", "\(key) 1", "\(key) a b c",
            "block \(key) more", "name \(key)", "\(key) 5 6 Ann", "\u{fffd}",
        ]
        _ = FileManager.default.createFile(
            atPath: directory + "/known_peers", contents: Data(lines.joined(separator: "\n").utf8),
            attributes: [.posixPermissions: 0o600])
        let peers = try KnownPeers(directory: directory)
        #expect(peers.entries.count == 1)
        #expect(peers[key]?.name == "Ann" && peers[key]?.petname == nil)
        #expect(peers[key]?.isBlocked == false)
    }
}
