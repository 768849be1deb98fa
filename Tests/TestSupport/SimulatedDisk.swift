// SPDX-License-Identifier: MIT

package import MatchProtocol

/// A directory on a disk that forgets what was not synced.
///
/// What processes see is the cache; ``losePower(_:)`` leaves what is durable and, of the rest, as
/// little or as much as it likes: any names, any beginning of what was appended. Faults are set
/// before an operation and are counted in ``operations``.
package final class SimulatedDisk: JournalStore {
    /// An open file; it stays open under whatever name.
    package final class File {
        var cached: [UInt8] = []
        var durable: [UInt8] = []
        /// Where the bytes begin that the next sync writes.
        var dirty = 0
        let process: Int

        init(process: Int) { self.process = process }
    }

    /// Holds a lock until it is let go or its process dies.
    package final class Lock {}

    /// What an operation does.
    package enum Operation: Sendable, Equatable {
        case read, lock, create, append, sync, rename, remove, syncDirectory
    }

    /// What is to go wrong.
    package enum Fault: Sendable, Equatable {
        /// The operation fails with this code and does nothing, an append a part.
        case fail(StoreError.Code)
        /// The power goes while the operation runs: it is not done, or done in part.
        case crash
        /// The operation is not done and says that it was: a fault in the code that calls.
        case swallow
    }

    /// What was asked for so far.
    package private(set) var operations: [Operation] = []
    /// What goes wrong, by the number of the operation, from 0.
    package var faults: [Int: Fault] = [:]
    /// Whether the power is off: everything fails until ``losePower(_:)``.
    package private(set) var isOff = false

    private var cached: [String: File] = [:]
    private var durable: [String: File] = [:]
    /// Changes of names since the directory was last synced, each done as a whole or not at all;
    /// `nil` for a name that was taken away.
    private var changes: [[String: File?]] = []
    private var locks: [String: Weak] = [:]
    private var process = 0
    private var random: SeededGenerator

    private struct Weak {
        weak var lock: Lock?
    }

    /// An empty directory; `seed` decides how much of a torn write gets through.
    package init(seed: UInt64 = 0) { random = SeededGenerator(seed: seed) }

    /// How much of what was not synced is there after power came back.
    package enum Mercy: Sendable, CaseIterable {
        /// Nothing.
        case none
        /// Names and bytes by chance.
        case some
        /// The new names, and none of the bytes.
        case names
        /// Everything.
        case all
    }

    /// Turns the power off, if it is not, and on again: every process is gone.
    package func losePower(_ mercy: Mercy) {
        for change in changes where takes(mercy) { durable.merge(change) }
        changes = []
        cached = durable
        for file in cached.values { settle(file, mercy) }
        process += 1
        locks = [:]
        isOff = false
        faults = [:]
    }

    /// Ends the process and keeps what it had written, as a kill does.
    package func kill() {
        process += 1
        locks = [:]
        isOff = false
        faults = [:]
    }

    /// Writes a file as somebody else might have left it, durable.
    package func put(_ bytes: [UInt8], as name: String) {
        let file = File(process: -1)
        (file.cached, file.durable, file.dirty) = (bytes, bytes, bytes.count)
        cached[name] = file
        durable[name] = file
    }

    /// What a process would read, uncounted.
    package func content(_ name: String) -> [UInt8]? { cached[name]?.cached }

    /// All names, sorted, uncounted.
    package var names: [String] { cached.keys.sorted() }

    private func settle(_ file: File, _ mercy: Mercy) {
        let pending = max(0, file.cached.count - file.dirty)
        let kept =
            switch mercy {
            case .none, .names: 0
            case .some: Int.random(in: 0...pending, using: &random)
            case .all: pending
            }
        if kept > 0 { write(file, upTo: file.dirty + kept) }
        file.cached = file.durable
        file.dirty = file.durable.count
    }

    /// What lies between was lost by a sync that failed: the disk has zeros there.
    private func write(_ file: File, upTo end: Int) {
        let gap = max(0, file.dirty - file.durable.count)
        file.durable += [UInt8](repeating: 0, count: gap)
        file.durable += file.cached[file.durable.count..<end]
    }

    private func takes(_ mercy: Mercy) -> Bool {
        switch mercy {
        case .none: false
        case .some: Bool.random(using: &random)
        case .names, .all: true
        }
    }

    /// Counts an operation; `false` if it is to be swallowed.
    private func begin(
        _ operation: Operation, _ name: String, during: () -> Void = {}
    ) throws(StoreError) -> Bool {
        guard !isOff else { throw StoreError(.failed, path: name, "The power is off.") }
        defer { operations.append(operation) }
        switch faults[operations.count] {
        case nil: return true
        case .swallow?: return false
        case .fail(let code)?:
            during()
            throw StoreError(code, path: name, "\(name): the disk refused.")
        case .crash?:
            during()
            isOff = true
            throw StoreError(.failed, path: name, "The power is off.")
        }
    }
}

extension SimulatedDisk {
    package func list() throws(StoreError) -> [String] {
        guard try begin(.read, ".") else { return [] }
        return names
    }

    package func read(_ name: String) throws(StoreError) -> [UInt8]? {
        guard try begin(.read, name) else { return nil }
        return cached[name]?.cached
    }

    package func lock(_ name: String) throws(StoreError) -> Lock {
        let lock = Lock()
        guard try begin(.lock, name) else { return lock }
        guard locks[name]?.lock == nil else {
            throw StoreError(.inUse, path: name, "\(name) is locked.")
        }
        locks[name] = Weak(lock: lock)
        return lock
    }

    package func create(_ name: String) throws(StoreError) -> File {
        let file = File(process: process)
        guard try begin(.create, name) else { return file }
        guard cached[name] == nil else {
            throw StoreError(.exists, path: name, "\(name) exists.")
        }
        change([name: file])
        return file
    }

    package func append(_ bytes: [UInt8], to file: File) throws(StoreError) {
        try check(file)
        let part = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
        if try begin(.append, "file", during: { file.cached += part }) { file.cached += bytes }
    }

    package func sync(_ file: File) throws(StoreError) {
        try check(file)
        // What a failed sync did not write counts as written from then on.
        let lost = { [self] in
            if faults[operations.count] != .crash { file.dirty = file.cached.count }
        }
        guard try begin(.sync, "file", during: lost) else { return }
        if file.dirty < file.cached.count { write(file, upTo: file.cached.count) }
        file.dirty = file.cached.count
    }

    package func rename(_ name: String, to other: String) throws(StoreError) {
        guard try begin(.rename, name) else { return }
        guard let file = cached[name] else {
            throw StoreError(.failed, path: name, "\(name) is not there.")
        }
        change([other: file, name: nil])
    }

    package func remove(_ name: String) throws(StoreError) {
        guard try begin(.remove, name), cached[name] != nil else { return }
        change([name: nil])
    }

    package func syncDirectory() throws(StoreError) {
        guard try begin(.syncDirectory, ".") else { return }
        durable = cached
        changes = []
    }

    private func change(_ change: [String: File?]) {
        cached.merge(change)
        changes.append(change)
    }

    private func check(_ file: File) throws(StoreError) {
        guard file.process == process else {
            throw StoreError(.failed, path: "file", "The process that opened it is gone.")
        }
    }
}

extension [String: SimulatedDisk.File] {
    fileprivate mutating func merge(_ change: [String: SimulatedDisk.File?]) {
        for (name, file) in change { self[name] = file }
    }
}
