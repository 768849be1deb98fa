// SPDX-License-Identifier: MIT

public import MatchEvents
public import MatchProtocol
public import OnlinePlay
import ServiceDiscovery
import SessionProtocol

/// A player's place: finds somebody to play with, plays a match, and says goodbye.
///
/// The table carries out what `MatchProtocol`'s machines decide and decides nothing itself. Give
/// it a function that takes events, ``run()`` it, and send it commands:
///
/// ```swift
/// import MatchEvents
/// import OnlinePlay
/// import TurnBasedPlay
///
/// let table = Table<Nim>(configuration, loop: try EventLoop.shared) { event in print(event) }
/// async let end = table.run()
/// await table.command(.move(square: 2))
/// print(await end)
/// ```
public actor Table<G: BoardGame> {
    typealias Connection = MatchSeat<G>.Connection

    /// The executor: the loop, so that everything happens on the thread that reads the bytes.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    let loop: EventLoop
    let configuration: TableConfiguration
    let deliver: @Sendable (PlayerEvent) -> Void
    let cryptography: OpenSSLCryptography
    let instance: InstanceID
    /// What makes this run's advert recognisable to those who know the key, and to nobody else.
    let salt: [UInt8]
    var knownPeers: KnownPeers?

    /// Who is met, until a match has started.
    var lobby: Lobby
    /// The side of the match, once there is somebody to play with.
    var seat: MatchSeat<G>?
    var translator: Translator<G>?
    /// Whether the player was asked about whoever sits there now.
    var wasAsked = false
    /// Whether whoever sits there now was asked by this side, and has not answered.
    var isAsking = false
    /// Whether an answer may be meant for another question.
    var hold = QuestionHold()
    /// What those at the door sent first, until they are seated.
    var opened: [Lobby.Guest: SessionEvent] = [:]
    var journal: Journal<GameDirectory>?
    /// Every session that has said hello and not ended.
    var sessions: [Connection: OnlineSession] = [:]
    var nextGuest: Lobby.Guest = 1
    /// Matches that are not played here and of which the player was told that the other one waits.
    var missed: Set<[UInt8]> = []
    /// The code that guests must know, if they must.
    var code: HostCode?
    var lobbyDials: [Lobby.Dial: Dialling] = [:]
    var matchDials: [Reunion.Dial: Task<Void, Never>] = [:]

    var listener: OnlineListener?
    var discovery: ServiceDiscovery?
    var services: [String: Service] = [:]
    /// The adverts told as found and not yet as gone.
    var shown: [String: FoundGame] = [:]
    var hosting: Hosting?
    /// The port of the match's last process; 0 if there is none.
    var lastPort: UInt16 = 0
    /// Where the other side of the match was reached or heard from.
    var whereabouts: [Endpoint] = []
    /// What of it is in the journal.
    var linkNotes = LinkNotes()

    /// When the other side was heard.
    var hearing = Hearing()
    var addressWatch: AddressWatch?
    /// The addresses of this machine as they were last looked at.
    var ownAddresses: Set<Endpoint> = []

    /// Work to be done beside the table, as child tasks of ``run()``.
    private let jobs: AsyncStream<@Sendable () async -> Void>
    private let addJob: AsyncStream<@Sendable () async -> Void>.Continuation
    private var alarm: Alarm?
    private(set) var end: TableEnd?
    /// What was open at the end: also a session that has ended may have a last word to write.
    var leaving: [OnlineSession] = []

    /// A dial of the lobby: first a task, then a session that waits to be seated.
    struct Dialling {
        var task: Task<Void, Never>
        var session: OnlineSession?
        /// Why the host was not given the code's answer.
        var mismatch: Lobby.DialFailure?
    }

    /// Prepares a table.
    ///
    /// - Parameters:
    ///   - configuration: What the player wants.
    ///   - loop: The loop that everything runs on.
    ///   - deliver: Takes the events, in order, on the loop's thread; it must not block.
    public init(
        _ configuration: TableConfiguration, loop: EventLoop,
        deliver: @escaping @Sendable (PlayerEvent) -> Void
    ) {
        self.configuration = configuration
        self.loop = loop
        self.deliver = deliver
        cryptography = OpenSSLCryptography(identity: configuration.identity)
        instance = .random()
        salt = randomBytes(8)
        lobby = Lobby(
            Lobby.Configuration(
                instance: instance, letsIn: Self.letsIn(configuration),
                target: Self.target(configuration.seeking),
                onlyKnown: configuration.accept == .known,
                needsCode: configuration.code != .none, asks: configuration.accept == .ask,
                patience: configuration.patience))
        (jobs, addJob) = AsyncStream.makeStream()
    }

    /// Whether somebody may come who wants to begin a match.
    private static func letsIn(_ configuration: TableConfiguration) -> Bool {
        if case .match = configuration.seeking { false } else { configuration.listening != nil }
    }

    private static func target(_ seeking: TableConfiguration.Seeking) -> Lobby.Target {
        switch seeking {
        case .guests, .match: .guests
        case .target(.address): .address
        case .target(.name(let name)): .name(name)
        case .anyOpen: .anyOpen
        case .chosen: .chosen
        }
    }

    // MARK: From outside

    /// Finds somebody, plays, and returns when all is said and closed. Call it once.
    public func run() async -> TableEnd {
        alarm = Alarm(on: loop) { [weak self] in
            guard let self else { return }
            self.assumeIsolated { $0.tick() }
        }
        await withDiscardingTaskGroup { group in
            open()
            for await job in jobs { group.addTask { await job() } }
            await farewell()
            group.cancelAll()
        }
        return end ?? .quit
    }

    /// Carries out what the player wants.
    public func command(_ command: PlayerCommand) {
        guard end == nil else { return }
        switch command {
        case .quit: return finish(.quit, reason: .quit)
        case .choose(let id):
            guard let value = UInt64(id, radix: 16) else { return }
            choose(InstanceID(value: value))
        default: play(command)
        }
        setAlarm()
    }

    /// Ends everything because the process is to end.
    public func interrupt() {
        finish(.quit, reason: .interrupted)
    }

    // MARK: Inside

    /// Tells the player; nothing after the last event.
    func tell(_ event: PlayerEvent) {
        guard end == nil else { return }
        deliver(event)
    }

    /// Tells the player what went wrong and ends the table.
    func fail(_ end: TableEnd, code: String, _ message: String) {
        tell(.failed(code: code, message: message))
        finish(end, reason: .failed)
    }

    /// Starts a child task of ``run()``.
    func start(_ job: @escaping @Sendable () async -> Void) {
        addJob.yield(job)
    }

    /// Does what is due.
    private func tick() {
        guard end == nil else { return }
        perform(lobby.tick(now: loop.now()))
        if let effects = seat?.tick(now: loop.now()) { perform(effects) }
        listenForSilence()
        renewCode()
        setAlarm()
    }

    /// Wakes the table when the next thing is due, and not otherwise.
    func setAlarm() {
        let due = [lobby.deadline, seat?.deadline, codeDeadline, hearingDeadline]
            .compactMap { $0 }.min()
        alarm?.set(end == nil ? due : nil)
    }

    /// Ends the table, once: the last event, then goodbyes.
    func finish(_ end: TableEnd, reason: CloseReason) {
        guard self.end == nil else { return }
        noteLink(isLast: true)
        deliver(.closed(reason))
        self.end = end
        leaving += Array(sessions.values) + lobbyDials.values.compactMap(\.session)
        addJob.finish()
    }

    private func farewell() async {
        alarm?.set(nil)
        listener?.close()
        let code: GoodbyeCode =
            switch end {
            case .brokenPeer: .protocolError
            case .disk: .disk
            default: seat?.goodbye ?? .left
            }
        for dialling in lobbyDials.values { dialling.task.cancel() }
        for task in matchDials.values { task.cancel() }
        for session in leaving { session.post(goodbye: code, text: "") }
        discovery?.close()
        for session in leaving { await session.close(goodbye: code) }
    }
}
