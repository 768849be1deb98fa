// SPDX-License-Identifier: MIT

import Glibc

/// A value that only one thread touches at a time.
///
/// Built on `pthread_mutex`, which the thread sanitizer understands.
// Sendable although the compiler cannot see it: `value` is reached only between lock and unlock.
package final class Lock<Value>: @unchecked Sendable {
    private var value: Value
    // On the heap, for a mutex must not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread has it.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
