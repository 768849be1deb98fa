// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import TerminalUI
import TurnBasedPlay

/// What the program takes from its surroundings: directories, key and name.
struct Settings {
    /// The DNS-SD service type of the game.
    static let service = "_tictactoe._tcp"

    /// The port where a game listens unless told otherwise.
    static let port: UInt16 = 28_888

    /// Whom a person wants to join, as typed.
    static func target(_ text: String) -> JoinTarget? {
        JoinTarget(text, usualPort: port, scheme: "ttt")
    }

    /// What the table's sentences say of this program.
    static var hints: TableConfiguration.Hints {
        var hints = TableConfiguration.Hints()
        hints.nobody =
            "'ttt host' opens one; where multicast is blocked, 'ttt join ADDRESS' works without it."
        hints.namesake = { fingerprint in
            "'ttt peers name \(fingerprint.description.prefix(8)) NAME' tells them apart."
        }
        hints.code =
            "This game is played with a code: join with --code, and type what the host's screen shows."
        hints.resume = "'ttt resume'"
        return hints
    }

    /// `$XDG_CONFIG_HOME/ttt`, or `~/.config/ttt`.
    let directory: String

    /// The file with the players that were met, named or blocked.
    var peersFile: String { directory + "/" + KnownPeers.file }
    /// The file with the name that was kept.
    var nameFile: String { directory + "/name" }

    /// Whether there is a key; the first game makes one.
    var hasIdentity: Bool { access(directory + "/identity", F_OK) == 0 }

    init() throws(Failure) {
        directory = try Self.base("XDG_CONFIG_HOME", else: "/.config") + "/ttt"
    }

    /// Where the matches are: `$XDG_STATE_HOME/ttt/games`, or `~/.local/state/ttt/games`.
    static func games() throws(Failure) -> String {
        try base("XDG_STATE_HOME", else: "/.local/state") + "/ttt/games"
    }

    /// A base directory; its specification wants relative paths to be ignored.
    private static func base(
        _ name: String, else fallback: String
    ) throws(Failure) -> String {
        if let base = variable(name), base.utf8.first == UInt8(ascii: "/") { return base }
        guard let home = variable("HOME") else {
            throw Failure("HOME is not set, so there is no place for your files.", .disk)
        }
        guard home.utf8.first == UInt8(ascii: "/") else {
            throw Failure(
                "HOME must be an absolute path, which '\(home)' is not, "
                    + "so there is no place for your files.", .disk)
        }
        return home + fallback
    }

    static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    func identity() throws(Failure) -> Identity {
        do throws(OnlineError) {
            return try Identity.load(directory: directory)
        } catch {
            throw Failure(error)
        }
    }

    /// The name given, else the one that was kept, else two random words.
    func name(_ given: String?) throws(Failure) -> String {
        if let given { return try Self.checked(given) }
        if let kept = keptName { return kept }
        var generator = SystemRandomNumberGenerator()
        return RandomName.make(using: &generator)
    }

    /// A name that can be sent, advertised and seen.
    static func checked(_ name: String) throws(Failure) -> String {
        guard (1...63).contains(name.utf8.count) else {
            throw Failure("A name has 1 to 63 bytes; this one has \(name.utf8.count).", .usage)
        }
        let forbidden: [Unicode.GeneralCategory] = [
            .control, .lineSeparator, .paragraphSeparator,
        ]
        guard name.unicodeScalars.allSatisfy({ !forbidden.contains($0.properties.generalCategory) })
        else {
            throw Failure("A name has no line ends and no control characters.", .usage)
        }
        guard display(name, columns: 64).contains(where: { $0 != " " }) else {
            throw Failure("A name needs a character that can be seen.", .usage)
        }
        return name
    }

    /// The name kept by `ttt id --name`.
    var keptName: String? {
        let file = open(nameFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return try? Self.checked(String(decoding: line, as: UTF8.self))
    }

    /// Forgets the name that was kept, if there is one.
    func forgetName() throws(Failure) {
        guard unlink(nameFile) == 0 || errno == ENOENT else {
            throw Failure("\(nameFile) cannot be removed: \(systemMessage(errno)).", .disk)
        }
    }

    func keep(name: String) throws(Failure) {
        do throws(OnlineError) {
            _ = try SecretDirectory(path: directory)
        } catch {
            throw Failure(error)
        }
        let path = nameFile
        let temporary = path + ".\(getpid())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        var line = Array((name + "\n").utf8)
        guard file >= 0, write(file, &line, line.count) == line.count, fsync(file) == 0,
            close(file) == 0, rename(temporary, path) == 0
        else {
            let reason = String(cString: strerror(errno))
            unlink(temporary)
            throw Failure("The name could not be kept in \(path): \(reason).", .disk)
        }
    }

    /// `ttt-mdns`, beside this program or in its libexec directory.
    static var responder: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let directory = path[..<slash]
        return ["/ttt-mdns", "/../libexec/ttt/ttt-mdns"].map { directory + $0 }
            .first { access($0, X_OK) == 0 }
    }
}
