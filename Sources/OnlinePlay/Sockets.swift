// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// Makes TCP sockets with the settings that all of this module's have.
enum Sockets {
    /// A non-blocking TCP socket, or `nil` with `errno` set.
    static func make(family: Int32) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { return nil }
        configure(descriptor)
        return descriptor
    }

    /// Packets leave at once, and the kernel by itself finds out within 11 s of silence, or 6 s of
    /// unanswered data, that the other machine is gone. A socket accepted from a listening one has
    /// its settings.
    private static func configure(_ descriptor: Int32) {
        let tcp = Int32(IPPROTO_TCP)
        set(descriptor, tcp, TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, tcp, TCP_KEEPIDLE, 5)
        set(descriptor, tcp, TCP_KEEPINTVL, 2)
        set(descriptor, tcp, TCP_KEEPCNT, 3)
        set(descriptor, tcp, TCP_USER_TIMEOUT, 6_000)
    }

    @discardableResult
    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
        withUnsafePointer(to: value) {
            setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Int32>.size)) == 0
        }
    }

    /// What became of an attempt to connect: 0, or the error's number.
    static func takeError(_ descriptor: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
    }
}
