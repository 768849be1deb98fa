// SPDX-License-Identifier: MIT

/// Eight random bytes that tell one process from another; never who a player is.
///
/// A program draws one when it starts, `InstanceID.random()` of OnlinePlay, and says it in every
/// hello: a process that dials itself is turned away by it.
public struct InstanceID: Sendable, Hashable, Comparable {
    /// The eight bytes, most significant first.
    public var value: UInt64

    /// Makes the id whose eight bytes are `value`, most significant first.
    public init(value: UInt64) {
        self.value = value
    }

    /// Orders by the bytes.
    public static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}

/// Sixteen bytes that name a session across connections.
package struct SessionToken: Sendable, Hashable {
    // Not an array: every session has one for as long as it lives.
    private let high: UInt64
    private let low: UInt64

    /// The sixteen bytes.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
        }
    }

    /// Makes a token, or `nil` if there are not exactly sixteen bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The lowest and the highest version of something that a side speaks.
public struct VersionRange: Sendable, Hashable {
    /// The lowest version.
    public var lowest: UInt16
    /// The highest version.
    public var highest: UInt16

    /// Makes a range; `lowest` above `highest` is an empty range, which meets nothing.
    public init(_ lowest: UInt16, _ highest: UInt16) {
        self.lowest = lowest
        self.highest = highest
    }

    /// The highest version in both ranges, or `nil` if there is none.
    public func highestCommon(with other: VersionRange) -> UInt16? {
        let low = max(lowest, other.lowest)
        let high = min(highest, other.highest)
        return low <= high ? high : nil
    }
}

/// What a side says of itself on a new connection (`docs/protocol.md` §4.1).
///
/// A session comes about when both sides say the same ``application`` and have one of its
/// versions in common. One value serves all connections of a process.
public struct Hello: Sendable, Hashable {
    /// Versions of the session protocol.
    package var versions: VersionRange
    /// The application's id: 1 to 64 bytes of UTF-8.
    public var application: String
    /// Versions of the application.
    public var applicationVersions: VersionRange
    /// What the player wants to be called: at most 64 bytes of UTF-8, shown, never trusted.
    public var name: String
    /// The process.
    public var instance: InstanceID
    /// The session: to be resumed in a hello, as the responder named it in a welcome.
    package var token: SessionToken?
    /// How many packets of the other side's log are stored here.
    package var have: UInt64
    /// The application's 32-byte hash of the other side's log at ``have``.
    package var hash: [UInt8]?
    /// The largest frame length accepted once the hello is done, in bytes: 4,096 to 16,777,216;
    /// what lies outside counts as the nearer of the two.
    public var largestFrame: UInt32
    /// Up to 255 bytes for the application.
    public var detail: [UInt8]

    /// Makes a hello.
    ///
    /// - Parameters:
    ///   - application: The application's id, the same on both sides: 1 to 64 bytes of UTF-8.
    ///   - applicationVersions: The versions of the application that are spoken here.
    ///   - name: What the player wants to be called: at most 64 bytes of UTF-8.
    ///   - instance: The process: `.random()`, once, with OnlinePlay.
    ///   - largestFrame: The largest frame length accepted, 4,096 to 16,777,216: a packet that the
    ///     other side sends has at most 9 bytes fewer.
    public init(
        application: String, applicationVersions: VersionRange, name: String,
        instance: InstanceID, largestFrame: UInt32 = 1 << 20
    ) {
        versions = VersionRange(1, 1)
        self.application = application
        self.applicationVersions = applicationVersions
        self.name = name
        self.instance = instance
        self.largestFrame = largestFrame
        have = 0
        detail = []
    }
}

/// Why a responder would not have a session.
public struct RefuseCode: Sendable, Hashable {
    /// The number on the wire.
    public var value: UInt16

    /// Makes the code with this number, known or not.
    public init(value: UInt16) { self.value = value }

    /// No protocol version in common.
    public static let version = RefuseCode(value: 1)
    /// Another application, or no version of it in common.
    public static let application = RefuseCode(value: 2)
    /// Playing with somebody else.
    public static let busy = RefuseCode(value: 3)
    /// The player said no.
    public static let declined = RefuseCode(value: 4)
    /// The two dialled each other; the other connection stays.
    public static let crossing = RefuseCode(value: 5)
    /// A process dialled itself.
    public static let dialledSelf = RefuseCode(value: 6)
    /// Only known players are let in.
    public static let notKnown = RefuseCode(value: 7)
    /// The session to be resumed is not here.
    public static let noSuchSession = RefuseCode(value: 8)
    /// Too many connections.
    public static let full = RefuseCode(value: 9)
    /// The two sides hold different packets under one number.
    public static let forked = RefuseCode(value: 10)
    /// Only who knows the code is let in, and the other side knows none.
    public static let codeNeeded = RefuseCode(value: 11)
    /// The other side does not know the code.
    public static let wrongCode = RefuseCode(value: 12)
}

