// SPDX-License-Identifier: MIT

import Glibc
import MatchProtocol
import OnlinePlay
import SessionProtocol
import TestSupport
import Testing
import TicTacToe
import TurnBasedPlay

/// A directory that is gone after the test.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/ttt-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { remove(path) }

    private func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(directory)
        }
        Glibc.remove(path)
    }

    /// The permission bits of a file.
    func mode(_ name: String) -> mode_t {
        var status = stat()
        return lstat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Writes a file as another program would.
    func put(_ bytes: [UInt8], as name: String, mode: mode_t = 0o600) throws {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(file >= 0)
        defer { close(file) }
        try #require(write(file, bytes, bytes.count) == bytes.count)
    }
}

@Suite struct GameDirectoryTests {
    private let temporary: TemporaryDirectory
    private let directory: GameDirectory
    private var games: String { temporary.path + "/state/ttt/games" }

    init() throws {
        temporary = try TemporaryDirectory()
        directory = try GameDirectory(path: temporary.path + "/state/ttt/games")
    }

    private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
        do throws(StoreError) {
            try body()
            return nil
        } catch {
            #expect(error.description.contains(error.path))
            #expect(error.description.contains(games))
            return error.code
        }
    }

    @Test func `what it makes is private`() throws {
        let file = try directory.create("a")
        try directory.append([1, 2], to: file)
        try directory.sync(file)
        _ = try directory.lock("a.lock")
        for name in ["state", "state/ttt", "state/ttt/games"] {
            #expect(temporary.mode(name) == 0o700)
        }
        #expect(temporary.mode("state/ttt/games/a") == 0o600)
        #expect(temporary.mode("state/ttt/games/a.lock") == 0o600)
    }

    @Test func `bytes are appended, also under another name`() throws {
        let file = try directory.create("a")
        try directory.append([1, 2], to: file)
        try directory.rename("a", to: "b")
        try directory.append([3], to: file)
        try directory.sync(file)
        try directory.syncDirectory()
        #expect(try directory.read("a") == nil)
        #expect(try directory.read("b") == [1, 2, 3])
        #expect(try directory.list().filter { !$0.hasPrefix(".") } == ["b"])
        #expect(directory.lastWritten("b") ?? 0 > 1_700_000_000)
        try directory.remove("b")
        try directory.remove("b")
        #expect(try directory.read("b") == nil)
    }

    @Test func `a name that is taken is not overwritten`() throws {
        try directory.append([7], to: try directory.create("a"))
        #expect(code { () throws(StoreError) in _ = try directory.create("a") } == .exists)
        #expect(try directory.read("a") == [7])
    }

    @Test func `no symbolic link is followed`() throws {
        try temporary.put([1], as: "elsewhere")
        for name in ["a", "a.lock"] {
            symlink("\(temporary.path)/elsewhere", "\(games)/\(name)")
        }
        #expect(code { () throws(StoreError) in _ = try directory.read("a") } == .unsafe)
        #expect(code { () throws(StoreError) in _ = try directory.lock("a.lock") } == .unsafe)
        #expect(code { () throws(StoreError) in _ = try directory.create("a") } == .exists)
    }

    @Test func `a file or directory that is open to others is not used`() throws {
        try temporary.put([1], as: "state/ttt/games/a", mode: 0o644)
        #expect(code { () throws(StoreError) in _ = try directory.read("a") } == .unsafe)
        try temporary.put([], as: "state/ttt/games/a.lock", mode: 0o644)
        #expect(code { () throws(StoreError) in _ = try directory.lock("a.lock") } == .unsafe)
        for mode in [0o777, 0o755] as [mode_t] {
            chmod(games, mode)
            #expect(code { () throws(StoreError) in _ = try GameDirectory(path: games) } == .unsafe)
        }
    }

    @Test func `a lock is held until it is let go`() throws {
        let other = try GameDirectory(path: games)
        var lock: GameDirectory.Lock? = try directory.lock("a.lock")
        #expect(code { () throws(StoreError) in _ = try other.lock("a.lock") } == .inUse)
        #expect(lock != nil)
        lock = nil
        #expect(code { () throws(StoreError) in _ = try other.lock("a.lock") } == nil)
    }

    @Test func `what the system refuses is an error with the path`() throws {
        let file = try directory.create("a")
        #expect(
            code { () throws(StoreError) in try directory.rename("none", to: "other") } == .failed)
        mkdir("\(games)/d", 0o700)
        #expect(code { () throws(StoreError) in _ = try directory.read("d") } == .unsafe)
        #expect(code { () throws(StoreError) in try directory.remove("d") } != nil)
        try directory.append([], to: file)
    }
}
