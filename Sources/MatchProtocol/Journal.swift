// SPDX-License-Identifier: MIT

/// One player's journal of one match, open for storing (`docs/journal.md`).
///
/// What a method that stores has returned from is durable; what it threw at is not to be acted on.
/// After the first error the journal throws that error again and does not touch the disk.
/// A journal has one owner; its lock is let go with the value.
package struct Journal<Store: JournalStore> {
    /// Which match, and whose journal.
    package let name: JournalName

    private let store: Store
    private let lock: Store.Lock
    private let file: Store.File
    private let cryptography: any Cryptography
    private var failure: JournalError?

    /// Begins the journal of a new match with the first own entry, which must be an `open`; both
    /// are durable when this returns.
    ///
    /// There is never a journal without an entry, so that every journal tells what match it is of,
    /// nor, where `link` is known, one that does not tell where to look for the other side.
    package init(
        creating line: [UInt8], by seat: Seat, link: LinkHint? = nil, in store: Store,
        cryptography: any Cryptography
    ) throws(JournalError) {
        let name = try Self.name(of: line, by: seat)
        let lock = try Self.locked(name, in: store)
        let existing = try JournalError.wrap { () throws(StoreError) in try store.read(name.file) }
        guard existing == nil else { throw .present(name) }
        let hint = link.map { JournalLine.link($0).bytes(cryptography) } ?? []
        let bytes = JournalHeader(name: name).bytes(cryptography) + line + [0x0a] + hint
        try self.init(name, writing: bytes, in: store, lock: lock, cryptography: cryptography)
    }

    private static func name(
        of line: [UInt8], by seat: Seat
    ) throws(JournalError) -> JournalName {
        do throws(Malformed) {
            guard case .open(let opening) = try Entry(line: line).body else {
                throw Malformed("The first entry does not open a match.")
            }
            return JournalName(match: opening.match, seat: seat)
        } catch {
            throw .unusable(reason: error.reason)
        }
    }

    /// Writes the whole file beside the old one and puts it in its place.
    private init(
        _ name: JournalName, writing bytes: [UInt8], in store: Store, lock: Store.Lock,
        cryptography: any Cryptography
    ) throws(JournalError) {
        self.name = name
        self.store = store
        self.lock = lock
        self.cryptography = cryptography
        file = try JournalError.wrap { () throws(StoreError) in
            try store.remove(name.new)
            let file = try store.create(name.new)
            try store.append(bytes, to: file)
            try store.sync(file)
            try store.rename(name.new, to: name.file)
            try store.syncDirectory()
            return file
        }
    }

    /// Stores an entry of either log, as it was signed.
    package mutating func store(entry line: [UInt8]) throws(JournalError) {
        try append(line + [0x0a], durably: true)
    }

    /// Stores an own entry that is wished for and cannot be signed yet.
    package mutating func store(draft body: EntryBody) throws(JournalError) {
        try append(JournalLine.draft(body).bytes(cryptography), durably: true)
    }

    /// Stores the words of such an entry.
    package mutating func store(draftWords words: [UInt8]) throws(JournalError) {
        try append(Check.line(Array("draft ".utf8) + words, cryptography), durably: true)
    }

    /// Stores that the first draft was given up.
    package mutating func dropDraft() throws(JournalError) {
        try append(JournalLine.drop.bytes(cryptography), durably: true)
    }

    /// Notes where the two sides are. It is as durable as whatever is stored next.
    package mutating func note(link: LinkHint) throws(JournalError) {
        try append(JournalLine.link(link).bytes(cryptography), durably: false)
    }

    /// Removes the journal: there is no such match.
    package consuming func remove() throws(JournalError) {
        let (store, name) = (store, name)
        try JournalError.wrap { () throws(StoreError) in
            try store.remove(name.file)
            try store.syncDirectory()
        }
    }

    private mutating func append(_ bytes: [UInt8], durably: Bool) throws(JournalError) {
        if let failure { throw failure }
        do throws(StoreError) {
            try store.append(bytes, to: file)
            if durably { try store.sync(file) }
        } catch {
            failure = .store(error)
            throw .store(error)
        }
    }

    private static func locked(
        _ name: JournalName, in store: Store
    ) throws(JournalError) -> Store.Lock {
        do throws(StoreError) {
            return try store.lock(name.lock)
        } catch {
            throw error.code == .inUse ? .inUse(path: error.path) : .store(error)
        }
    }
}

extension Journal: Sendable where Store: Sendable, Store.File: Sendable, Store.Lock: Sendable {}

/// A journal that was opened again.
package struct OpenedJournal<Store: JournalStore> {
    /// To store what comes.
    package var journal: Journal<Store>
    /// What was in it.
    package let match: StoredMatch
    /// What was wrong with the file, if it had to be put aside.
    package let damage: Damage?

    /// A damaged file that was put aside.
    package struct Damage: Sendable, Equatable {
        /// The name under which the file is kept.
        package let file: String
        /// The first line that was not right, from 1, and why.
        package let line: Int
        package let reason: String
    }
}

extension Journal {
    /// Opens a journal: keeps what is right in each log, puts a damaged file aside, and writes what
    /// is kept into a new file, durable when this returns.
    ///
    /// What is kept of a log whose file was damaged may be less than the other side has of it, also
    /// less than this side has promised to have; the other side fills it up again.
    ///
    /// `rules` are the games that are known, `publicKey` is the own key. Where it throws anything
    /// but ``JournalError/store(_:)`` nothing was changed; else the file is as it was or as it was
    /// to become.
    package static func open(
        _ name: JournalName, in store: Store, rules: [any Game.Type], publicKey: [UInt8],
        cryptography: any Cryptography
    ) throws(JournalError) -> OpenedJournal<Store> {
        let lock = try locked(name, in: store)
        let stored = try JournalError.wrap { () throws(StoreError) in try store.read(name.file) }
        guard let bytes = stored else { throw .absent(name) }
        let text = JournalText(bytes, cryptography: cryptography)
        var content = try JournalContent(text, of: name, rules: rules, cryptography: cryptography)
        guard content.match.opening.keys[name.seat] == publicKey else { throw .key }
        var aside: OpenedJournal<Store>.Damage?
        if let damage = content.damage {
            let file = try putAside(bytes, of: name, in: store)
            aside = .init(file: file, line: damage.line, reason: damage.reason)
        }
        content.beginRun()
        let journal = try Journal(
            name, writing: content.bytes(name, cryptography), in: store, lock: lock,
            cryptography: cryptography)
        return OpenedJournal(journal: journal, match: content.match, damage: aside)
    }

    /// Keeps a copy under the first name that is free. It is durable before the file is replaced.
    private static func putAside(
        _ bytes: [UInt8], of name: JournalName, in store: Store
    ) throws(JournalError) -> String {
        try JournalError.wrap { () throws(StoreError) in
            let taken = Set(try store.list())
            var number = 1
            // cannot trap: no directory has so many files.
            while taken.contains(name.damaged(number)) { number += 1 }
            let file = try store.create(name.damaged(number))
            try store.append(bytes, to: file)
            try store.sync(file)
            try store.syncDirectory()
            return name.damaged(number)
        }
    }
}

extension JournalError {
    /// Turns what the store throws into the journal's own error.
    package static func wrap<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(JournalError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .store(error)
        }
    }
}
