// SPDX-License-Identifier: MIT

import Glibc
package import SessionProtocol

/// Calls a function on the loop's thread at a time that can be moved.
// Sendable although mutable: the loop's thread alone touches what it inherits.
package final class Alarm: LoopMember, @unchecked Sendable {
    private let loop: EventLoop
    private let action: @Sendable () -> Void

    /// Makes an alarm that is not set.
    package init(on loop: EventLoop, action: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Sets the alarm to `instant`, or unsets it.
    package func set(_ instant: Instant?) {
        loop.perform { self.loop.setTimer(self, at: instant) }
    }

    override func timerFired(at now: Instant) {
        action()
    }
}

extension EventLoop {
    /// Waits until `instant`, or until the task is cancelled.
    package func sleep(until instant: Instant) async {
        await wait(cancelled: ()) { (waiter: Waiter<Void>) in
            let alarm = Alarm(on: self) { waiter.resume(()) }
            alarm.set(instant)
        }
    }
}
