// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// A file descriptor as a stream: a socket for both directions, or one end of a pipe for one.
///
/// It takes the descriptor over, makes it non-blocking, and closes it. It is `Sendable` although
/// mutable: after init everything happens on the loop's thread.
public final class DescriptorStream: ByteInput, ByteOutput, Watched, @unchecked Sendable {
    let descriptor: Int32
    var generation: UInt32 = 0

    private let loop: EventLoop
    private let isSocket: Bool
    private var isOpen = true
    private var isWatched = false
    private var owner: (any StreamOwner)?
    private var isRead = false
    // Edge-triggered: what is true here stays true until a call finds out otherwise.
    private var mayRead = true
    private var mayWrite = true
    private var hasHungUp = false

    /// Takes over `descriptor` for use with sessions on `loop`.
    public init(_ descriptor: Int32, loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
        var type: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        isSocket = getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0, flags & O_NONBLOCK == 0 {
            _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        }
    }

    /// Takes over a socket that is non-blocking already.
    init(socket: Int32, loop: EventLoop) {
        descriptor = socket
        self.loop = loop
        isSocket = true
    }

    deinit {
        if isOpen { Glibc.close(descriptor) }
    }

    /// Keeps `owner`, to be told when more can be read.
    public func startReading(for owner: any StreamOwner) {
        self.owner = owner
        isRead = true
        watch()
    }

    /// Keeps `owner`, to be told when more can be written.
    public func startWriting(for owner: any StreamOwner) {
        self.owner = owner
        watch()
    }

    /// Moves into `buffer` what is there, without waiting.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamResult {
        guard isOpen else { return .end }
        guard mayRead else { return .notNow }
        let count = retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
        if count > 0 {
            // Less than asked for: all there was. The next bytes come with a new event, but an
            // end that was reported with these would not.
            if count < buffer.count, !hasHungUp, isWatched { mayRead = false }
            return .moved(count)
        }
        if count == 0 { return .end }
        guard errno == EAGAIN else { return .failed(systemMessage(errno)) }
        mayRead = false
        return .notNow
    }

    /// Takes from `bytes` what fits, without waiting.
    public func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
        guard isOpen else { return .failed("it is closed") }
        guard mayWrite else { return .notNow }
        let count = retrying {
            isSocket
                ? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                : Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        }
        if count >= 0 { return .moved(count) }
        guard errno == EAGAIN else {
            // What the other side said before it went away can still be read.
            mayRead = true
            return .failed(systemMessage(errno))
        }
        mayWrite = false
        return .notNow
    }

    /// Says that no more will be written.
    public func finish() {
        guard isOpen else { return }
        if isSocket {
            shutdown(descriptor, Int32(SHUT_WR))
        } else if !isRead {
            close()
        }
    }

    /// Closes the descriptor.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        if isWatched { loop.unwatch(self) }
        owner = nil
        Glibc.close(descriptor)
    }

    func ready(_ events: UInt32) {
        let failing = events & (EPOLLHUP.rawValue | EPOLLERR.rawValue)
        if events & (EPOLLRDHUP.rawValue) | failing != 0 { hasHungUp = true }
        let canWrite = !mayWrite && events & EPOLLOUT.rawValue | failing != 0
        let canRead = events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) | failing != 0
        if canWrite { mayWrite = true }
        if canRead { mayRead = true }
        if canRead || canWrite { owner?.streamIsReady() }
    }

    func loopStopped() {
        isWatched = false
        let owner = owner
        close()
        owner?.streamIsReady()
    }

    private func watch() {
        // What epoll cannot watch, such as a plain file, is always ready.
        if isOpen, !isWatched { isWatched = loop.watch(self) }
    }
}
