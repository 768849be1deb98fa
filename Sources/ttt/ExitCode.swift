// SPDX-License-Identifier: MIT

/// What the program tells the shell; the numbers are those of sysexits(3) where it has one.
enum ExitCode: Int32 {
    case success = 0
    /// The command line cannot be obeyed.
    case usage = 64
    /// Nobody to play with, or not reachable; a port that is taken.
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
