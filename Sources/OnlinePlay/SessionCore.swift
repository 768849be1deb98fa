// SPDX-License-Identifier: MIT

import SessionProtocol

/// A session on its loop: moves bytes between two streams and a ``SessionMachine``, and events
/// between the machine and the tasks that wait for them.
// Sendable although mutable: apart from `published`, which is behind a lock of the loop, every
// member is touched on the loop's thread alone.
final class SessionCore: LoopMember, @unchecked Sendable {
    /// How far the connection is.
    enum Phase {
        case idle
        /// Bytes go both ways.
        case running
        /// The session is over; what is left is being written, or the peer's end awaited.
        case finishing
        case closed
    }

    /// What a task that waits for an event gets.
    enum Taken: Sendable {
        case event(SessionEvent)
        case over
        case cancelled
        case alreadyWaiting
    }

    /// A task that waits for an event.
    enum Reader {
        /// One that runs on the loop, with the number of its wait: it costs no allocation.
        case here(UnsafeContinuation<Taken, Never>, ticket: UInt64)
        case elsewhere(Waiter<Taken>)

        var isWaiting: Bool {
            switch self {
            case .here: true
            case .elsewhere(let waiter): waiter.isWaiting
            }
        }

        func resume(_ taken: Taken) {
            switch self {
            case .here(let continuation, _): continuation.resume(returning: taken)
            case .elsewhere(let waiter): waiter.resume(taken)
            }
        }
    }

    /// What any thread may ask for.
    struct Published {
        var peer: Peer?
        var exporter = SessionCore.noExporter
        var end: SessionEnd?
    }

    static let noExporter = [UInt8](repeating: 0, count: 32)
    /// How long what is left may take to be written, and how long the peer's end is awaited after
    /// that, in milliseconds.
    static let flushTime: UInt64 = 5_000
    static let lingerTime: UInt64 = 1_000

    let loop: EventLoop
    let givesEvents: Bool
    // Never lent out to what could come back here: no access can overlap another.
    @exclusivity(unchecked) var machine: SessionMachine
    var phase = Phase.idle
    /// Whoever accepted the connection, until the session is handed over or over.
    var listener: ListenerCore?

    let input: any ByteInput
    let output: any ByteOutput
    var tls: TLSChannel?
    /// There is more to read than one turn may take.
    var hasMoreToRead = false
    /// Something was said at the end that the peer should get to read.
    var hasLastWords = false
    var hasFinishedOutput = false
    var finishEnd = Instant(nanoseconds: 0)

    private let address: Endpoint?
    private var published = Published()
    /// Whether the machine's `ready` has been seen; and events that were seen and not yet given.
    private var isReady = false
    private var seen: [SessionEvent] = []
    private var reader: Reader?
    private var ticket: UInt64 = 0
    private var cancelledTicket: UInt64 = 0
    private var senders: [Waiter<Bool>] = []
    private var readyWaiters: [Waiter<Bool>] = []
    private var closers: [Waiter<Void>] = []

    init(
        input: any ByteInput, output: any ByteOutput, role: Role, settings: SessionSettings,
        address: Endpoint?, loop: EventLoop, now: Instant
    ) throws(OnlineError) {
        self.loop = loop
        self.input = input
        self.output = output
        self.address = address
        givesEvents = settings.givesEvents
        machine = SessionMachine(
            role: role, hello: settings.hello, limits: settings.limits,
            acknowledgement: settings.acknowledgement, log: settings.log,
            random: randomBytes(24), now: now)
        super.init()
        if case .identity(let identity) = settings.security {
            guard let tls = TLSChannel(identity.context, role: role) else {
                throw OnlineError(.system, "No TLS: \(TLSChannel.errorText()).")
            }
            self.tls = tls
        }
    }

    // MARK: Commands, on the loop

    func start() {
        guard phase == .idle else { return }
        phase = .running
        input.startReading { [self] in loop.perform { self.read() } }
        output.startWriting { [self] in loop.perform { self.loop.settleLater(self) } }
        read()
        loop.settleLater(self)
    }

    /// Does `command` to the machine and then whatever follows from it.
    func command<Result>(_ command: (inout SessionMachine) -> Result) -> Result {
        defer { machineMoved() }
        return command(&machine)
    }

    /// The next packet, if one is here.
    func takePacket() -> Packet? {
        while let event = machine.nextEvent() {
            if case .packet(let number, let bytes) = event {
                machine.took(packets: 1)
                loop.settleLater(self)
                return Packet(number: number, bytes: bytes)
            }
        }
        return nil
    }

