// SPDX-License-Identifier: MIT

import SessionProtocol

/// A session on its loop: moves bytes between two streams and a ``SessionMachine``, and events
/// between the machine and the tasks that wait for them.
// Sendable although mutable: apart from `published`, which is behind a lock of the loop, every
// member is touched on the loop's thread alone.
final class SessionCore: LoopMember, StreamOwner, @unchecked Sendable {
    /// How far the connection is.
    enum Phase {
        case idle
        /// Bytes go both ways.
        case running
        /// The session is over; what is left is being written, or the peer's end awaited.
        case finishing
        case closed
    }

    /// Why a task that waited for an event goes on.
    enum Wake: Sendable {
        /// There is an event, or there never will be.
        case look
        case cancelled
        case alreadyWaiting
    }

    /// A task that waits for an event.
    enum Reader {
        /// One that runs on the loop, with the number of its wait: it costs no allocation.
        case here(UnsafeContinuation<Wake, Never>, ticket: UInt64)
        case elsewhere(Waiter<Wake>)

        var isWaiting: Bool {
            switch self {
            case .here: true
            case .elsewhere(let waiter): waiter.isWaiting
            }
        }

        func resume(_ wake: Wake) {
            switch self {
            case .here(let continuation, _): continuation.resume(returning: wake)
            case .elsewhere(let waiter): waiter.resume(wake)
            }
        }
    }

    static let noExporter = [UInt8](repeating: 0, count: 32)

    let loop: EventLoop
    let givesEvents: Bool
    // Never lent out to what could come back here: no access can overlap another.
    @exclusivity(unchecked) var machine: SessionMachine
    var phase = Phase.idle
    /// Whoever accepted the connection, until it is closed and nobody handles the session.
    var listener: ListenerCore?
    /// What the listener counts it by until it has been let in.
    var ticketOfAdmission: Admission.Ticket = 0
    /// Whether a welcome does not let the peer in yet; and whether it did what it came for.
    var staysVisitor = false
    var isVouchedFor = false
    /// Whether the listener has given the session to a task, and whether that is done with it.
    var isHandedOver = false
    private var isHandled = false

    let input: any ByteInput
    let output: any ByteOutput
    var tls: TLSChannel?
    /// The proof of a code, while one is wanted.
    var exchange: CodeExchange?
    /// There is more to read than one turn may take.
    var hasMoreToRead = false
    /// Something was said at the end that the peer should get to read.
    var hasLastWords = false
    var hasFinishedOutput = false
    var finishEnd = Instant(nanoseconds: 0)

    private var published = Published()
    /// Whether the machine's `ready` has been seen; and events that were seen and not yet given.
    private(set) var isReady = false
    var seen: [SessionEvent] = []
    var nextPacket: Packet?
    var reader: Reader?
    var ticket: UInt64 = 0
    var cancelledTicket: UInt64 = 0
    var senders: [Waiter<Bool>] = []
    var readyWaiters: [Waiter<Bool>] = []
    var closers: [Waiter<Void>] = []

    init(
        input: any ByteInput, output: any ByteOutput, role: Role, settings: SessionSettings,
        address: Endpoint?, loop: EventLoop, now: Instant
    ) throws(OnlineError) {
        self.loop = loop
        self.input = input
        self.output = output
        givesEvents = settings.givesEvents
        machine = SessionMachine(
            role: role, hello: settings.hello, limits: settings.limits.session,
            acknowledgement: settings.acknowledgement, log: settings.log,
            wantsProof: settings.passcode != nil, random: randomBytes(24), now: now)
        super.init()
        published.address = address
        if case .identity(let identity) = settings.security {
            guard let tls = TLSChannel(identity, role: role) else {
                throw OnlineError(.system, "No TLS: \(TLSChannel.errorText()).")
            }
            self.tls = tls
            if let passcode = settings.passcode {
                exchange = CodeExchange(
                    passcode, own: identity.fingerprint, role: role,
                    mayAnswer: settings.mayAnswer)
            }
        }
    }

    // MARK: Commands, on the loop

    func start() {
        guard phase == .idle else { return }
        phase = .running
        input.startReading(for: self)
        output.startWriting(for: self)
        read()
        loop.settleLater(self)
    }

    /// Does `command` to the machine and then whatever follows from it.
    func command<Result>(_ command: (inout SessionMachine) -> Result) -> Result {
        defer { machineMoved() }
        return command(&machine)
    }

