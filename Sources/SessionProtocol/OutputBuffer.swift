// SPDX-License-Identifier: MIT

/// Bytes that wait to be written, in order.
struct OutputBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var written = 0

    var count: Int { bytes.count - written }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ message: SessionMessage) {
        message.append(to: &bytes)
    }

    /// Shows the bytes to `write`, which says how many of them it has used up.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int) {
        guard !isEmpty else { return }
        // The pointer is good inside the call only, and says so to whoever passes `write`.
        let used = bytes.withUnsafeBytes { all in
            write(UnsafeRawBufferPointer(rebasing: all[written...]))
        }
        written += max(0, min(used, count))
        if isEmpty {
            // What a burst has needed is given back when less will do, and little is never kept:
            // sessions are many and idle.
            let capacity = bytes.capacity
            bytes.removeAll(keepingCapacity: capacity > 512 && capacity <= 4 * written)
            written = 0
        } else if written > 65_536 {
            bytes.removeSubrange(..<written)
            written = 0
        }
    }

    /// Takes everything.
    mutating func take() -> [UInt8] {
        defer { removeAll() }
        return written == 0 ? bytes : [UInt8](bytes[written...])
    }

    mutating func removeAll() {
        bytes = []
        written = 0
    }
}
