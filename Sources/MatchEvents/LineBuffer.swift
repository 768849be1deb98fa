// SPDX-License-Identifier: MIT

/// Cuts what arrives on standard input into lines of bounded length.
///
/// Feed it with ``append(_:)``, take lines with ``next()`` until there is none, and call
/// ``finish()`` once at the end of the input.
public struct LineBuffer: Sendable {
    /// The most bytes of a line, without its end.
    public static let longestLine = 4096

    /// What was cut off.
    public enum Line: Sendable, Equatable {
        /// A line without its end (`\n` or `\r\n`).
        case line([UInt8])
        /// A line that was too long, of which nothing was kept. Told when the limit is passed, not
        /// when the line ends.
        case tooLong
    }

    private var partial: [UInt8] = []
    private var skipping = false
    private var ready: [Line] = []

    /// Makes an empty buffer.
    public init() {}

    /// Takes bytes as they were read.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte) }
    }

    /// Removes the first complete line, or gives `nil` if more bytes are needed.
    public mutating func next() -> Line? {
        ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Ends the input; a last line without an end is a line like any other.
    public mutating func finish() {
        if !partial.isEmpty { append(UInt8(ascii: "\n")) }
        skipping = false
    }

    private mutating func append(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            if !skipping {
                if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
                ready.append(.line(partial))
            }
            partial.removeAll(keepingCapacity: true)
            skipping = false
        } else if !skipping {
            partial.append(byte)
            if partial.count > Self.longestLine {
                partial.removeAll(keepingCapacity: true)
                skipping = true
                ready.append(.tooLong)
            }
        }
    }
}
