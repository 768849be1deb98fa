// SPDX-License-Identifier: MIT

package import SessionProtocol

/// Who is let in.
extension Lobby {
    /// Takes a hello from somebody who dialled this side, and where the code must be known asks for
    /// it.
    ///
    /// While an own dial is pending only a larger instance is let in, and the own dials are then
    /// dropped. So of two crossing connections the one whose initiator has the larger instance
    /// stays (`docs/protocol.md` §4.4), and in a ring of players who dial each other the largest
    /// gets through.
    package mutating func greeted(
        by guest: Guest, _ id: InstanceID, _ standing: Standing
    ) -> [Effect] {
        if let code = refusal(of: id, standing) { return [.refuse(guest, code)] }
        if configuration.needsCode { return [.ask(guest)] }
        return [.accept(guest)] + sit(.guest(guest))
    }

    /// Takes that a guest who was asked has proved to know the code. Meanwhile somebody else may
    /// have been let in.
    package mutating func proved(
        by guest: Guest, _ id: InstanceID, _ standing: Standing
    ) -> [Effect] {
        if let code = refusal(of: id, standing) { return [.refuse(guest, code)] }
        return [.accept(guest)] + sit(.guest(guest))
    }

    /// Whether such a guest could be let in if nobody else were here.
    package func welcomes(_ standing: Standing) -> Bool {
        configuration.letsIn && standing != .blocked
            && (standing == .known || !configuration.onlyKnown)
    }

    private func refusal(of id: InstanceID, _ standing: Standing) -> RefuseCode? {
        guard id != configuration.instance else { return .dialledSelf }
        guard state == .seeking, configuration.letsIn else { return .busy }
        guard standing != .blocked else { return .declined }
        guard welcomes(standing) else { return .notKnown }
        guard !dials.isEmpty, id < configuration.instance else { return nil }
        return dials.contains { $0.to == .advert(id) } ? .crossing : .busy
    }
}
