// SPDX-License-Identifier: MIT

/// Why a stream of frames cannot go on.
package enum FrameError: Error, Sendable, Hashable {
    /// A length of 0: a frame has at least its kind.
    case empty
    /// A length above the limit. Nothing was allocated for it.
    case tooLarge(length: UInt32, limit: UInt32)
    /// The stream ended inside a frame.
    case cut
}

/// A frame that ``FrameDecoder/next(of:from:)`` found.
package enum FoundFrame: Sendable, Hashable {
    /// Kind and body are these bytes of the chunk.
    case inChunk(Range<Int>)
    /// Kind and body, of a frame that began in an earlier chunk.
    case gathered([UInt8])
}

/// Finds frames in a stream that arrives in chunks (`docs/protocol.md` §3).
///
/// However the stream is split, the frames are the same. A frame that lies in one chunk is not
/// copied; only the beginning of an unfinished one is kept.
package struct FrameDecoder: Sendable {
    /// The largest length accepted, compared before anything is computed from a length.
    package var largest: UInt32
    /// The beginning of a frame whose rest has not arrived: length, kind, body.
    private var held: [UInt8] = []

    /// Makes a decoder at the start of a stream.
    package init(largest: UInt32) {
        self.largest = largest
    }

    /// Whether every frame that began has been found: an end of the stream is clean only here.
    package var atBoundary: Bool { held.isEmpty }

    /// How many bytes of an unfinished frame are kept.
    package var heldBytes: Int { held.count }

    /// Finds the next frame in `bytes` at or after `offset` and moves `offset` behind it; `nil` when
    /// more bytes are needed, and then the rest of the chunk is kept. Call it again with the same
    /// chunk until it gives `nil`.
    ///
    /// - Throws: ``FrameError``. The decoder is then of no further use.
    package mutating func next(
        of bytes: Span<UInt8>, from offset: inout Int
    ) throws(FrameError) -> FoundFrame? {
        if !held.isEmpty { return try gather(bytes, from: &offset) }
        let rest = bytes.count - offset
        guard let length = readNumber(bytes, at: offset, as: UInt32.self) else {
            hold(bytes, offset..<bytes.count)
            offset = bytes.count
            return nil
        }
        try check(length)
        guard rest - 4 >= Int(length) else {
            hold(bytes, offset..<bytes.count)
            offset = bytes.count
            return nil
        }
        let start = offset + 4
        offset = start + Int(length)
        return .inChunk(start..<offset)
    }

    /// Says whether the stream may end here.
    ///
    /// - Throws: ``FrameError/cut`` inside a frame.
    package func end() throws(FrameError) {
        if !atBoundary { throw .cut }
    }

    private func check(_ length: UInt32) throws(FrameError) {
        if length == 0 { throw .empty }
        if length > largest { throw .tooLarge(length: length, limit: largest) }
    }

    /// Goes on with a frame that began in an earlier chunk.
    private mutating func gather(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(FrameError) -> FoundFrame? {
        take(upTo: 4, of: bytes, from: &offset)
        guard let length = readNumber(held.span, as: UInt32.self) else { return nil }
        try check(length)
        take(upTo: 4 + Int(length), of: bytes, from: &offset)
        guard held.count == 4 + Int(length) else { return nil }
        held.removeFirst(4)
        defer { held = [] }
        return .gathered(held)
    }

    /// Moves bytes from the chunk until `count` are held.
    private mutating func take(upTo count: Int, of bytes: Span<UInt8>, from offset: inout Int) {
        let missing = count - held.count
        guard missing > 0 else { return }
        let end = offset + min(missing, bytes.count - offset)
        hold(bytes, offset..<end)
        offset = end
    }

    private mutating func hold(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        // The pointer is used only while the span is alive.
        bytes.extracting(range).withUnsafeBufferPointer { held.append(contentsOf: $0) }
    }
}
