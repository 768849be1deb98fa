// SPDX-License-Identifier: MIT

import Glibc

private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a detached thread that no signal handler runs on; `false` if there can be none.
func startThread(_ run: @escaping @Sendable () -> Void) -> Bool {
    let body = Unmanaged.passRetained(Body(run))
    var all = sigset_t()
    var old = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            if let argument {
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            }
            return nil
        }, body.toOpaque())
    guard failure == 0 else {
        body.release()
        return false
    }
    pthread_detach(thread)
    return true
}

/// Milliseconds on the monotonic clock.
func monotonicNow() -> Milliseconds {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Milliseconds(time.tv_sec) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
}
