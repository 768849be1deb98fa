// SPDX-License-Identifier: MIT

import MatchEvents
import MatchProtocol
import OnlinePlay
import SessionProtocol

/// What the table keeps of a match and of players.
extension Table {
    /// Stores something in the match's journal, or begins the journal with its first entry; on
    /// failure the match ends in this process.
    func keep(
        _ store: (inout Journal<GameDirectory>) throws(JournalError) -> Void,
        orCreateWith entry: [UInt8]? = nil
    ) -> Bool {
        // Without a directory nothing is kept.
        guard let directory = configuration.stateDirectory else { return true }
        do throws(JournalError) {
            if var open = journal {
                defer { journal = open }
                try store(&open)
            } else if let entry, let own = seat?.engine.identity?.seat {
                let games = try JournalError.wrap { () throws(StoreError) in
                    try GameDirectory(path: directory)
                }
                journal = try Journal(
                    creating: entry, by: own, link: link, in: games, cryptography: cryptography)
                linkNotes = LinkNotes(written: link)
            }
            return true
        } catch {
            // First, for it says what the machine does not know: the file and the reason.
            fail(.disk, code: "disk", error.description + remedy(for: error))
            perform(seat?.storeFailed(now: loop.now()) ?? [])
            return false
        }
    }

    /// How the match goes on, if something of it is kept.
    private func remedy(for error: JournalError) -> String {
        guard journal != nil, case .store(let refusal) = error else { return "" }
        let when = refusal.code == .full ? "when there is room" : "when the disk works"
        let resume = configuration.hints.resume
        return " The match is kept up to here; \(resume) goes on with it \(when) again."
    }

    /// Removes the journal of a match that never began. One that stays does no harm: it is removed
    /// when the other side is asked again.
    func forget() {
        let unborn = journal
        journal = nil
        try? unborn?.remove()
    }

    /// Notes who is played with. If another process is at the file just then, it is tried again for
    /// two seconds, for nothing may block the loop.
    func remember() {
        guard let connection = seat?.current, let peer = sessions[connection]?.peer,
            let fingerprint = peer.fingerprint, !didRemember(fingerprint, peer.name)
        else { return }
        start { [weak self, loop] in
            for _ in 1..<100 {
                await loop.sleep(until: loop.now().advanced(milliseconds: 20))
                if await self?.didRemember(fingerprint, peer.name) ?? true { return }
                if Task.isCancelled { break }
            }
            _ = await self?.didRemember(fingerprint, peer.name, isLast: true)
        }
    }

    /// `false` if another process is changing the file; a word to the player if it is the last try.
    private func didRemember(_ who: Fingerprint, _ name: String, isLast: Bool = false) -> Bool {
        do throws(OnlineError) {
            try knownPeers?.remember(who, name: name)
        } catch {
            guard error.code != .inUse || isLast else { return false }
            tell(.failed(code: "disk", message: error.description))
        }
        return true
    }
}
