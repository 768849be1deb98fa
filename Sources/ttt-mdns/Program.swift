// SPDX-License-Identifier: MIT

import Glibc

/// `ttt-mdns TYPE`: advertises and looks for services of one type on the local network, for the
/// program at the other end of its standard input and output, where no Avahi daemon runs.
///
/// It is a process of its own because the library that reads the network's packets can be made
/// to abort by one of them. It ends, with goodbyes, when its input does.
@main
struct Program {
    static func main() {
        guard CommandLine.arguments.count == 2, isSocket(0) else {
            let message = "ttt-mdns is started by ttt and of no use by itself.\n"
            _ = message.withCString { write(2, $0, strlen($0)) }
            exit(64)
        }
        prepare()
        guard let responder = Responder(type: CommandLine.arguments[1]) else { exit(69) }
        responder.run()
    }

    private static func isSocket(_ descriptor: Int32) -> Bool {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0
    }

    private static func prepare() {
        // An abort is expected and has nothing to tell.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        for number in [SIGABRT, SIGSEGV, SIGBUS] { signal(number, SIG_DFL) }
        signal(SIGPIPE, SIG_IGN)
        // A polite end takes the way of every end: the input ends.
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number) { _ in shutdown(0, Int32(SHUT_RD)) }
        }
        // Reports are written whole or not at all.
        _ = fcntl(1, F_SETFL, fcntl(1, F_GETFL) & ~O_NONBLOCK)
    }
}
