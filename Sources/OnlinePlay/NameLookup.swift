// SPDX-License-Identifier: MIT

import CLinux
import Glibc
public import SessionProtocol

/// Asks the system for the addresses of a host, on a thread of its own, for it may take long.
// Sendable although mutable: every member is touched on the loop's thread alone.
private final class NameLookup: LoopMember, @unchecked Sendable {
    typealias Outcome = Result<[Endpoint], OnlineError>

    /// What the thread needs, and where it leaves its answer.
    private final class Question {
        let host: String
        let port: UInt16
        let answer: @Sendable (Outcome) -> Void

        init(host: String, port: UInt16, answer: @escaping @Sendable (Outcome) -> Void) {
            self.host = host
            self.port = port
            self.answer = answer
        }
    }

    private let loop: EventLoop
    private let host: String
    private var waiter: Waiter<Outcome>?

    init(host: String, loop: EventLoop) {
        self.host = host
        self.loop = loop
    }

    func start(_ waiter: Waiter<Outcome>, port: UInt16, by deadline: Instant) {
        self.waiter = waiter
        waiter.onCancel = { self.loop.setTimer(self, at: nil) }
        loop.setTimer(self, at: deadline)
        let question = Question(host: host, port: port) { outcome in
            self.loop.execute { self.finish(outcome) }
        }
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let question = Unmanaged<Question>.fromOpaque(argument).takeRetainedValue()
                question.answer(NameLookup.ask(question.host, question.port))
                return nil
            }, Unmanaged.passRetained(question).toOpaque())
        if failure == 0 {
            pthread_detach(thread)
        } else {
            Unmanaged.passUnretained(question).release()
            finish(.failure(OnlineError(.system, "No thread: \(systemMessage(failure)).")))
        }
    }

    override func timerFired(at now: Instant) {
        finish(.failure(OnlineError(.timedOut, "The name \(host) was not found in time.")))
    }

    private func finish(_ outcome: Outcome) {
        loop.setTimer(self, at: nil)
        waiter.take()?.resume(outcome)
    }

    private static func ask(_ host: String, _ port: UInt16) -> Outcome {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, nil, &hints, &list)
        guard failure == 0 else {
            let reason = gai_strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
            return .failure(OnlineError(.notFound, "There is no host \(host): \(reason)."))
        }
        defer { freeaddrinfo(list) }
        var found: [Endpoint] = []
        var next = list
        while let entry = next?.pointee {
            if let endpoint = endpoint(entry, port), !found.contains(endpoint) {
                found.append(endpoint)
            }
            next = entry.ai_next
        }
        return found.isEmpty
            ? .failure(OnlineError(.notFound, "The host \(host) has no IP address."))
            : .success(found)
    }

    private static func endpoint(_ entry: addrinfo, _ port: UInt16) -> Endpoint? {
        guard let address = entry.ai_addr else { return nil }
        var storage = sockaddr_storage()
        let size = min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
        }
        guard let found = Endpoint(storage) else { return nil }
        return Endpoint(address: found.address, scope: found.scope, port: port)
    }
}

extension Endpoint {
    /// The endpoints of a host given by name or in figures.
    ///
    /// - Throws: ``OnlineError`` with code `notFound`, `timedOut` (at `deadline`), `cancelled` or
    ///   `system`.
    public static func lookUp(
        host: String, port: UInt16, by deadline: Instant, loop: EventLoop? = nil
    ) async throws(OnlineError) -> [Endpoint] {
        if let endpoint = Endpoint(host: host, port: port) { return [endpoint] }
        let loop = try EventLoop.orShared(loop)
        let lookup = NameLookup(host: host, loop: loop)
        let cancelled = NameLookup.Outcome.failure(
            OnlineError(.cancelled, "The search for \(host) was cancelled."))
        return try await loop.wait(cancelled: cancelled) {
            lookup.start($0, port: port, by: deadline)
        }.get()
    }
}
