// SPDX-License-Identifier: MIT

/// One end of a session on one connection (`docs/protocol.md` §3 and §4).
///
/// The machine does no I/O, reads no clock and makes no random bytes. Its methods are:
/// - inputs of the stream: ``receive(_:at:)``, ``endOfStream(at:)``, ``failed(reading:)``,
///   ``failed(writing:)``, ``failed(securing:)``, ``tick(at:)``;
/// - commands of the application: ``accept(have:hash:log:detail:proof:)``, ``refuse(_:)``,
///   ``ask(_:)``, ``answer(_:expecting:)``, ``send(_:)``,
///   ``sendNote(_:)``, ``took(packets:)``, ``acknowledge(through:hash:)``, ``close(_:text:)``;
/// - outputs, to be asked for after any of those: ``withPendingOutput(_:)`` or ``nextOutput()``,
///   ``nextEvent()``, ``deadline``.
///
/// Whatever the peer sends, what a machine holds is bounded: at most 256 KiB and one frame of
/// packets, 64 KiB of notes, and one unfinished frame. Its owner never has to stop reading.
package struct SessionMachine: Sendable {
    /// Where the machine is; data only where it means something.
    enum State: Sendable {
        /// Responder: nothing is here yet.
        indirect case awaitingHello(Hello)
        /// Responder: the application decides on the peer's hello.
        indirect case deciding(Hello, peer: Hello)
        /// Responder: the peer is to prove that it knows the code.
        indirect case asked(Hello, peer: Hello)
        /// Responder: it has tried, and the application decides on that.
        indirect case answered(Hello, peer: Hello)
        /// Initiator: the hello is sent.
        indirect case awaitingWelcome(Hello)
        /// Initiator: the application is to answer for the code.
        indirect case answering(Hello)
        /// Initiator: the responder is to prove the code with this tag; nothing: it is to refuse.
        indirect case awaitingProof(Hello, expected: [UInt8])
        /// The hello is done.
        case open
        /// Over.
        indirect case ended(SessionEnd)
    }

    /// The packets sent, or to be sent, that the peer is not yet known to have; with ``token`` and
    /// ``have`` it is what the next connection of this session needs.
    package internal(set) var log: OutgoingLog
    /// The session's name, once the hello is done.
    package internal(set) var token: SessionToken?
    /// How many packets of the other side's log are stored here.
    package internal(set) var have: UInt64

    var state: State
    private let sharedLimits: SessionLimits.Shared
    let acknowledgement: Acknowledgement
    var decoder: FrameDecoder
    var output = OutputBuffer()
    var events = Queue<SessionEvent>()
    /// Bytes of notes in `events`.
    var noteBytes = 0

    /// The last number received; from `have` to here, `untaken` holds the sizes.
    package internal(set) var received: UInt64
    var untaken = Queue<UInt32>()
    /// What the last *have* said.
    package internal(set) var said: UInt64
    /// The hash for the next one, and the bytes since the last one.
    var hash: [UInt8]?
    var takenBytes = 0
    var unsaidBytes = 0
    /// Whether a *have* is due even without other output.
    var haveDue = false

    /// How much of `log` has been sent on this connection.
    package internal(set) var sentCount = 0
    var sentBytes = 0
    /// The largest packet that the peer takes, in bytes.
    var largestPacket = 0

    var now: Instant
    var handshakeEnd: Instant
    var frameStart: Instant?
    /// When something last arrived; at first, when the connection was made.
    package internal(set) var heard: Instant
    var pinged: Instant?
    var haveAt: Instant?
    /// The ping that is to be answered.
    var pongOwed: UInt64?
    var ping: UInt64
    let tokenSeed: (UInt64, UInt64)
    /// Initiator: whether the responder has yet to prove that it knows the code.
    var wantsProof: Bool
    /// Initiator: whether it has.
    var hasProof = false

    /// Makes a machine at the start of a connection.
    ///
    /// `hello` is what this side says of itself. To resume a session the initiator puts the token,
    /// `have` and `hash` there and hands over its `log`; a responder gives them to
    /// ``accept(have:hash:log:detail:proof:)``. With `wantsProof` an initiator takes a welcome only
    /// from who has proven the code. `random` is 24 random bytes for the session's token and the pings;
    /// missing ones are 0. `now` is when the bare connection was made, before TLS: the 5 s for TLS
    /// and hello count from it.
    package init(
        role: Role, hello: Hello, limits: SessionLimits = SessionLimits(),
        acknowledgement: Acknowledgement = .whenTaken, log: OutgoingLog = OutgoingLog(),
        wantsProof: Bool = false, random: [UInt8], now: Instant
    ) {
        let defaults = SessionLimits.Shared.defaults
        sharedLimits = limits == defaults.limits ? defaults : SessionLimits.Shared(limits)
        self.acknowledgement = acknowledgement
        self.wantsProof = wantsProof
        self.log = log
        self.now = now
        let bytes = random.prefix(24) + [UInt8](repeating: 0, count: max(0, 24 - random.count))
        let words = stride(from: 0, to: 24, by: 8).map { start in
            bytes.dropFirst(start).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        tokenSeed = (words[0], words[1])
        ping = words[2]
        decoder = FrameDecoder(largest: limits.firstFrame)
        handshakeEnd = now.advanced(milliseconds: limits.handshake)
        heard = now
        have = role == .initiator && hello.token != nil ? hello.have : 0
        received = have
        said = have
        switch role {
        case .responder: state = .awaitingHello(hello)
        case .initiator:
            state = .awaitingWelcome(hello)
            output.append(.hello(hello))
            output.append(hello.unknownMessage)
        }
    }

    // MARK: Outputs

    /// The next thing to be told, or `nil`.
    package mutating func nextEvent() -> SessionEvent? {
        let event = events.popFirst()
        if case .note(let note) = event { noteBytes -= Self.cost(ofNote: note) }
        return event
    }

    // An owner keeps the machine in an object and asks in every turn. That asking changes nothing a
    // compiler of the owner's module cannot see: untold it would copy the whole machine first.

    /// Whether ``nextEvent()`` would give one.
    package var hasEvents: Bool { @_effects(readonly) get { !events.isEmpty } }

    /// Whether there is something to be written.
    package var hasOutput: Bool {
        @_effects(readonly) get { !output.isEmpty || pongOwed != nil || haveDue }
    }

    /// How many bytes wait to be written, about.
    package var pendingOutput: Int { output.count }

    /// Shows the bytes to be written to `write`, which returns how many of them it has used up; the
    /// rest is shown again. Does not call it when there are none. The pointer is good inside the
    /// call only.
    package mutating func withPendingOutput(_ write: (UnsafeRawBufferPointer) -> Int) {
        appendAnswers()
        output.drain(write)
    }

    /// Takes all bytes to be written, or `nil` if there are none.
    package mutating func nextOutput() -> [UInt8]? {
        appendAnswers()
        return output.isEmpty ? nil : output.take()
    }

    /// When to call ``tick(at:)``, or `nil` if nothing is awaited.
    package var deadline: Instant? {
        @_effects(readonly) get {
            switch state {
            case .ended: return nil
            case .awaitingHello, .deciding, .asked, .answered, .awaitingWelcome, .answering,
                .awaitingProof:
                return frameEnd.map { min($0, handshakeEnd) } ?? handshakeEnd
            case .open:
                var first = heard.advanced(milliseconds: limits.silence)
                if let pinged { first = pinged.advanced(milliseconds: limits.answer) }
                if let frameEnd { first = min(first, frameEnd) }
                if let haveAt { first = min(first, haveAt) }
                return first
            }
        }
    }

    /// Whether the hello is done and the connection not over.
    package var isOpen: Bool {
        @_effects(readonly) get { if case .open = state { true } else { false } }
    }

    /// Why the connection ended, once it has.
    package var end: SessionEnd? {
        if case .ended(let end) = state { end } else { nil }
    }

    /// Whether ``send(_:)`` would accept a packet that is not too large.
    package var canSend: Bool {
        @_effects(readonly) get {
            isOpen && log.count < limits.windowPackets && log.bytes < limits.windowBytes
        }
    }

    /// About how many bytes are held here for the peer or on its behalf: unread and unfinished
    /// frames, packets it does not have, output.
    package var heldBytes: Int {
        decoder.heldBytes + output.count + noteBytes + unsaidBytes + log.bytes
    }

    var limits: SessionLimits { sharedLimits.limits }

    var frameEnd: Instant? { frameStart?.advanced(milliseconds: limits.frame) }

    /// What a waiting note costs, its place in the queue included.
    static func cost(ofNote note: [UInt8]) -> Int { note.count + 64 }
}
