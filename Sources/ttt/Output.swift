// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay

/// Standard output, whose refusals are told: what was lost on a full disk must not look written.
enum Output {
    /// Writes a text and the end of its line.
    ///
    /// - Throws: ``Failure`` with code `disk` and what the system said. A reader that has gone, as
    ///   `head` does, has had what it wanted: that is no failure.
    static func put(_ text: String) throws(Failure) {
        let reason = write(Array((text + "\n").utf8))
        guard reason != 0, reason != EPIPE else { return }
        throw failure(reason)
    }

    /// Why the program ends whose output is refused with this error number.
    static func failure(_ reason: Int32) -> Failure {
        Failure("The output cannot be written: \(systemMessage(reason)).", .disk)
    }

    /// Writes all of it; gives the system's error number, or 0.
    static func write(_ bytes: [UInt8]) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { rest in
                retrying { Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count) }
            }
            guard count > 0 else { return count < 0 ? errno : EIO }
            written += count
        }
        return 0
    }
}
