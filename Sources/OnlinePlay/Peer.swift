// SPDX-License-Identifier: MIT

public import SessionProtocol

/// Who is at the other end of a session.
public struct Peer: Sendable, Hashable {
    /// What it wants to be called: shown, never trusted.
    public let name: String
    /// The application's version that both speak.
    public let applicationVersion: UInt16
    /// Its process.
    public let instance: InstanceID
    /// What it says to the application.
    public let detail: [UInt8]
    /// The raw 32 bytes of its key, proven; `nil` without TLS.
    public let publicKey: [UInt8]?
    /// Who it is; `nil` without TLS.
    public let fingerprint: Fingerprint?
    /// Where it is; `nil` if the streams are not a TCP connection.
    public let address: Endpoint?

    init(_ hello: Hello, publicKey: [UInt8]?, address: Endpoint?) {
        name = hello.name
        applicationVersion = hello.applicationVersions.highest
        instance = hello.instance
        detail = hello.detail
        self.publicKey = publicKey
        fingerprint = publicKey.flatMap { Fingerprint(publicKey: $0) }
        self.address = address
    }
}

extension InstanceID {
    /// Draws an id. A program draws one when it starts and says it in every hello.
    public static func random() -> InstanceID {
        InstanceID(value: .random(in: 0 ... .max))
    }
}

/// A packet of the other side's log.
public struct Packet: Sendable, Hashable {
    /// Its number in that log, from 1.
    public let number: UInt64
    /// What the other side's application sent.
    public let bytes: [UInt8]
}

/// What a session needs to know from its start.
package struct SessionSettings: Sendable {
    /// How the session is protected.
    package var security: Security
    /// What this side says of itself.
    package var hello: Hello
    /// Every limit and deadline.
    package var limits = OnlineLimits()
    /// When a packet counts as stored.
    package var acknowledgement = Acknowledgement.whenTaken
    /// The packets of a session to be resumed.
    package var log = OutgoingLog()
    /// Whether the owner takes every event and answers the hello; else the session accepts by
    /// itself and gives packets only.
    package var givesEvents = false

    /// An initiator's code: only who proves to know it too is taken for the host.
    package var passcode: Passcode?
    /// Whether the host with this key, which it has proven, may have the answer for the code; if
    /// not, the session is closed. Asked on the session's loop before there is an answer, for
    /// whoever has that can test a guess with it.
    package var mayAnswer: @Sendable (Fingerprint) -> Bool = { _ in true }

    /// Makes settings with the default limits.
    package init(security: Security, hello: Hello) {
        self.security = security
        self.hello = hello
    }
}
