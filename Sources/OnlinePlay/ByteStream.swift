// SPDX-License-Identifier: MIT

/// What came of an attempt to read or write without waiting.
public enum StreamResult: Sendable, Hashable {
    /// So many bytes were moved, at least one.
    case moved(Int)
    /// Nothing can be moved now; the owner will be told when it is worth another try.
    case notNow
    /// The stream has ended (reading only).
    case end
    /// It failed for good; the text is the system's.
    case failed(String)
}

/// Who uses a stream, and wants to know when to try again.
public protocol StreamOwner: AnyObject, Sendable {
    /// Reading or writing is worth another try. May be called from any thread, and too often.
    func streamIsReady()
}

/// A stream that a session reads from: a socket, a pipe, or an embedder's own.
///
/// The session calls `startReading` first, then `read` until it gives `.notNow`, and `read` again after
/// each call of the owner's `streamIsReady`. All calls come from the event loop's thread and must not block.
public protocol ByteInput: AnyObject, Sendable {
    /// Keeps `owner`, to be told whenever `read` is worth another try.
    func startReading(for owner: any StreamOwner)
    /// Moves into `buffer` what is there, without waiting.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamResult
    /// Ends the stream and forgets the owner. Calls after the first do nothing.
    func close()
}

/// A stream that a session writes to: a socket, a pipe, or an embedder's own.
///
/// The rules of ``ByteInput`` hold here too.
public protocol ByteOutput: AnyObject, Sendable {
    /// Keeps `owner`, to be told whenever `write` is worth another try.
    func startWriting(for owner: any StreamOwner)
    /// Takes from `bytes` what fits, without waiting.
    func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult
    /// Says that no more will be written; the other side then sees the end.
    func finish()
    /// Ends the stream and forgets the owner. Calls after the first do nothing.
    func close()
}
