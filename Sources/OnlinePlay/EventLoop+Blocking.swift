// SPDX-License-Identifier: MIT

import Glibc

extension EventLoop {
    /// Runs `body` as a task on the loop and blocks the calling thread until it is done; not to be
    /// called from a task.
    ///
    /// A program whose `main` is this, and which starts no task elsewhere, never starts the
    /// system's thread pool, whose own timer would wake the process every second.
    public func runBlocking(_ body: @escaping @Sendable () async -> Void) {
        let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(done, 0, 0)
        defer {
            sem_destroy(done)
            done.deallocate()
        }
        let signal = SendableSemaphore(pointer: done)
        Task(executorPreference: self) {
            await body()
            sem_post(signal.pointer)
        }
        while sem_wait(done) != 0 {}
    }

    // Sendable although it holds a pointer: a semaphore is made for use by several threads, and
    // whoever waits for it keeps it.
    private struct SendableSemaphore: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<sem_t>
    }
}