    /// Ends the session at once, so that others have room.
    func dismiss() {
        machine.refuse(Refusal(.full, text: "too many are waiting"))
        machine.failed(reading: "closed in favour of others")
        machineMoved()
        write()
        closeStreams()
    }

    /// The task that the session was handed over to is done with it.
    func handled() {
        isHandled = true
        if phase == .closed { leaveListener() }
    }

    /// The connection is closed, or the task done: with both, the session counts no more.
    func leaveListener() {
        if !isHandedOver || isHandled {
            if isHandedOver { listener?.sessionDone() }
            listener = nil
        }
    }

    // MARK: What any thread may ask for

    func withPublished<Result>(_ body: (inout Published) -> Result) -> Result {
        loop.publication.withLock { _ in body(&published) }
    }

    // MARK: Between machine and tasks

    /// Passes on what the machine has to tell; to be called after every input.
    func machineMoved() {
        if !isReady { seeFirstEvents() }
        if let reader, isWorthALook {
            self.reader = nil
            reader.resume(.look)
        }
        if !senders.isEmpty, machine.canSend || isOver {
            for waiter in senders { waiter.resume(true) }
            senders.removeAll()
        }
        if !machine.isOpen, isOver, phase == .running || phase == .idle { sessionEnded() }
        loop.settleLater(self)
    }

    func resumeClosers() {
        for waiter in closers { waiter.resume(()) }
        closers.removeAll()
    }

    /// Looks at the events up to `ready`, which concern this shell too.
    private func seeFirstEvents() {
        while !isReady, let event = machine.nextEvent() {
            if givesEvents { seen.append(event) }
            switch event {
            case .hello(let hello):
                publish(hello)
                if let listener {
                    listener.helloArrived(self)
                } else if !givesEvents {
                    acceptNew()
                }
            case .ready(let hello):
                isReady = true
                publish(hello)
                resumeReadyWaiters()
                listener?.sessionReady(self)
            case .asked(let share): answer(share)
            case .answered, .packet, .note, .had, .ended: break
            }
        }
    }

    /// Answers a hello where nobody else does. There are no logs of earlier sessions here, so one
    /// that wants to go on with a session is refused.
    func acceptNew() {
        guard machine.peerToken == nil else {
            return machine.refuse(Refusal(.noSuchSession, text: "there is no such session here"))
        }
        machine.accept()
    }

    private func publish(_ hello: Hello) {
        let key = tls?.peerKey
        let exporter = tls?.exporter(.opening) ?? Self.noExporter
        withPublished { published in
            published.peer = Peer(hello, publicKey: key, address: published.address)
            published.exporter = exporter
        }
    }

    private func resumeReadyWaiters() {
        for waiter in readyWaiters { waiter.resume(true) }
        readyWaiters.removeAll()
    }

    private func sessionEnded() {
        guard let end = machine.end else { return }
        withPublished { $0.endBox = EndBox(end, peerKey: tls?.peerKey) }
        hasLastWords = machine.hasOutput && tls?.canEncrypt != false || tls?.pending ?? 0 > 0
        phase = .finishing
        finishEnd = loop.turn.advanced(milliseconds: OnlineLimits.flush)
        resumeReadyWaiters()
        listener?.sessionEnded(self)
    }

    // MARK: The loop

    func streamIsReady() {
        guard loop.isCurrent else { return loop.execute { self.streamIsReady() } }
        read()
        loop.settleLater(self)
    }

    override func timerFired(at now: Instant) {
        if phase == .finishing {
            // Set for what was awaited before the end, it may fire before its time.
            return now >= finishEnd ? closeStreams() : loop.settleLater(self)
        }
        machine.tick(at: now)
        if isOver, !isReady { listener?.tookTooLong(self) }
        machineMoved()
    }

    override func settle(at now: Instant) {
        guard phase != .closed else { return }
        if hasMoreToRead {
            hasMoreToRead = false
            read()
        }
        write()
        if phase == .finishing { finish() }
        setTimer()
    }

    /// A timer that is set too early is left alone and set anew when it fires: nearly every
    /// received byte moves the deadline, and nearly none of the deadlines comes.
    private func setTimer() {
        let deadline: Instant? =
            switch phase {
            case .idle, .closed: nil
            case .running: machine.deadline
            case .finishing: finishEnd
            }
        if let deadline, timerIndex >= 0, timerInstant <= deadline { return }
        loop.setTimer(self, at: deadline)
    }
}
