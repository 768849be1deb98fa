// SPDX-License-Identifier: MIT

import Glibc
import MatchEvents
import MatchProtocol
import OnlinePlay
import TerminalUI
import TicTacToe
import TurnBasedPlay

/// `ttt play`, `ttt host` and `ttt join`.
struct PlayCommand {
    private let options: Options
    private let isUTF8: Bool

    init(_ options: Options, isUTF8: Bool) {
        self.options = options
        self.isUTF8 = isUTF8
    }

    func run() throws(Failure) -> Int32 {
        let front = Front.choose(
            json: options.has(.json), plain: options.has(.plain),
            environment: Settings.variable)
        let configuration = try configuration(for: front, try code())
        let signals = MainLoop.blockSignals()
        let mailbox = Mailbox()
        let loop: EventLoop
        do throws(OnlineError) {
            loop = try EventLoop.shared
        } catch {
            throw Failure(error)
        }
        let table = Table<Position>(configuration, loop: loop) { mailbox.post(.event($0)) }
        let frontEnd = frontEnd(front, configuration)
        defer { frontEnd.close() }
        // On the loop, not on the global pool: that would wake the process now and then for ever.
        Task.detached(executorPreference: loop) { mailbox.post(.closed(await table.run())) }
        let mainLoop = MainLoop(
            frontEnd: frontEnd, mailbox: mailbox,
            command: { command in
                Task.detached(executorPreference: loop) { await table.command(command) }
            },
            interrupt: { Task.detached(executorPreference: loop) { await table.interrupt() } })
        let code = mainLoop.run(signals: signals)
        if let reason = frontEnd.refusal { throw Output.failure(reason) }
        return code
    }

    private func frontEnd(_ front: Front, _ configuration: TableConfiguration) -> any FrontEnd {
        switch front {
        case .json: return LineFrontEnd(.json)
        case .plain: return LineFrontEnd(.plain(PlainFront(utf8: isUTF8 && !options.has(.ascii))))
        case .screen:
            var wishes = Terminal.Options()
            wishes.color = !options.has(.noColor)
            wishes.ascii = options.has(.ascii)
            wishes.mouse = !options.has(.noMouse)
            wishes.bell = !options.has(.noBell)
            do throws(TerminalError) {
                return ScreenFrontEnd(
                    try Terminal(wishes, environment: Settings.variable),
                    model: ScreenModel(
                        purpose: purpose(configuration.code), name: configuration.name,
                        key: configuration.identity.fingerprint.description))
            } catch {
                Program.complain(error.description)
                return LineFrontEnd(.plain(PlainFront(utf8: isUTF8)))
            }
        }
    }

    private func purpose(_ code: TableConfiguration.Code) -> ScreenModel.Purpose {
        switch (options.command, code) {
        case (.host, _), (.play, .madeUp): .host
        case (.join, _): options.operands.first.map { .reach($0) } ?? .join
        case (.resume, _), (.play, .given): .join
        default: .play
        }
    }

    /// The code's part: a host makes one up, who joins has it, and who only wants to play may
    /// have been told one.
    private func code() throws(Failure) -> TableConfiguration.Code {
        let entry = CodeEntry()
        guard options.has(.code) else { return .none }
        switch options.command {
        case .host: return .madeUp
        case .join: return .given(try entry.code())
        default: return try entry.codeIfAny().map { .given($0) } ?? .madeUp
        }
    }

