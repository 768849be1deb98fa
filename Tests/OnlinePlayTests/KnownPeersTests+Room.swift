// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import OnlinePlay
import Testing

/// When there are too many.
extension KnownPeersTests {
    func stranger(_ number: Int) throws -> Fingerprint {
        var bytes = [UInt8](repeating: 7, count: 32)
        (bytes[0], bytes[1]) = (UInt8(number >> 8), UInt8(number & 0xff))
        return try #require(Fingerprint(bytes))
    }

    /// Writes the file as another program would.
    func write(_ lines: [String]) throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        _ = FileManager.default.createFile(
            atPath: directory + "/known_peers", contents: try text(lines),
            attributes: [.posixPermissions: 0o600])
    }

    func text(_ lines: [String]) throws -> Data {
        Data(lines.map { $0 + "\n" }.joined().utf8)
    }

    @Test func `when the file is full, the stranger met longest ago is forgotten`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // The first is the one met longest ago but for three whom the user knows.
        var lines = try (0..<KnownPeers.most).map { "\(try stranger($0)) 5 \(1_000 + $0) Eve" }
        let (named, blocked, oldest) = (try stranger(0), try stranger(1), try stranger(2))
        lines += ["name \(named) Ann", "block \(blocked)"]
        try write(lines)
        let newcomer = try fingerprint(9)
        let peers = try after { try $0.remember(newcomer, name: "Bob") }
        #expect(peers.entries.count == KnownPeers.most)
        #expect(peers[newcomer] != nil && peers[oldest] == nil)
        #expect(try peers[stranger(3)] != nil)
        #expect(peers[named]?.petname == "Ann" && peers[blocked]?.isBlocked == true)
    }

    @Test func `a file with more than is kept is cut at the next change`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try write((0..<5_000).map { "\(try stranger($0)) 5 \(10_000 - $0) Eve" })
        let peers = try after { try $0.name(try fingerprint(9), "Ann") }
        #expect(peers.entries.count == KnownPeers.most)
        #expect(try peers[stranger(0)] != nil && peers[stranger(4_999)] == nil)
    }

    @Test func `however long the names, what is written can be read`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let name = String(repeating: "n", count: 64)
        var lines: [String] = []
        for number in 0..<KnownPeers.most {
            let key = try stranger(number)
            lines += [
                "\(key) 1234567890 1234567890 \(name)", "name \(key) \(name)", "block \(key)",
            ]
        }
        try write(lines)
        let full = try after { try $0.block(stranger(0)) }
        #expect(full.entries.count == KnownPeers.most)
        try write(
            (0..<300).map { "\(try stranger($0)) 5 \($0) " + String(repeating: "n", count: 3_400) })
        let long = String(repeating: "m", count: 20_000)
        let peers = try after { try $0.remember(try fingerprint(9), name: long) }
        #expect(try peers[fingerprint(9)] != nil && peers[stranger(0)] == nil)
        #expect(try peers[stranger(299)] != nil)
    }

    @Test func `a file full of named players is an error and stays as it was`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let lines = try (0..<KnownPeers.most).map { "name \(try stranger($0)) Ann" }
        try write(lines)
        var peers = try KnownPeers(directory: directory)
        let before = peers.entries
        let error = #expect(throws: OnlineError.self) {
            try peers.remember(try fingerprint(9), name: "Bob")
        }
        #expect(error?.code == .secrets && error?.description.contains("is full") == true)
        #expect(peers.entries == before)
        let file = try Data(contentsOf: URL(filePath: directory + "/known_peers"))
        let written = try text(lines)
        #expect(file == written)
        try peers.forget(try stranger(0))
        try peers.remember(try fingerprint(9), name: "Bob")
        #expect(peers.entries.count == KnownPeers.most)
    }

    @Test func `of too many named players one can be forgotten`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try write((0..<3_000).map { "name \(try stranger($0)) Ann" })
        let peers = try after { try $0.forget(stranger(0)) }
        #expect(peers.entries.count == 2_999)
    }
}
