// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import ResponderProtocol

/// A running `ttt-mdns`, spoken to in lines over a socket pair; used by one thread.
///
/// The process ends when its input does, so it outlives its parent by no more than the goodbye.
final class ResponderProcess {
    /// Our end of the socket pair.
    let descriptor: Int32
    private let process: pid_t
    private var decoder = LineDecoder()
    private var unsent: ArraySlice<UInt8> = []

    /// Starts the program at `path` for services of `type`; `nil` if that cannot be done.
    init?(path: String, type: String) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        defer { Glibc.close(ends[1]) }
        guard let process = spawn(path: path, arguments: [path, type], input: ends[1]) else {
            Glibc.close(ends[0])
            return nil
        }
        self.process = process
        descriptor = ends[0]
    }

    deinit {
        // Ended it has, or it is to be: it must not become a zombie, nor stay.
        Glibc.close(descriptor)
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
    }

    /// Whether ``flush()`` has something to write.
    var wantsToWrite: Bool { !unsent.isEmpty }

    /// Gives an order; `false` when the process has stopped reading.
    func send(_ order: Order) -> Bool {
        guard let line = order.line else { return true }
        guard unsent.count + line.count <= 65_536 else { return false }
        unsent += line
        return flush()
    }

    /// Writes what it can; `false` when the process is gone.
    func flush() -> Bool {
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            unsent = unsent.dropFirst(count)
        }
        return true
    }

    /// Reads what has come; `nil` at the end.
    func receive() -> [Report]? {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil }
        return decoder.append(buffer[..<count]).compactMap(Report.init(line:))
    }

    /// Lets it say goodbye and end.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends it at once; the end of its stream tells when that is done.
    func killNow() { kill(process, SIGKILL) }
}

/// Starts a program with one descriptor as its input and output and nothing else of ours.
private func spawn(path: String, arguments: [String], input: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, input, 1)
    // What a library writes before it aborts would land in the middle of a screen.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // In a session of its own ^C does not reach it: it ends when its input does.
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80  // POSIX_SPAWN_SETSID
    // cannot trap: the flags are constants below 256.
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var process: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    let failure = posix_spawn(&process, path, &actions, &attributes, words, environ)
    return failure == 0 ? process : nil
}
