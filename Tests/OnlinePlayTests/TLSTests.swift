// SPDX-License-Identifier: MIT

import Glibc
import OnlinePlay
import SessionProtocol
import Testing

@Suite struct TLSTests {
    /// A responder whose other end is a TLS client of Python's.
    private func responder() throws -> (OnlineSession, TLSNuisance) {
        let (a, b) = socketPair()
        let session = try OnlineSession(
            input: a, output: a, role: .responder, security: Protection.tls.security(),
            hello: hello("a"), limits: .patient)
        return (session, try TLSNuisance(descriptor: b))
    }

    @Test func `another library's TLS is understood, up to the hello`() async throws {
        let (session, client) = try responder()
        try await client.send(helloBytes())
        try await session.ready()
        #expect(session.peer?.publicKey?.count == 32)
        #expect(session.peer?.name == "raw")
        await session.close()
        #expect(await client.outcome() == "ended")
    }

    @Test(arguments: ["http/1.1", ""])
    func `who speaks another protocol, or does not say, is refused`(_ alpn: String) async throws {
        let (session, client) = try responder()
        try await client.send(helloBytes(), alpn: alpn)
        await #expect(throws: OnlineError.self) { try await session.ready() }
        guard case .protocolError(let reason) = session.end else {
            Issue.record("\(String(describing: session.end))")
            return
        }
        #expect(reason.hasPrefix("TLS: "))
        #expect(session.peer == nil)
        #expect(await client.outcome() != "")
    }

    @Test func `who shows no certificate is refused`() async throws {
        let (session, client) = try responder()
        try await client.send(helloBytes(), hasCertificate: false)
        await #expect(throws: OnlineError.self) { try await session.ready() }
        #expect(
            session.end == .protocolError("TLS: peer did not return a certificate"))
        #expect(await client.outcome().hasPrefix("refused"))
    }

    @Test func `plaintext meets TLS: both end, with a reason`() async throws {
        let (a, b) = socketPair()
        let plain = try OnlineSession(
            input: a, output: a, role: .initiator, security: .plaintext, hello: hello("a"),
            limits: .patient)
        let secure = try OnlineSession(
            input: b, output: b, role: .responder, security: Protection.tls.security(),
            hello: hello("b"), limits: .patient)
        await #expect(throws: OnlineError.self) { try await secure.ready() }
        await #expect(throws: OnlineError.self) { try await plain.ready() }
    }

    @Test func `a stream cut under TLS is a loss, whatever it carried`() async throws {
        // Truncation gives no error in TLS itself: only a goodbye is a goodbye.
        let middle = try Middle()
        let (a, b) = (try middle.first(.tls), try middle.second(.tls))
        try await a.ready()
        try await a.send([1])
        #expect(try await b.next()?.bytes == [1])
        middle.cut()
        await #expect(throws: SessionError.ended(.lost("closed without a goodbye"))) {
            try await b.next()
        }
    }

    @Test(arguments: Protection.allCases, 1...9)
    func `a session is the same however the streams are split`(
        _ protection: Protection, size: Int
    ) async throws {
        let middle = try Middle(piece: size)
        let (a, b) = (try middle.first(protection), try middle.second(protection))
        try await a.ready()
        for number in 0..<5 {
            let bytes = [UInt8](repeating: UInt8(number), count: 40 * number)
            try await a.send(bytes)
            #expect(try await b.next()?.bytes == bytes)
            try await b.send(bytes)
            #expect(try await a.next()?.bytes == bytes)
        }
        await a.close()
        #expect(try await b.next() == nil)
    }
}

/// Two streams of an embedder's own, through memory, that pass at most so many bytes at a time.
final class Middle: Sendable {
    private let there: MemoryStream
    private let back: MemoryStream

    init(piece: Int = .max) throws {
        there = MemoryStream(piece: piece)
        back = MemoryStream(piece: piece)
    }

    func first(_ protection: Protection) throws -> OnlineSession {
        try OnlineSession(
            input: back.reader, output: there.writer, role: .initiator,
            security: protection.security(), hello: hello("first"), limits: .patient)
    }

    func second(_ protection: Protection) throws -> OnlineSession {
        try OnlineSession(
            input: there.reader, output: back.writer, role: .responder,
            security: protection.security(), hello: hello("second"), limits: .patient)
    }

    /// Ends both streams as a cable does.
    func cut() {
        there.end()
        back.end()
    }
}

/// A bounded queue of bytes between a writer and a reader.
final class MemoryStream: @unchecked Sendable {
    private static let room = 1_000

    private let lock = NSLockBox()
    private let piece: Int
    private var bytes: [UInt8] = []
    private var isEnded = false
    private var readOwner: (any StreamOwner)?
    private var writeOwner: (any StreamOwner)?

    init(piece: Int) {
        self.piece = piece
    }

    var reader: Reader { Reader(self) }
    var writer: Writer { Writer(self) }

    final class Reader: ByteInput {
        private let stream: MemoryStream
        init(_ stream: MemoryStream) { self.stream = stream }
        func startReading(for owner: any StreamOwner) {
            stream.lock.with { stream.readOwner = owner }
        }
        func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamResult {
            stream.take(into: buffer)
        }
        func close() { stream.end() }
    }

    final class Writer: ByteOutput {
        private let stream: MemoryStream
        init(_ stream: MemoryStream) { self.stream = stream }
        func startWriting(for owner: any StreamOwner) {
            stream.lock.with { stream.writeOwner = owner }
        }
        func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult { stream.put(bytes) }
        func finish() { stream.end() }
        func close() { stream.end() }
    }

    func end() {
        let owners = lock.with {
            defer { isEnded = true }
            return isEnded ? [] : [readOwner, writeOwner]
        }
        for owner in owners { Self.tell(owner) }
    }

    private func put(_ new: UnsafeRawBufferPointer) -> StreamResult {
        let (result, wasEmpty): (StreamResult, Bool) = lock.with {
            guard !isEnded else { return (.failed("it is closed"), false) }
            let count = min(new.count, piece, Self.room - bytes.count)
            guard count > 0 else { return (.notNow, false) }
            defer { bytes += new.prefix(count) }
            return (.moved(count), bytes.isEmpty)
        }
        if wasEmpty { Self.tell(lock.with { readOwner }) }
        return result
    }

    private func take(into buffer: UnsafeMutableRawBufferPointer) -> StreamResult {
        let (result, wasFull): (StreamResult, Bool) = lock.with {
            guard !bytes.isEmpty else { return (isEnded ? .end : .notNow, false) }
            let count = min(buffer.count, piece, bytes.count)
            let wasFull = bytes.count == Self.room
            buffer.copyBytes(from: bytes.prefix(count))
            bytes.removeFirst(count)
            return (.moved(count), wasFull)
        }
        if wasFull { Self.tell(lock.with { writeOwner }) }
        return result
    }

    /// Tells from another thread, as a stream may.
    private static func tell(_ owner: (any StreamOwner)?) {
        if let owner { Task.detached { owner.streamIsReady() } }
    }
}
