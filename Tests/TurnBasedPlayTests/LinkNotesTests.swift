// SPDX-License-Identifier: MIT

import MatchProtocol
import Testing

@testable import TurnBasedPlay

@Suite struct LinkNotesTests {
    private func hint(_ port: Int) -> LinkHint {
        LinkHint(port: 1, addresses: ["192.0.2.7:\(port)"])
    }

    @Test func `what is in the journal already is not written again`() {
        var notes = LinkNotes(written: hint(1))
        var written = [1, 2, 2, 1].map { notes.take(hint($0)) }
        written.append(notes.take(hint(1), isLast: true))
        #expect(written == [false, true, false, true, false])
    }

    @Test func `however often the other side is somewhere else the journal stays small`() {
        var notes = LinkNotes(written: hint(0))
        let written = (1...10_000).filter { notes.take(hint($0)) }
        #expect(written == Array(1...LinkNotes.most))
        // Where it was last is known all the same when the match is taken up again.
        let isLastWritten = notes.take(hint(10_000), isLast: true)
        #expect(isLastWritten)
    }
}
