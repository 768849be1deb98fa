// SPDX-License-Identifier: MIT

import Foundation

/// A lock for the tests' own counters.
struct NSLockBox: Sendable {
    private let lock = NSLock()

    func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }
}
