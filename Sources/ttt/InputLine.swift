// SPDX-License-Identifier: MIT

import Glibc

/// Reads a line of standard input without its end, and nothing of what follows.
///
/// - Parameters:
///   - longest: How many bytes are read at most; a line that has so many may go on.
///   - held: Signals that end the wait.
/// - Returns: The line, or `nil` at the end of the input.
/// - Throws: ``Failure`` with code `interrupted`, on a signal of `held`.
func inputLine(longest: Int, held: HeldSignals? = nil) throws(Failure) -> [UInt8]? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < longest {
        if let held, held.comesBefore(STDIN_FILENO) {
            throw Failure("Interrupted.", .interrupted)
        }
        let count = read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR { continue }
        guard count == 1 else { return bytes.isEmpty ? nil : bytes }
        if byte == UInt8(ascii: "\n") { break }
        bytes.append(byte)
    }
    return bytes
}
