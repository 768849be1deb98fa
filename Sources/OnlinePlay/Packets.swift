// SPDX-License-Identifier: MIT

/// The packets of a session, in order, until a goodbye. See ``OnlineSession/next()``.
public struct Packets: AsyncSequence, Sendable {
    /// Takes packets one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let session: OnlineSession

        /// The next packet; `nil` after a goodbye.
        public mutating func next() async throws(SessionError) -> Packet? {
            try await session.next()
        }

        /// The next packet; `nil` after a goodbye.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SessionError) -> Packet? {
            try await session.next()
        }
    }

    let session: OnlineSession

    /// Starts where the last reader stopped: a packet is given once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session: session) }
}

extension OnlineSession {
    /// The packets, for a `for try await` loop.
    public var packets: Packets { Packets(session: self) }
}
