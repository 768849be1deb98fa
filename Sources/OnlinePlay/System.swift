// SPDX-License-Identifier: MIT

import CLinux
import COpenSSL
import Glibc

/// What the system calls the error `number`, in English or the user's language.
package func systemMessage(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}

/// Tries `call` again for as long as a signal interrupts it.
package func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

/// The time on the clock that also EventLoop uses.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// Random bytes from the kernel.
package func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
        let got = bytes.withUnsafeMutableBytes { buffer in
            retrying { getrandom(buffer.baseAddress.map { $0 + filled }, count - filled, 0) }
        }
        // The kernel's generator cannot fail once it is seeded; this loop ends then.
        if got > 0 { filled += got }
    }
    return bytes
}

/// OpenSSL, told not to take itself apart when the process exits: a loop's thread may be in the
/// middle of a handshake then, and nobody waits for it. Counts if it is asked for before any other
/// use of OpenSSL in the process.
let openSSLOutlivesExit = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
