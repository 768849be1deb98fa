// SPDX-License-Identifier: MIT

import MatchProtocol
import OnlinePlay

/// What the table does when this machine comes into another network.
extension Table {
    /// Watches this machine's addresses from now on.
    func watchAddresses() {
        guard addressWatch == nil else { return }
        ownAddresses = Endpoint.ofThisMachine
        addressWatch = AddressWatch(on: loop) { [weak self] in
            guard let self else { return }
            self.assumeIsolated { $0.addressesChanged() }
        }
    }

    /// Gives up the connections whose address is gone; a new address may be a way back.
    private func addressesChanged() {
        guard end == nil else { return }
        let present = Endpoint.ofThisMachine
        for session in sessions.values { session.loseIfAddressIsGone(among: present) }
        if !present.subtracting(ownAddresses).isEmpty { seat?.hint(now: loop.now()) }
        ownAddresses = present
        setAlarm()
    }
}
