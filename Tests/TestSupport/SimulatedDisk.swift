// SPDX-License-Identifier: MIT

package import MatchProtocol

/// A directory on a disk that forgets what was not synced.
///
/// What processes see is the cache; ``losePower(_:)`` leaves what is durable and, of the rest, as
/// little or as much as it likes: any names, any beginning of what was appended. Faults are set
/// before an operation and are counted in ``operations``.
package final class SimulatedDisk: JournalStore {
    /// An open file; it stays open under whatever name.
    package struct File: Sendable, Hashable {
        fileprivate let index: Int
        fileprivate let process: Int
    }

    fileprivate struct Content: Sendable, Hashable {
        var cached: [UInt8] = []
        var durable: [UInt8] = []
        /// Where the bytes begin that the next sync writes.
        var dirty = 0
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
    /// Refuses everything, with this code.
    package var refusal: StoreError.Code?
    /// Whether the power is off: everything fails until ``losePower(_:)``.
    package private(set) var isOff = false

    private var files: [Content] = []
    private var cached: [String: Int] = [:]
    private var durable: [String: Int] = [:]
    /// Changes of names since the directory was last synced, each done as a whole or not at all;
    /// `nil` for a name that was taken away.
    private var changes: [[(name: String, file: Int?)]] = []
    private var locks: [String: Weak] = [:]
    private var process = 0
    private var random: SeededGenerator

    fileprivate struct Weak {
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
        for change in changes where takes(mercy) { durable.apply(change) }
        cached = durable
        // In an order that does not change from run to run.
        for name in names { cached[name].map { settle($0, mercy) } }
        changes = []
        kill()
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
        files.append(Content(cached: bytes, durable: bytes, dirty: bytes.count))
        cached[name] = files.count - 1
        durable[name] = files.count - 1
    }

    /// What a process would read, uncounted.
    package func content(_ name: String) -> [UInt8]? { cached[name].map { files[$0].cached } }

    /// What would be there after the power was lost and the disk showed no mercy.
    package func durableContent(_ name: String) -> [UInt8]? {
        durable[name].map { files[$0].durable }
    }

    /// Whether a line would be there after the power was lost; the last lines are found at once.
    package func isDurable(_ line: [UInt8], in name: String) -> Bool {
        guard let index = durable[name] else { return false }
        // Byte by byte without the checks of an array: this is asked for every entry.
        return files[index].durable.withUnsafeBytes { bytes in
            var end = bytes.count - 1
            while end > 0 {
                var start = end
                while start > 0, bytes[start - 1] != 0x0a { start -= 1 }
                if end - start == line.count, bytes[start..<end].elementsEqual(line) {
                    return true
                }
                end = start - 1
            }
            return false
        }
    }

    /// All names, sorted, uncounted.
    package var names: [String] { cached.keys.sorted() }

    /// Everything on the disk, to be put back later or elsewhere.
    package struct Snapshot: Sendable {
        fileprivate var files: [Content]
        fileprivate var cached: [String: Int]
        fileprivate var durable: [String: Int]
        fileprivate var changes: [[(name: String, file: Int?)]]
        fileprivate var process: Int
    }

    /// The disk as it is. Locks are not part of it: they are the processes'.
    package var snapshot: Snapshot {
        get {
            Snapshot(
                files: files, cached: cached, durable: durable, changes: changes, process: process)
        }
        set {
            (files, cached, durable) = (newValue.files, newValue.cached, newValue.durable)
            (changes, process) = (newValue.changes, newValue.process)
            locks = [:]
        }
    }

    /// The disk, and whoever has locks on it, to be gone on from in another way.
    package struct Moment {
        fileprivate var snapshot: Snapshot
        fileprivate var locks: [String: Weak]
        fileprivate var random: SeededGenerator
        fileprivate var isOff: Bool
    }

    /// Everything but what was planned to fail.
    package var moment: Moment {
        get { Moment(snapshot: snapshot, locks: locks, random: random, isOff: isOff) }
        set {
            snapshot = newValue.snapshot
            (locks, random, isOff) = (newValue.locks, newValue.random, newValue.isOff)
            faults = [:]
        }
    }

    private func settle(_ index: Int, _ mercy: Mercy) {
        let pending = max(0, files[index].cached.count - files[index].dirty)
        let kept =
            switch mercy {
            case .none, .names: 0
            case .some: Int.random(in: 0...pending, using: &random)
            case .all: pending
            }
        if kept > 0 { write(index, upTo: files[index].dirty + kept) }
        files[index].cached = files[index].durable
        files[index].dirty = files[index].durable.count
    }

    /// What lies between was lost by a sync that failed: the disk has zeros there.
    private func write(_ index: Int, upTo end: Int) {
        let gap = max(0, files[index].dirty - files[index].durable.count)
        if gap > 0 { files[index].durable += [UInt8](repeating: 0, count: gap) }
        let start = files[index].durable.count
        files[index].durable += files[index].cached[start..<end]
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
        if let refusal { throw StoreError(refusal, path: name, "\(name): the disk refuses.") }
        defer { operations.append(operation) }
        if faults.isEmpty { return true }
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
        return content(name)
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
        files.append(Content())
        let file = File(index: files.count - 1, process: process)
        guard try begin(.create, name) else { return file }
        guard cached[name] == nil else {
            throw StoreError(.exists, path: name, "\(name) exists.")
        }
        change([(name, file.index)])
        return file
    }

    package func append(_ bytes: [UInt8], to file: File) throws(StoreError) {
        try check(file)
        let during = { [self] in
            let part = Int.random(in: 0...bytes.count, using: &random)
            files[file.index].cached += bytes.prefix(part)
        }
        if try begin(.append, "file", during: during) { files[file.index].cached += bytes }
    }

    package func sync(_ file: File) throws(StoreError) {
        try check(file)
        let index = file.index
        // What a failed sync did not write counts as written from then on.
        let lost = { [self] in
            if faults[operations.count] != .crash {
                files[index].dirty = files[index].cached.count
            }
        }
        guard try begin(.sync, "file", during: lost) else { return }
        if files[index].dirty < files[index].cached.count {
            write(index, upTo: files[index].cached.count)
        }
        files[index].dirty = files[index].cached.count
    }

    package func rename(_ name: String, to other: String) throws(StoreError) {
        guard try begin(.rename, name) else { return }
        guard let file = cached[name] else {
            throw StoreError(.failed, path: name, "\(name) is not there.")
        }
        change([(other, file), (name, nil)])
    }

    package func remove(_ name: String) throws(StoreError) {
        guard try begin(.remove, name), cached[name] != nil else { return }
        change([(name, nil)])
    }

    package func syncDirectory() throws(StoreError) {
        guard try begin(.syncDirectory, ".") else { return }
        durable = cached
        changes = []
    }

    private func change(_ change: [(name: String, file: Int?)]) {
        cached.apply(change)
        changes.append(change)
    }

    private func check(_ file: File) throws(StoreError) {
        guard file.process == process, file.index < files.count else {
            throw StoreError(.failed, path: "file", "The process that opened it is gone.")
        }
    }
}

extension [String: Int] {
    fileprivate mutating func apply(_ change: [(name: String, file: Int?)]) {
        for (name, file) in change { self[name] = file }
    }
}
