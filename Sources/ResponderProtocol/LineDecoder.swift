// SPDX-License-Identifier: MIT

/// Cuts a stream into lines; one that is too long is left out, however long it is.
package struct LineDecoder: Sendable {
    private var line: [UInt8] = []
    private var skipping = false

    /// Makes a decoder at the start of a line.
    package init() {}

    /// Takes bytes and returns the lines they complete, without newlines.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == 10 {
                if !skipping { lines.append(line) }
                line = []
                skipping = false
            } else if line.count >= longestLine - 1 {
                skipping = true
            } else {
                line.append(byte)
            }
        }
        return lines
    }
}
