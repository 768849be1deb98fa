// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// Signals that wait, and can be waited for, instead of ending the process.
struct HeldSignals {
    private let descriptor: Int32
    private var before = sigset_t()

    /// Holds these, apart from those that are ignored.
    init(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals where !signal_is_ignored(signal) { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, &before)
        descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Waits for a signal or for something to read; whether it was a signal.
    func comesBefore(_ input: Int32) -> Bool {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, 2, -1) < 0, errno == EINTR {}
        return polled[0].revents != 0
    }

    /// Lets what was held have its effect, which may be the end of the process.
    func release() {
        close(descriptor)
        var mask = before
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