    /// What ``read(for:)`` gives, to a task that runs on the loop.
    func readHere() async -> Taken {
        ticket &+= 1
        let ticket = ticket
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                read(for: .here(continuation, ticket: ticket))
            }
        } onCancel: {
            loop.perform { self.cancelRead(ticket) }
        }
    }

    /// Gives `newReader` the next event as soon as there is one.
    func read(for newReader: Reader) {
        if reader?.isWaiting == true { return newReader.resume(.alreadyWaiting) }
        if let taken = take() { return newReader.resume(taken) }
        if case .here(_, cancelledTicket) = newReader { return newReader.resume(.cancelled) }
        reader = newReader
    }

    /// Ends a wait, perhaps before it has begun.
    private func cancelRead(_ ticket: UInt64) {
        cancelledTicket = ticket
        guard case .here(let continuation, ticket) = reader else { return }
        reader = nil
        continuation.resume(returning: .cancelled)
    }

    /// Resumes `waiter` when a packet may be sent, or none ever again.
    func awaitWindow(_ waiter: Waiter<Bool>) {
        if machine.canSend || machine.end != nil { return waiter.resume(true) }
        senders.removeAll { !$0.isWaiting }
        senders.append(waiter)
    }

    /// Resumes `waiter` when the hello is done, or the session over.
    func awaitReady(_ waiter: Waiter<Bool>) {
        if machine.isOpen || machine.end != nil { return waiter.resume(true) }
        readyWaiters.append(waiter)
    }

    /// Resumes `waiter` when what was said last has been written, or cannot be.
    func awaitFinish(_ waiter: Waiter<Void>) {
        if phase == .closed || hasFinishedOutput { return waiter.resume(()) }
        closers.append(waiter)
    }

    // MARK: What any thread may ask for

    func withPublished<Result>(_ body: (inout Published) -> Result) -> Result {
        loop.publication.withLock { _ in body(&published) }
    }

    // MARK: Between machine and tasks

    /// Passes on what the machine has to tell; to be called after every input.
    func machineMoved() {
        if !isReady { seeFirstEvents() }
        if let reader, reader.isWaiting, let taken = take() {
            self.reader = nil
            reader.resume(taken)
        }
        if !senders.isEmpty, machine.canSend || machine.end != nil {
            for waiter in senders { waiter.resume(true) }
            senders.removeAll()
        }
        if !machine.isOpen, machine.end != nil, phase == .running || phase == .idle {
            sessionEnded()
        }
        loop.settleLater(self)
    }

    func resumeClosers() {
        for waiter in closers { waiter.resume(()) }
        closers.removeAll()
    }

    /// What a reading task gets now, if anything.
    private func take() -> Taken? {
        guard givesEvents else {
            if let packet = takePacket() {
                return .event(.packet(number: packet.number, packet.bytes))
            }
            return machine.isOpen || machine.end == nil ? nil : .over
        }
        if !seen.isEmpty { return .event(seen.removeFirst()) }
        guard let event = machine.nextEvent() else { return machine.isOpen || machine.end == nil ? nil : .over }
        if case .packet = event {
            machine.took(packets: 1)
            loop.settleLater(self)
        }
        return .event(event)
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
                    machine.accept()
                }
            case .ready(let hello):
                isReady = true
                publish(hello)
                resumeReadyWaiters()
                listener?.sessionReady(self)
            case .packet, .note, .had, .ended: break
            }
        }
    }

    private func publish(_ hello: Hello) {
        let peer = Peer(hello, publicKey: tls?.peerKey, address: address)
        let exporter = tls?.exporter() ?? Self.noExporter
        withPublished { published in
            published.peer = peer
            published.exporter = exporter
        }
    }

    private func resumeReadyWaiters() {
        for waiter in readyWaiters { waiter.resume(true) }
        readyWaiters.removeAll()
    }

    private func sessionEnded() {
        let end = machine.end
        withPublished { $0.end = end }
        hasLastWords = machine.hasOutput && tls?.isEstablished != false || tls?.pending ?? 0 > 0
        phase = .finishing
        finishEnd = loop.turn.advanced(milliseconds: Self.flushTime)
        resumeReadyWaiters()
        listener?.sessionEnded(self)
    }

    // MARK: The loop

    override func timerFired(at now: Instant) {
        if phase == .finishing { return closeStreams() }
        machine.tick(at: now)
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