/// Why a side says goodbye.
public struct GoodbyeCode: Sendable, Hashable {
    /// The number on the wire.
    public var value: UInt16

    /// Makes the code with this number, known or not.
    public init(value: UInt16) { self.value = value }

    /// The player is done.
    public static let left = GoodbyeCode(value: 0)
    /// The player goes, the session is kept for later.
    public static let keptForLater = GoodbyeCode(value: 1)
    /// The other side broke the protocol.
    public static let protocolError = GoodbyeCode(value: 2)
    /// The process ends.
    public static let shuttingDown = GoodbyeCode(value: 3)
    /// Something took too long.
    public static let tookTooLong = GoodbyeCode(value: 4)
    /// The disk refused to write.
    public static let disk = GoodbyeCode(value: 5)
    /// Another connection of the same two processes is played over from now on.
    public static let superseded = GoodbyeCode(value: 6)
    /// Another process of the same player has taken the session over.
    public static let elsewhere = GoodbyeCode(value: 7)
    /// The two sides hold different packets under one number.
    public static let forked = GoodbyeCode(value: 8)
}

/// A refusal, as it was received or sent.
public struct Refusal: Sendable, Hashable {
    /// Why.
    public var code: RefuseCode
    /// For people: at most 200 bytes of UTF-8.
    public var text: String
    /// How many packets of the refused session the responder has stored.
    package var have: UInt64?

    /// Makes a refusal.
    package init(_ code: RefuseCode, text: String = "", have: UInt64? = nil) {
        self.code = code
        self.text = text
        self.have = have
    }
}

/// The one reason why a session's connection ended.
public enum SessionEnd: Sendable, Hashable {
    /// The other side said goodbye.
    case left(GoodbyeCode, text: String)
    /// This side said goodbye.
    case closed(GoodbyeCode)
    /// The responder would not have the session.
    case refused(Refusal)
    /// The connection ended without a goodbye, or nothing was heard for too long.
    case lost(String)
    /// The other side broke the protocol; the text says how.
    case protocolError(String)
    /// Reading from the stream failed; the text is the system's.
    case readError(String)
    /// Writing to the stream failed; the text is the system's.
    case writeError(String)
}

/// Every limit and deadline of a session, in one place.
public struct SessionLimits: Sendable, Hashable {
    /// TLS and hello together, in milliseconds.
    public var handshake: UInt64 = 5_000
    /// A frame from its first byte, in milliseconds.
    public var frame: UInt64 = 10_000
    /// Silence before a ping, in milliseconds.
    public var silence: UInt64 = 15_000
    /// After an unanswered ping the connection is lost, in milliseconds.
    public var answer: UInt64 = 10_000
    /// The largest frame before the hello is done, in bytes.
    public var firstFrame: UInt32 = 4_096
    /// Packets that may be sent beyond what the other side has. It may be lowered, to 1 at least:
    /// more than 1,024 is against the protocol (`docs/protocol.md` §4.2), and counts as that. The
    /// other side says what it has after 64 packets or a second, so fewer than 64 make it slow.
    public var windowPackets = Self.mostPackets
    /// Bytes of packets beyond what the other side has, below which one more packet may be sent.
    /// It may be lowered, to 1 at least; more than 262,144 counts as that.
    public var windowBytes = Self.mostBytes
    /// The longest that a taken packet stays unacknowledged, in milliseconds. It may be lowered;
    /// the other side relies on 1,000.
    public var acknowledgement: UInt64 = 1_000

    /// The window that every sender keeps to and every receiver grants.
    static let mostPackets = 1_024
    static let mostBytes = 262_144

    /// Makes the default limits.
    public init() {}

    /// Limits that several sessions share, within what the protocol allows.
    final class Shared: Sendable {
        static let defaults = Shared(SessionLimits())
        let limits: SessionLimits

        init(_ limits: SessionLimits) {
            var limits = limits
            limits.windowPackets = min(max(limits.windowPackets, 1), SessionLimits.mostPackets)
            limits.windowBytes = min(max(limits.windowBytes, 1), SessionLimits.mostBytes)
            limits.acknowledgement = min(limits.acknowledgement, 1_000)
            self.limits = limits
        }
    }
}
