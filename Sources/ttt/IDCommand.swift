// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import TerminalUI

/// `ttt id`: who this player is, and how it moves to another machine.
struct IDCommand {
    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    func run() throws(Failure) -> Int32 {
        let settings = try Settings()
        switch (options.operands.first, options.operands.count, options.values[.from]) {
        case (nil, _, nil): return try show(settings)
        case ("move", 2, nil): return try move(to: options.operands[1], settings)
        case ("move", 1, let path?): return try takeIn(path, settings)
        default:
            throw Failure("'ttt id' takes nothing, move FILE or move --from FILE.", .usage)
        }
    }

    private func show(_ settings: Settings) throws(Failure) -> Int32 {
        // Who only asks is not made somebody.
        let fingerprint =
            settings.hasIdentity ? try settings.identity().fingerprint.description : nil
        switch options.values[.name] {
        case nil: break
        case ""?: try settings.forgetName()
        case let name?: try settings.keep(name: try Settings.checked(name))
        }
        let name = settings.keptName.map { display($0, columns: 64) } ?? "a new one each time"
        try Output.put("name         \(name)")
        try Output.put("fingerprint  \(fingerprint ?? "none yet; the first game makes one")")
        return 0
    }

    // MARK: Moving

    private func move(to path: String, _ settings: Settings) throws(Failure) -> Int32 {
        do {
            let move = try OutgoingIdentity(directory: settings.directory)
            guard access(path, F_OK) != 0 else {
                throw Failure("\(path) is there already; name a new file.", .usage)
            }
            // Before somebody makes a passphrase up for nothing.
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            let parent = slash.map { String(path[...$0]) } ?? "."
            guard access(parent, W_OK | X_OK) == 0 else {
                throw Failure("\(path) cannot be made: \(systemMessage(errno)).", .disk)
            }
            let passphrase = try PassphraseEntry.new()
            try move.write(
                to: path, passphrase: passphrase,
                words: """
                    The key of a player of ttt, under a passphrase.
                    'ttt id move --from' and the name of this file takes it in and removes the file.
                    """)
            try move.finish()
        } catch {
            throw failure(error)
        }
        try Output.put(
            """
            Your identity is in \(display(path, columns: 200)) now, and no longer here.
            On the other machine: ttt id move --from FILE
            """)
        try tellWhatStays(settings)
        return 0
    }

    /// Only the key moves; the rest are files to copy.
    private func tellWhatStays(_ settings: Settings) throws(Failure) {
        let games = try Settings.games()
        let staying = [
            (settings.peersFile, "whom you have met, named and blocked"),
            (settings.nameFile, "your name"), (games, "your matches"),
        ].filter { path, _ in access(path, F_OK) == 0 && (path != games || Self.hasEntries(games)) }
        if !staying.isEmpty {
            try Output.put("This stays here; copy it along once no program of yours runs:")
        }
        for (path, what) in staying { try Output.put("  \(path): \(what)") }
        try Output.put("The next game on this machine makes you somebody new here.")
    }

    private func takeIn(_ path: String, _ settings: Settings) throws(Failure) -> Int32 {
        // Before somebody types a passphrase for nothing.
        guard access(path, R_OK) == 0 else {
            let reason = errno
            throw Failure(
                "\(path) cannot be read: \(systemMessage(reason)).",
                reason == ENOENT ? .usage : .disk)
        }
        guard Identity.moved(in: path) != nil else {
            throw Failure("\(path) has no player's key in it.", .disk)
        }
        do {
            let passphrase = try PassphraseEntry.known()
            let (fingerprint, isRemoved) = try Identity.takeIn(
                from: path, to: settings.directory, passphrase: passphrase)
            try Output.put("fingerprint  \(fingerprint)")
            if access(settings.peersFile, F_OK) != 0 {
                try Output.put(
                    """
                    Nobody is named or blocked here yet. Whom you named or blocked on the other \
                    machine is in its file known_peers; copy that to
                      \(settings.peersFile)
                    """)
            }
            if !isRemoved {
                Program.complain("\(path) could not be removed; do that yourself.")
            }
            return 0
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> Failure {
        if let failure = error as? Failure { return failure }
        guard let error = error as? OnlineError else { return Failure("\(error)", .disk) }
        return switch error.code {
        case .otherIdentity:
            Failure(
                error.description.dropLast() + "; 'ttt id move' takes that one elsewhere first.",
                .disk)
        case .wrongPassphrase: Failure(error.description, .refused)
        default: Failure(error)
        }
    }

    private static func hasEntries(_ directory: String) -> Bool {
        guard let stream = opendir(directory) else { return false }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { return true }
        }
        return false
    }
}
