// SPDX-License-Identifier: MIT

import CAvahi
import Glibc
import ResponderProtocol

/// The one thread that calls libavahi-client, some of whose calls block as long as the daemon
/// likes; nobody waits for it.
///
/// Unchecked because everything below `poll` is touched by that thread alone. No lock is held
/// while a callback runs. In callbacks nothing of libavahi is freed but resolvers; what ends the
/// connection is done from the loop.
final class DaemonThread: @unchecked Sendable {
    private struct Queue: Sendable {
        var jobs: [@Sendable (DaemonThread) -> Void] = []
        var isOpen = true
    }

    private let queue = Lock(Queue())
    private let poll: OpaquePointer
    private let tell: @Sendable (MeansMachine.DaemonNews) -> Void
    private let post: @Sendable (Report) -> Void

    let type: String
    private var isStopped = false
    private var hasFailed = false
    var client: OpaquePointer?
    var group: OpaquePointer?
    var published: (name: String, port: UInt16, place: Place?)?
    var browser: OpaquePointer?
    var attention = Attention()
    var resolvers: [Sighting: OpaquePointer] = [:]
    var lookUps: [UInt32: [HostLookUp]] = [:]

    /// Starts the thread; `nil` if there can be none.
    ///
    /// - Parameters:
    ///   - type: The service type.
    ///   - tell: Called on the thread with news of the daemon.
    ///   - post: Called on the thread with the daemon's reports.
    init?(
        type: String, tell: @escaping @Sendable (MeansMachine.DaemonNews) -> Void,
        post: @escaping @Sendable (Report) -> Void
    ) {
        guard let poll = avahi_simple_poll_new() else { return nil }
        self.poll = poll
        self.type = type
        self.tell = tell
        self.post = post
        // The thread holds this object until it ends, so the pointers given to C stay good.
        guard startThread({ self.run() }) else {
            avahi_simple_poll_free(poll)
            return nil
        }
    }

    /// Has the thread do something, after all it was asked before; nothing once it has ended.
    func perform(_ job: @escaping @Sendable (DaemonThread) -> Void) {
        queue.withLock { queue in
            // With the lock held, so that the thread cannot free what is woken here.
            guard queue.isOpen else { return }
            queue.jobs.append(job)
            avahi_simple_poll_wakeup(poll)
        }
    }

    /// Lets the thread end; the daemon says goodbye for us.
    func stop() { perform { $0.isStopped = true } }

    /// Connects, leaving an earlier connection.
    func open() {
        close()
        var failure: Int32 = 0
        let state: AvahiClientCallback = { client, state, context in
            DaemonThread.from(context)?.changed(client, state)
        }
        client = avahi_client_new(
            avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, state, context, &failure)
        // Without a bus this fails at once, whatever the flag says.
        if client == nil { tell(.absent) }
    }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ context: UnsafeMutableRawPointer?) -> DaemonThread? {
        context.map { Unmanaged<DaemonThread>.fromOpaque($0).takeUnretainedValue() }
    }

    func report(_ report: Report) { post(report) }

    /// Ends the connection once the running callback has returned.
    func fail() { hasFailed = true }

    private func run() {
        while !isStopped {
            for job in takeJobs() { job(self) }
            if hasFailed {
                close()
                tell(.lost)
            }
            guard !isStopped, avahi_simple_poll_iterate(poll, -1) == 0 else { break }
        }
        close()
        queue.withLock { queue in
            queue.isOpen = false
            avahi_simple_poll_free(poll)
        }
    }

    private func takeJobs() -> [@Sendable (DaemonThread) -> Void] {
        queue.withLock { queue in
            defer { queue.jobs = [] }
            return queue.jobs
        }
    }

    /// Frees the client, and with it all that was made with it.
    private func close() {
        hasFailed = false
        group = nil
        published = nil
        browser = nil
        attention = Attention()
        resolvers = [:]
        if let client { avahi_client_free(client) }
        client = nil
        lookUps = [:]
    }

    private func changed(_ client: OpaquePointer?, _ state: AvahiClientState) {
        // It is called before avahi_client_new() has returned, too.
        self.client = client
        switch state {
        case AVAHI_CLIENT_S_RUNNING: tell(.running)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
            // The daemon gets itself another host name: our records are not valid under it.
            withdraw()
            tell(.registering)
        case AVAHI_CLIENT_CONNECTING: tell(.connecting)
        default: fail()
        }
    }
}
