// SPDX-License-Identifier: MIT

package import SessionProtocol

/// Calls a function on the loop's thread at a time that can be moved.
package final class Alarm: Sendable {
    private let loop: EventLoop
    private let member: AlarmMember

    /// Makes an alarm that is not set.
    package init(on loop: EventLoop, action: @escaping @Sendable () -> Void) {
        self.loop = loop
        member = AlarmMember(action: action)
    }

    /// Sets the alarm to `instant`, or unsets it. It rings once.
    package func set(_ instant: Instant?) {
        let member = member
        loop.perform { self.loop.setTimer(member, at: instant) }
    }
}

// Sendable although its superclass is mutable: the loop's thread alone touches what it inherits.
private final class AlarmMember: LoopMember, @unchecked Sendable {
    private let action: @Sendable () -> Void

    init(action: @escaping @Sendable () -> Void) {
        self.action = action
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
            waiter.onCancel = { alarm.set(nil) }
            alarm.set(instant)
        }
    }
}