    private func configuration(
        for front: Front, _ code: TableConfiguration.Code
    ) throws(Failure) -> TableConfiguration {
        let settings = try Settings()
        let accept = try acceptPolicy(code)
        let identity = try settings.identity()
        let games = try Self.usableGames()
        let kept =
            options.command == .resume ? try ResumeChoice().choose(options.operands.first) : nil
        var configuration = TableConfiguration(
            name: try settings.name(options.values[.name] ?? kept?.match.you), identity: identity,
            directory: settings.directory, stateDirectory: games,
            service: Settings.service,
            seeking: try seeking(kept?.journal, isPerson: front == .screen, code),
            listening: try listening(code), accept: accept,
            patience: patience(isPerson: front == .screen, code),
            responder: Settings.responder)
        configuration.code = code
        configuration.isAdvertised = !options.has(.hidden)
        configuration.usualPort = Settings.port
        configuration.hints = Settings.hints
        let notice = KeptNotice(settings, games)
        switch kept {
        case nil: configuration.notice = notice.ofUnfinished
        case let kept? where kept.isOneOfMany: configuration.notice = notice.of(resumed: kept.match)
        default: break
        }
        configuration.clock = try clock()
        return configuration
    }

    /// Where matches are kept: a game that cannot be stored is better not begun.
    private static func usableGames() throws(Failure) -> String {
        let path = try Settings.games()
        var problem: String?
        do throws(StoreError) {
            _ = try GameDirectory(path: path)
            if access(path, W_OK | X_OK) != 0 {
                problem = "\(path) cannot be written: \(systemMessage(errno))."
            }
        } catch {
            problem = error.description
        }
        guard let problem else { return path }
        throw Failure(
            "Matches cannot be kept. \(problem) XDG_STATE_HOME can name another place.", .disk)
    }

    private func clock() throws(Failure) -> MoveClock? {
        guard let text = options.values[.clock] else { return nil }
        do throws(CommandError) {
            return try MoveClock(typed: text)
        } catch {
            throw Failure("--clock '\(text)': \(error.message)", .usage)
        }
    }

    private func seeking(
        _ kept: JournalName?, isPerson: Bool, _ code: TableConfiguration.Code
    ) throws(Failure) -> TableConfiguration.Seeking {
        if let kept { return .match(kept.match, kept.seat) }
        switch options.command {
        case .host: return .guests
        case .play where code == .madeUp: return .guests
        case .join:
            guard let operand = options.operands.first else { return isPerson ? .chosen : .anyOpen }
            guard let target = Settings.target(operand) else {
                throw Failure("'\(operand)' is neither a name nor an address.", .usage)
            }
            return .target(target)
        default: return .anyOpen
        }
    }

    /// How long a search may last: a person at a screen stops it when they like.
    private func patience(isPerson: Bool, _ code: TableConfiguration.Code) -> UInt64? {
        guard isJoining(code) else { return nil }
        if let operand = options.operands.first, case .name = Settings.target(operand) {
            return 4_000
        }
        return isPerson ? nil : 10_000
    }

    /// Whether somebody else's game is wanted, and none of one's own.
    private func isJoining(_ code: TableConfiguration.Code) -> Bool {
        guard options.command == .play, case .given = code else { return options.command == .join }
        return true
    }

    private func listening(
        _ code: TableConfiguration.Code
    ) throws(Failure) -> TableConfiguration.Listening? {
        guard !isJoining(code) else { return nil }
        // A match that goes on listens where it did, unless it is told another place.
        let isTold = options.has(.port) || options.has(.bind)
        guard options.command != .resume || isTold else { return nil }
        var port: UInt16?
        if let text = options.values[.port] {
            guard let number = UInt16(text) else {
                throw Failure("A port is a number from 0 to 65535, not '\(text)'.", .usage)
            }
            port = number
        }
        if let address = options.values[.bind], Endpoint(host: address, port: 0) == nil {
            throw Failure("--bind takes an address in figures, not '\(address)'.", .usage)
        }
        return TableConfiguration.Listening(
            port: port, bind: options.values[.bind])
    }

    /// Who has proved to know the code has been spoken to, and need not be asked about.
    private func acceptPolicy(
        _ code: TableConfiguration.Code
    ) throws(Failure) -> AcceptPolicy {
        guard let word = options.values[.accept] else {
            return options.command == .host && code == .none ? .ask : .all
        }
        guard let policy = AcceptPolicy(rawValue: word) else {
            throw Failure("--accept takes ask, known or all, not '\(word)'.", .usage)
        }
        return policy
    }
}
