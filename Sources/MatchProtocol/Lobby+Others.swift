// SPDX-License-Identifier: MIT

package import SessionProtocol

/// Those whom a lobby deals with.
extension Lobby {
    /// Somebody who dialled this side.
    package struct Caller: Sendable, Equatable {
        /// The process.
        package var instance: InstanceID
        package var standing: Standing
        /// The raw key.
        package var key: [UInt8]
        /// Where it comes from: what nobody else has, such as an address; empty if everybody has it.
        package var place: [UInt8]

        /// Makes a caller.
        package init(
            _ instance: InstanceID, _ standing: Standing, key: [UInt8] = [], place: [UInt8] = []
        ) {
            self.instance = instance
            self.standing = standing
            self.key = key
            self.place = place
        }

        /// What it can be recognised by.
        var marks: [[UInt8]] { [key, place].filter { !$0.isEmpty } }
    }

    struct Candidate: Sendable {
        var id: InstanceID
        var name: String
        var isOpen: Bool
        /// Whether it seems to be of somebody met before.
        var isKnown: Bool
        /// What the user calls that player.
        var petname: String?
        /// Where it is: of several at one place each waits for its turn.
        var place: String
        var notBefore: Instant
        var pause: UInt64
        /// Said no, or wants a code that is not here: not asked again.
        var declined = false
    }

    /// A guest who was welcomed and is not seated.
    struct Waiting: Sendable {
        var guest: Guest
        var caller: Caller
        /// When it has to go.
        var until: Instant
        var hasChallenged = false
    }
}
