// SPDX-License-Identifier: MIT

/// A task that waits for something on the loop, and may be cancelled at any time.
// Sendable although mutable: every member is touched on the loop's thread alone.
final class Waiter<Value: Sendable>: @unchecked Sendable {
    private var continuation: UnsafeContinuation<Value, Never>?
    /// Whether the wait was cancelled, perhaps before it began.
    private(set) var isCancelled = false
    /// What else is to be done when the wait is cancelled.
    var onCancel: (() -> Void)?

    /// Whether a task still waits.
    var isWaiting: Bool { continuation != nil }

    func begin(_ continuation: UnsafeContinuation<Value, Never>) {
        self.continuation = continuation
    }

    /// Ends the wait; does nothing if it has ended.
    func resume(_ value: Value) {
        onCancel = nil
        continuation.take()?.resume(returning: value)
    }

    func cancel(_ value: Value) {
        isCancelled = true
        let also = onCancel
        resume(value)
        also?()
    }
}

extension EventLoop {
    /// Waits until `start`, called on the loop with a waiter, or somebody it gave the waiter to,
    /// resumes it. A cancelled task gets `cancelled` at once.
    func wait<Value: Sendable>(
        cancelled: Value, _ start: @escaping @Sendable (Waiter<Value>) -> Void
    ) async -> Value {
        let waiter = Waiter<Value>()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                perform {
                    waiter.begin(continuation)
                    if waiter.isCancelled { waiter.resume(cancelled) } else { start(waiter) }
                }
            }
        } onCancel: {
            perform { waiter.cancel(cancelled) }
        }
    }

    /// Calls `body` on the loop's thread: now if that is where the caller is, else soon.
    func perform(_ body: @escaping @Sendable () -> Void) {
        if isCurrent { body() } else { execute(body) }
    }

    /// What `body` gives, called on the loop's thread.
    func call<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        if isCurrent { return body() }
        return await withUnsafeContinuation { continuation in
            execute { continuation.resume(returning: body()) }
        }
    }
}
