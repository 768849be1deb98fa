// SPDX-License-Identifier: MIT

import OnlinePlay
import TerminalUI

/// `ttt id`: who this player is.
struct IDCommand {
    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    func run() throws(Failure) -> Int32 {
        let settings = try Settings()
        let fingerprint = try settings.identity().fingerprint.description
        if let name = options.values[.name] {
            try settings.keep(name: try Settings.checked(name))
        }
        let name = settings.keptName
        print("name         " + (name.map { display($0, columns: 64) } ?? "a new one each time"))
        print("fingerprint  \(fingerprint)")
        return 0
    }
}
