// SPDX-License-Identifier: MIT

/// What the program tells the shell; the numbers are those of sysexits(3) where it has one.
enum ExitCode: Int32 {
    case success = 0
    /// The command line cannot be obeyed, also as it names what is not here.
    case usage = 64
    /// Nobody to play with, or not reachable; a port or an address that cannot be listened on.
    case unavailable = 69
    /// The disk refused.
    case disk = 74
    /// A match, a key or a file is in use by another process.
    case inUse = 75
    /// The other side broke the protocol.
    case brokenPeer = 76
    /// Refused, declined or not trusted.
    case refused = 77
    /// The person broke a question off, as by SIGINT.
    case interrupted = 130
}
