// SPDX-License-Identifier: MIT

public import SessionProtocol

/// Why something with the network, a key or a file of this module did not work.
///
/// The description is one sentence for a person, with the facts and, where there is one, the
/// remedy.
public struct OnlineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing went wrong.
    public struct Code: Sendable, Hashable {
        private enum Value {
            case portTaken, unusableAddress, refused, unreachable, timedOut, notFound
            case ended, secrets, inUse, otherIdentity, wrongPassphrase, system, cancelled
        }

        private let value: Value

        /// Another program listens on the port.
        public static let portTaken = Code(value: .portTaken)
        /// The address to listen on is none of this machine's, or is not an address.
        public static let unusableAddress = Code(value: .unusableAddress)
        /// The machine is there, and nobody listens on the port.
        public static let connectionRefused = Code(value: .refused)
        /// There is no way to the machine.
        public static let unreachable = Code(value: .unreachable)
        /// No answer came in time.
        public static let timedOut = Code(value: .timedOut)
        /// The host name means no address.
        public static let notFound = Code(value: .notFound)
        /// The session ended before it was ready; ``OnlineError/end`` says how.
        public static let ended = Code(value: .ended)
        /// A file with keys is missing, damaged, or open to others.
        public static let secrets = Code(value: .secrets)
        /// A key is in use, or is being moved away; or a file is being changed by another process.
        public static let inUse = Code(value: .inUse)
        /// Somebody else's key is where one was to be put.
        public static let otherIdentity = Code(value: .otherIdentity)
        /// A passphrase is not the one under which a key was put.
        public static let wrongPassphrase = Code(value: .wrongPassphrase)
        /// The operating system refused something else.
        public static let system = Code(value: .system)
        /// The task that waited was cancelled.
        public static let cancelled = Code(value: .cancelled)
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// One sentence with the facts.
    public let description: String
    /// How the session ended, if it was one that did.
    public let end: SessionEnd?

    init(_ code: Code, _ description: String, end: SessionEnd? = nil) {
        self.code = code
        self.description = description
        self.end = end
    }
}

/// Why a packet was not sent, or none can be received any more.
public enum SessionError: Error, Sendable, Hashable {
    /// The session has ended, and how.
    case ended(SessionEnd)
    /// The packet is larger than the other side accepts; `limit` is in bytes.
    case tooLarge(limit: Int)
    /// The session is not ready yet.
    case notReady
    /// The task that waited was cancelled; nothing was sent or taken.
    case cancelled
    /// Another task waits for the same thing already.
    case alreadyWaiting
}

extension SessionError: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String {
        switch self {
        case .ended(let end): "The session has ended: \(end.sentence)."
        case .tooLarge(let limit): "The packet is larger than the \(limit) bytes the peer accepts."
        case .notReady: "The session is not ready yet."
        case .cancelled: "The task was cancelled while it waited."
        case .alreadyWaiting: "Another task waits for this session already."
        }
    }
}

extension SessionEnd {
    /// The reason in words, to be put after a colon.
    var sentence: String {
        switch self {
        case .left(let code, let text):
            text.isEmpty
                ? "the other side left (code \(code.value))" : "the other side left: \(text)"
        case .closed: "it was closed here"
        case .refused(let refusal):
            refusal.text.isEmpty
                ? "the other side refused it (code \(refusal.code.value))"
                : "the other side refused it: \(refusal.text)"
        case .lost(let text): "the connection was lost: \(text)"
        case .protocolError(let text): "the other side broke the protocol: \(text)"
        case .readError(let text): "reading failed: \(text)"
        case .writeError(let text): "writing failed: \(text)"
        }
    }
}
