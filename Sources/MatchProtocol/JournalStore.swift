// SPDX-License-Identifier: MIT

/// One directory of journals on a disk, with the few operations that ``Journal`` needs.
///
/// Nothing is durable before ``sync(_:)``, for the bytes of a file, or ``syncDirectory()``, for
/// names, has returned. Whatever throws may have been done in part. Nothing here is tried again
/// after an error: once a sync has failed, Linux takes the lost pages for clean, and a second one
/// would succeed without having written them.
package protocol JournalStore {
    /// A file that is open for appending.
    associatedtype File
    /// Holds a lock until it is let go.
    associatedtype Lock

    /// The names in the directory, in any order.
    func list() throws(StoreError) -> [String]
    /// The whole file, or `nil` if there is none of this name.
    func read(_ name: String) throws(StoreError) -> [UInt8]?
    /// Takes the lock of this name, or throws ``StoreError/Code/inUse`` at once if another process
    /// has it. The file of the lock stays for ever.
    func lock(_ name: String) throws(StoreError) -> Lock
    /// Makes an empty file that nobody else can read; ``StoreError/Code/exists`` if there is one.
    func create(_ name: String) throws(StoreError) -> File
    /// Adds bytes to the end.
    func append(_ bytes: [UInt8], to file: File) throws(StoreError)
    /// Makes the file's bytes durable; not its name.
    func sync(_ file: File) throws(StoreError)
    /// Gives a file another name, in place of the file that has it. Open files stay open.
    func rename(_ name: String, to other: String) throws(StoreError)
    /// Removes a file if there is one.
    func remove(_ name: String) throws(StoreError)
    /// Makes names durable that were given or taken.
    func syncDirectory() throws(StoreError)
}

/// The disk, or whoever looks after it, refused.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of refusal.
    public enum Code: Sendable, Hashable {
        /// Another process has the lock.
        case inUse
        /// The name is taken.
        case exists
        /// There is no space left.
        case full
        /// Reading, writing or syncing failed.
        case failed
        /// The directory or the file is not private, or not the user's.
        case unsafe
    }

    /// What kind of refusal.
    public let code: Code
    /// The file or directory.
    public let path: String
    /// One sentence for a person, with the path and what the system said.
    public let description: String

    /// Makes the error.
    package init(_ code: Code, path: String, _ description: String) {
        self.code = code
        self.path = path
        self.description = description
    }
}
