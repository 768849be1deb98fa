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
        let configuration = try configuration(for: front)
        let signals = MainLoop.blockSignals()
        let mailbox = Mailbox()
        let loop: EventLoop
        do throws(OnlineError) {
            loop = try EventLoop.shared
        } catch {
            throw Failure(error)
        }
        let table = Table<Position>(configuration, loop: loop) { mailbox.post(.event($0)) }
        let frontEnd = frontEnd(front, name: configuration.name, configuration.identity)
        defer { frontEnd.close() }
        // On the loop, not on the global pool: that would wake the process now and then for ever.
        Task.detached(executorPreference: loop) { mailbox.post(.closed(await table.run())) }
        let mainLoop = MainLoop(
            frontEnd: frontEnd, mailbox: mailbox,
            command: { command in
                Task.detached(executorPreference: loop) { await table.command(command) }
            },
            interrupt: { Task.detached(executorPreference: loop) { await table.interrupt() } })
        return mainLoop.run(signals: signals)
    }

    private func frontEnd(_ front: Front, name: String, _ identity: Identity) -> any FrontEnd {
        switch front {
        case .json: return LineFrontEnd(.json)
        case .plain: return LineFrontEnd(.plain(PlainFront(utf8: isUTF8 && !options.has(.ascii))))
        case .screen:
            var wishes = Terminal.Options()
            wishes.color = !options.has(.noColor)
            wishes.ascii = options.has(.ascii)
            wishes.mouse = !options.has(.noMouse)
            wishes.bell = !options.has(.noBell)
            let purpose: ScreenModel.Purpose =
                switch options.command {
                case .host: .host
                case .join, .resume: .join
                default: .play
                }
            do throws(TerminalError) {
                return ScreenFrontEnd(
                    try Terminal(wishes, environment: Settings.variable),
                    model: ScreenModel(
                        purpose: purpose, name: name, key: identity.fingerprint.description))
            } catch {
                Program.complain(error.description)
                return LineFrontEnd(.plain(PlainFront(utf8: isUTF8)))
            }
        }
    }

    private func configuration(for front: Front) throws(Failure) -> TableConfiguration {
        let settings = try Settings()
        let accept = try acceptPolicy()
        let identity = try settings.identity()
        var configuration = TableConfiguration(
            name: try settings.name(options.values[.name]), identity: identity,
            directory: settings.directory, service: Settings.service,
            seeking: try seeking(isPerson: front == .screen), listening: try listening(),
            accept: accept, patience: patience(isPerson: front == .screen),
            responder: Settings.responder)
        configuration.isAdvertised = !options.has(.hidden)
        configuration.stateDirectory = try Settings.games()
        configuration.clock = try clock()
        return configuration
    }

    private func clock() throws(Failure) -> MoveClock? {
        guard let text = options.values[.clock] else { return nil }
        do throws(CommandError) {
            return try MoveClock(typed: text)
        } catch {
            throw Failure("--clock '\(text)': \(error.message)", .usage)
        }
    }

    private func seeking(isPerson: Bool) throws(Failure) -> TableConfiguration.Seeking {
        switch options.command {
        case .host: return .guests
        case .resume:
            let name = try ResumeChoice().name(options.operands.first)
            return .match(name.match, name.seat)
        case .join:
            guard let operand = options.operands.first else { return isPerson ? .chosen : .anyOpen }
            guard let target = JoinTarget(operand) else {
                throw Failure("'\(operand)' is neither a name nor an address.", .usage)
            }
            return .target(target)
        default: return .anyOpen
        }
    }

    /// How long a search may last: a person at a screen stops it when they like.
    private func patience(isPerson: Bool) -> UInt64? {
        guard options.command == .join else { return nil }
        if let operand = options.operands.first, case .name = JoinTarget(operand) { return 4_000 }
        return isPerson ? nil : 10_000
    }

    private func listening() throws(Failure) -> TableConfiguration.Listening? {
        guard options.command != .join else { return nil }
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
        return TableConfiguration.Listening(
            port: port, bind: options.values[.bind])
    }

    private func acceptPolicy() throws(Failure) -> AcceptPolicy {
        guard let word = options.values[.accept] else {
            return options.command == .host ? .ask : .all
        }
        guard let policy = AcceptPolicy(rawValue: word) else {
            throw Failure("--accept takes ask, known or all, not '\(word)'.", .usage)
        }
        return policy
    }
}
