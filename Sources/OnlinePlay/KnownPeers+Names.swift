// SPDX-License-Identifier: MIT

extension KnownPeers {
    /// Somebody else who was known before under this name, or one that is easily taken for it
    /// (``areAlike(_:_:)``), or whom this name shows with the first letters of its key; `nil` as
    /// well if the user has named this player, who can then be told apart.
    ///
    /// - Parameters:
    ///   - fingerprint: Who bears the name; `nil` if that is not known, as of a game on the list.
    ///   - name: The name, as it came.
    /// - Returns: The other player, and its name or what the user calls it, whichever it is.
    public func namesake(
        of fingerprint: Fingerprint?, called name: String
    ) -> (entry: Entry, name: String)? {
        let own = fingerprint.flatMap { self[$0] }
        guard own?.petname == nil else { return nil }
        // Of two who were met under the name, the first to be met bears it.
        let isBearer = own.map { $0.firstSeen != 0 && NameLook($0.name).isSame(as: NameLook(name)) }
        let first = isBearer == true ? own?.firstSeen ?? .max : .max
        return index.first(like: name) { $0.fingerprint != fingerprint && $0.firstSeen < first }
    }
}
